// The pages of the health hub: people and their states, devices, outboxes, readings of nobody, rules.
import { at, button, facts, fill, h, known, problem, row, scroll, shown, table, time, words } from '../shared/dom.js';
import { get, post } from '../shared/api.js';
import { byHour, timeline } from './chart.js';

const pages = [['/people', 'People', people], ['/devices', 'Devices', devices], ['/gateways', 'Gateways', gateways], ['/unassigned', 'Unassigned', unassigned], ['/outboxes', 'Outboxes', outboxes], ['/rules', 'Rules', rules]];
const nav = document.getElementById('nav'), page = document.getElementById('page');
let turn = 0;

async function show() {
	const mine = ++turn;
	const path = location.pathname === '/' ? '/people' : location.pathname;
	const [base, title, make] = pages.find(([one]) => path === one || path.startsWith(one + '/')) ?? pages[0];
	document.title = `${title} – Harald health hub`;
	for (const link of nav.querySelectorAll('a')) {
		if (link.getAttribute('href') === base) link.setAttribute('aria-current', 'page'); else link.removeAttribute('aria-current');
	}
	const content = h('.single');
	try { await make(content, path.slice(base.length).split('/').filter(Boolean).map(decodeURIComponent)); } catch (error) { fill(content, problem(error)); }
	// Who went on meanwhile sees the other page.
	if (mine === turn) fill(page, content);
}

addEventListener('popstate', show);
document.addEventListener('click', (event) => {
	const link = event.target.closest?.('a[href]');
	if (!link || event.button || event.metaKey || event.ctrlKey || event.shiftKey || link.target || link.origin !== location.origin) return;
	if (link.pathname.startsWith('/api/') || link.getAttribute('href').startsWith('#')) return;
	event.preventDefault();
	history.pushState(null, '', link.pathname);
	show();
});
fill(nav, h('b', 'Health hub'), pages.map(([path, title]) => h('a', { href: path }, title)), h('.foot', 'This is not a medical device: it compares readings with published ranges and does not diagnose.'));

const test = (isSimulated) => isSimulated ? [' ', h('span.test', { title: 'The device is simulated.' }, 'HTEST')] : null;
const judged = (one) => one.code ? h(one.urgent ? 'b.bad' : one.interpretation === 'N' ? 'span.good' : 'span.warn', words(one.code.replaceAll('-', ' '))) : h('span.soft', { title: one.reason }, 'not assessed');
const date = (value) => new Date(value).toLocaleString();

/** A list that is fetched in parts: says how many are shown, and a button fetches the next part.
    `fetchAfter(next)` returns `{ list, total, next }`, without an argument the beginning; `render(list)` the view of all so far. */
async function paged(noun, fetchAfter, render) {
	const view = h('div');
	let all = [];
	const more = async (after) => {
		const { list, total, next } = await fetchAfter(after);
		all = [...all, ...list];
		const place = h('div');
		const count = next ? `${all.length.toLocaleString()} of ${total.toLocaleString()} ${noun} are shown.` : `${all.length.toLocaleString()} ${noun}`;
		fill(view, render(all), all.length ? h('.bar.noprint', h('span.soft', count), next ? button('Show more', place, () => more(next), noun) : null, place) : null);
	};
	await more();
	return view;
}
const after = (path, next) => next ? `${path}${path.includes('?') ? '&' : '?'}before=${encodeURIComponent(next)}` : path;
const readingPages = (path) => async (next) => { const answer = await get(after(path, next)); return { list: answer.readings, total: answer.total, next: answer.next }; };

async function people(content, [id, part]) {
	if (known(id)) return part === 'readings' ? readings(content, id) : state(content, id, part === 'report');
	const list = (await get('/people')).people, size = 50;
	const view = await paged('people', async (start = 0) => {
		const some = list.slice(start, start + size);
		const states = await Promise.all(some.map((one) => get(at('people', one.id, 'state'))));
		return { list: some.map((one, i) => [one, states[i]]), total: list.length, next: start + size < list.length ? start + size : null };
	}, (all) => all.length ? scroll('People', table(['Name', 'Latest readings', 'Notices'], h('tbody', all.map(([one, state]) => row(
		h('a', { href: at('people', one.id) }, shown(one.name)),
		state.latest.map((reading) => h('div', shown(reading.text), ' ', judged(reading.judgement), ' ', time(reading.time), test(reading.simulated))),
		[...state.notices.map((notice) => h(notice.urgent ? '.bad' : '.warn', shown(notice.sentence))), ...state.overdue.map((one) => h('.soft', `${words(one.kind)} is overdue`))],
	))))) : h('p', 'There are no people yet: ', h('code', "harald hub person add NAME --born 1961-04-30"), '.'));
	fill(content, h('h1', 'People'), view);
}

const points = (list, kind, name, unit) => list.filter((one) => one.counted && one.kind === kind && one.values[name]?.unit === unit && known(one.values[name].value)).map((one) => [Date.parse(one.time), one.values[name].value]);
const unitsOf = (list, kind, name) => [...new Set(list.filter((one) => one.counted && one.kind === kind).map((one) => one.values[name]?.unit).filter(known))];

async function state(content, id, isReport) {
	const [one, everyone, allRules] = await Promise.all([get(at('people', id, 'state')), get('/people').then((answer) => answer.people), get('/rules').then((answer) => answer.rules)]);
	// Each kind by itself: a continuous monitor sends more readings than fit into one answer.
	const plotted = one.latest.map((reading) => reading.kind).filter((kind) => ['bloodPressure', 'glucose', 'continuousGlucose', 'weight', 'temperature', 'oxygenSaturation'].includes(kind));
	const answers = await Promise.all(plotted.map((kind) => get(`${at('people', id, 'readings')}?days=90&kind=${kind}`)));
	const list = answers.flatMap((answer) => answer.readings);
	const cut = plotted.map((kind, i) => [kind, answers[i]]).filter(([, answer]) => answer.next);
	const person = everyone.find((other) => other.id === id);
	// The borders of the ranges of blood pressure by which this person is judged.
	const borders = (unit) => allRules.filter((rule) => rule.kind === 'bloodPressure' && (rule.guideline ?? person?.guideline) === person?.guideline && (rule.setting ?? person?.setting) === person?.setting)
		.flatMap((rule) => ['systolic', 'diastolic'].map((name) => [rule.bounds[name]?.[unit]?.min, `${name}: ${rule.range}`])).filter(([value]) => typeof value === 'number');
	const parts = [h('h1', shown(one.name)), isReport
		? h('p', `Report of ${date(Date.now())} `, button('Print', h('div'), async () => print(), 'the report'))
		: h('.bar.noprint', h('a', { href: at('people', id, 'readings') }, 'Readings'), h('a', { href: at('people', id, 'report') }, 'Printable report'))];
	parts.push(one.notices.map((notice) => h(notice.urgent ? '.notice.urgent' : '.notice', { role: notice.urgent ? 'alert' : 'note' }, shown(notice.sentence), h('div.soft', shown(notice.source)))));
	parts.push(one.overdue.map((late) => h('.notice', `${words(late.kind)} is overdue: every ${late.everyDays} days, last `, late.last ? date(late.last) : 'never')));
	if (!one.latest.length) parts.push(h('p', 'No reading yet. Assign a device: ', h('code', `harald hub assign DEVICE ${id}`), '.'));
	parts.push(h('h2', 'Latest readings'), h('dl.facts', facts(one.latest.map((reading) => [words(reading.kind), [h('.value', shown(reading.text)), judged(reading.judgement), h('div', time(reading.time), test(reading.simulated)), h('.soft', shown(reading.judgement.sentence ?? reading.judgement.reason))]]))));
	if (one.targets.length) parts.push(h('h2', 'Targets'), table(['Target', 'Latest', ''], h('tbody', one.targets.map((target) => row(shown(target.text), target.value ?? '–', target.outcome ?? 'no value')))));
	if (Object.keys(one.summaries).length) parts.push(h('h2', 'Means'), scroll('Means', table(['', 'Period', 'Readings', 'Mean', 'Change'], h('tbody', Object.entries(one.summaries).flatMap(([kind, summary]) => periods(summary).map((period, i) => row(i ? '' : words(kind), `${period.days} days`, `${period.count} on ${plural(period.daysWithReadings, 'day')}`, mean(kind, period.mean, summary.unit), signed(period.change))))))));
	const verdict = one.summaries.bloodPressure?.verdict;
	if (verdict) parts.push(h('p', verdict.code ? h('b', shown(verdict.sentence)) : shown(verdict.reason)));
	const byTime = one.summaries.bloodPressure?.byTimeOfDay ?? {};
	const times = ['morning', 'afternoon', 'evening', 'night'].filter((name) => byTime[name]).map((name) => [name, byTime[name]]);
	if (times.length) parts.push(h('h3', 'Blood pressure by time of day'), table(['Time of day', 'Readings', 'Mean in 30 days'], h('tbody', times.map(([name, period]) => row(name, period.count, `${Math.round(period.mean.systolic)}/${Math.round(period.mean.diastolic)} mmHg`)))));
	for (const unit of unitsOf(list, 'bloodPressure', 'systolic')) parts.push(timeline('Blood pressure', unit, ['systolic', 'diastolic'].map((name) => [name, points(list, 'bloodPressure', name, unit)]), borders(unit)));
	for (const kind of ['glucose', 'continuousGlucose']) for (const unit of unitsOf(list, kind, 'glucose')) parts.push(byHour(kind === 'glucose' ? 'Glucose' : 'Continuous glucose', unit, points(list, kind, 'glucose', unit), unit === 'mmol/L' ? [[3.9, '3.9'], [10, '10.0']] : [[70, '70'], [180, '180']]));
	const glucose = one.continuousGlucose;
	if (glucose) parts.push(glucose.timeInRanges ? h('dl.facts', facts([['Mean', `${glucose.mean} mg/dL`], ['GMI', `${glucose.gmi} %`], ['Coefficient of variation', `${glucose.coefficientOfVariation} %`], ...Object.entries(glucose.timeInRanges).map(([name, share]) => [words(name), `${share} %`])])) : h('p.soft', shown(glucose.reason)));
	for (const [kind, name, label] of [['weight', 'weight', 'Weight'], ['temperature', 'temperature', 'Temperature'], ['oxygenSaturation', 'spO2', 'Oxygen saturation']]) {
		for (const unit of unitsOf(list, kind, name)) parts.push(timeline(label, unit, [[name, points(list, kind, name, unit)]]));
	}
	parts.push(cut.map(([kind, answer]) => h('p.soft', `${words(kind)}: the plot shows the latest ${answer.readings.length.toLocaleString()} of ${answer.total.toLocaleString()} readings of 90 days. `, h('a.noprint', { href: at('people', id, 'readings') }, 'All readings'))));
	parts.push(h('p.soft', shown(one.disclaimer)));
	fill(content, parts);
}

const plural = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`;
const signed = (value) => known(value) ? (value > 0 ? `+${value}` : value < 0 ? `−${-value}` : '0') : '';
// A longer period with the same readings says nothing new.
const periods = (summary) => summary.periods.filter((period, i, all) => period.count && !(i && period.count === all[i - 1].count));
const rounded = (value) => Math.round(value * 10) / 10;
const units = { pulseRate: 'bpm', spO2: '%', bmi: 'kg/m²', bodyFat: '%' };
function mean(kind, values, unit) {
	const { systolic, diastolic, ...rest } = values;
	const others = Object.entries(rest).map(([name, value]) => `${{ pulseRate: 'pulse ', bmi: 'body mass index ', bodyFat: 'body fat ' }[name] ?? ''}${rounded(value)} ${units[name] ?? unit}`);
	if (!known(systolic)) return others.reverse().join(', ');
	return [`${Math.round(systolic)}/${Math.round(diastolic)} ${unit}`, ...others].join(', ');
}

const readingTable = (list, more = []) => scroll('Readings', table(['Taken', 'Reading', 'Range', 'Device', 'Gateway', ...more], h('tbody', list.map((one) => row(date(one.time), [shown(one.text), test(one.simulated)], [judged(one.judgement), h('.soft', shown(one.judgement.sentence ?? one.judgement.reason))], [shown(one.device.name ?? one.device.serial ?? one.device.address ?? ''), known(one.user) ? ` user ${one.user}` : ''], shown(one.gateway ?? ''))))));

async function readings(content, id) {
	const view = await paged('readings', readingPages(at('people', id, 'readings') + '?days=36600'), (list) => list.length ? readingTable(list) : h('p', 'There are no readings yet.'));
	fill(content, h('h1', 'Readings'), h('.bar', h('a', { href: at('people', id) }, 'State')), view);
}

async function devices(content) {
	const list = (await get('/devices')).devices;
	fill(content, h('h1', 'Devices'), list.length ? scroll('Devices', table(['Name', 'Model', 'Serial number', 'Address', 'Last contact'], h('tbody', list.map((one) => row(shown(one.name ?? ''), shown(one.model ?? ''), shown(one.serial ?? ''), shown(one.address ?? ''), time(one.lastContact)))))) : h('p', 'No device has sent readings yet.'));
}

async function gateways(content) {
	const list = (await get('/gateways')).gateways;
	fill(content, h('h1', 'Gateways'), list.length ? scroll('Gateways', table(['Name', 'Last contact', 'People', 'Token'], h('tbody', list.map((one) => row(shown(one.name), time(one.lastContact), one.people, one.hasToken ? 'valid' : h('span.soft', 'no token of this name')))))) : h('p', 'No gateway has sent readings yet: ', h('code', 'harald hub token add NAME'), '.'));
}

async function unassigned(content) {
	const everyone = (await get('/people')).people, place = h('div');
	const view = await paged('readings', readingPages('/readings/unassigned'), (list) => unassignedGroups(list, everyone, place));
	fill(content, h('h1', 'Unassigned readings'), place, view);
}

function unassignedGroups(list, everyone, place) {
	const groups = new Map();
	for (const one of list) { const key = `${one.device.id}|${one.user ?? ''}`; if (!groups.has(key)) groups.set(key, []); groups.get(key).push(one); }
	return groups.size ? [...groups.values()].map((group) => {
		const first = group[0], name = first.device.serial ?? first.device.address ?? first.device.identifier ?? first.device.name ?? first.device.systemID ?? `device ${first.device.id}`;
		const select = h('select', { aria: `Person for ${name}` }, everyone.map((one) => h('option', { value: one.id }, one.name)));
		const assign = async () => { await post('/assignments', { device: `id:${first.device.id}`, person: select.value, user: first.user }); await show(); };
		return [h('h2', shown(first.device.name ?? name), known(first.user) ? ` user ${first.user}` : '', ` – ${group.length} reading${group.length === 1 ? '' : 's'}`), everyone.length ? h('.bar', select, button('Assign', place, assign, `${name} to the person`)) : h('p', 'Add a person first.'), readingTable(group.slice(0, 20)), group.length > 20 ? h('p.soft', `and ${plural(group.length - 20, 'earlier reading')} of these`) : null];
	}) : h('p', 'All readings are assigned.');
}

async function outboxes(content) {
	const list = (await get('/outboxes')).outboxes, place = h('div');
	fill(content, h('h1', 'Outboxes'), place, list.length ? scroll('Outboxes', table(['Receiver', 'Kind', 'Waiting', 'Since', 'Parked', 'Latest problem', ''], h('tbody', list.map((one) => row(shown(one.name), one.kind, one.pending, one.oldest ? time(one.oldest) : '', one.parked ? h('b.warn', one.parked) : 0, shown(one.lastError ?? ''), button('Try again', place, async () => { await post('/outboxes/retry', { name: one.name }); await show(); }, one.name)))))) : h('p', 'Readings are not forwarded. ', h('code', 'harald hub forward add --help'), '.'));
}

const bound = (one) => [known(one.min) ? `≥ ${one.min}` : null, known(one.above) ? `> ${one.above}` : null, known(one.max) ? `≤ ${one.max}` : null, known(one.below) ? `< ${one.below}` : null].filter(Boolean).join(' and ');
async function rules(content) {
	const list = (await get('/rules')).rules;
	fill(content, h('h1', 'Rules'), h('p', 'The first matching rule of a kind applies. Limits are declared for each unit and never converted.'), scroll('Rules', table(['Kind', 'Range', 'Condition', 'Code', 'Source'], h('tbody', list.map((one) => row([words(one.kind), one.guideline ? ` ${one.guideline}` : '', one.setting ? ` (${one.setting})` : ''], [one.range, one.urgent ? h('b.bad', ' urgent') : ''], Object.entries(one.bounds).map(([name, units], i) => h('div', i ? (one.anyQuantity ? 'or ' : 'and ') : '', words(name), ' ', Object.entries(units).map(([unit, value]) => `${bound(value)} ${unit}`).join(', '))), `${one.code} ${one.interpretation}`, [shown(one.source), h('.soft', `version ${one.version}`)]))))));
}

show();
