// Lists: readings of a person and of nobody, devices, gateways, outboxes, rules.
import { at, button, fill, h, known, openDialog, plain, shown } from '../shared/dom.js';
import { Failure, get, post, remove } from '../shared/api.js';
import { decisions } from './edit.js';
import { number, parts, t } from './language.js';
import { cards, dated, deviceName, kindName, kindOf, pill, quantityName, readingText, setZone, since, test, zoneNote } from './format.js';

/** A list that is fetched in parts: says how many are shown, and a button fetches the next part.
    `noun` is the key of their number. `fetchAfter(next)` returns `{ list, total, next }`, without an argument the
    beginning; `render(list, isWhole)` the view of all so far. */
export async function paged(noun, fetchAfter, render) {
	const view = h('div', { tabindex: -1 });
	let all = [];
	const more = async (after) => {
		const { list, total, next } = await fetchAfter(after);
		all = [...all, ...list];
		const place = h('div');
		const count = next ? t('list.part', { some: all.length, all: t(noun, { count: total }) }) : t(noun, { count: all.length });
		const further = next ? button(t('list.more'), place, () => more(next), '') : null;
		fill(view, render(all, !next), all.length ? h('.bar.noprint', h('span.soft', count), further, place) : null);
		// The button that fetched this part is gone.
		if (known(after)) (further ?? view).focus({ preventScroll: true });
	};
	await more();
	return view;
}
const after = (path, next) => next ? `${path}${path.includes('?') ? '&' : '?'}before=${encodeURIComponent(next)}` : path;
const readingPages = (path) => async (next) => { const answer = await get(after(path, next)); return { list: answer.readings, total: answer.total, next: answer.next }; };

const outOf = (one) => one.retracted ? t('reading.retracted') : one.excluded ? t('reading.excluded') : one.waiting ? t('reading.waiting') : null;
/** `decide` makes the form that decides about a reading. */
const readingTable = (list, decide) => cards(t('list.readings'), [t('list.taken'), t('list.kind'), t('list.reading'), t('list.range'), t('list.device'), ...decide ? [t('list.change')] : []], list.map((one) => [
	dated(one.time), kindOf(one), [h('div', readingText(one), test(one.simulated)), outOf(one) ? h('b.warn', outOf(one)) : null, one.qualifiers?.length && !one.glucoseContext ? h('.soft', shown(one.qualifiers.join(', '))) : null],
	[pill(one.judgement), h('.soft', shown(one.judgement.sentence ?? one.judgement.reason))],
	[h('div', shown(deviceName(one.device)), known(one.user) ? ` ${t('list.user', { user: one.user })}` : ''), one.device.name && one.device.serial ? h('.soft', t('list.serial'), ' ', shown(one.device.serial)) : null, one.gateway ? h('.soft', t('list.gateway'), ' ', shown(one.gateway)) : null], ...decide ? [decide(one)] : [],
]));

/** All readings of a person; returns the title of the page. */
export async function readingsPage(content, id, { mayEdit, again }) {
	const path = at('people', id);
	const [state, everyone] = await Promise.all([get(path + '/state'), mayEdit ? get('/people').then((answer) => answer.people) : null]);
	setZone(state.timeZone);
	const change = (one) => {
		const dialog = openDialog(t('list.changeReading'), h('p', h('b', readingText(one)), ', ', dated(one.time)), one.judgement.reason ? h('p.soft', shown(one.judgement.reason)) : null,
			decisions(one.id, { isOut: one.waiting ? t('decide.counts') : one.excluded ? t('decide.putBack') : null, isExcluded: one.excluded, owner: id, everyone, again: () => { dialog.close(); return again(); } }), h('.bar', h('button', { onclick: () => dialog.close() }, t('list.close'))));
	};
	const decide = mayEdit ? (one) => h('button.link', { aria: t('list.changeOf', { time: one.time }), onclick: () => change(one) }, t('list.change')) : null;
	const view = await paged('count.readings', readingPages(path + '/readings?days=36600'), (list) => list.length ? readingTable(list, decide) : h('p', t('list.noReadings')));
	fill(content, h('h1', parts('list.readingsOf', { name: shown(state.name) })), h('.bar.noprint', h('a', { href: path }, t('people.state')), h('a', { href: path + '/report' }, t('state.report'))), h('p.soft', zoneNote()), view);
	return t('list.readingsOf', { name: plain(state.name) });
}

export async function unassigned(content, mayEdit, again) {
	const everyone = (await get('/people')).people;
	const view = await paged('count.readings', readingPages('/readings/unassigned'), (list, isWhole) => unassignedGroups(list, isWhole, everyone, mayEdit, again));
	fill(content, h('h1', t('list.unassigned')), h('p.soft', zoneNote()), mayEdit ? null : h('p', t('list.mayNot')), view);
}

function unassignedGroups(list, isWhole, everyone, mayEdit, again) {
	const groups = new Map();
	for (const one of list) { const key = `${one.device.id}|${one.user ?? ''}`; if (!groups.has(key)) groups.set(key, []); groups.get(key).push(one); }
	if (!groups.size) return h('p', t('list.allAssigned'));
	return [...groups.values()].map((group) => {
		const { device, user } = group[0];
		return [h('h2', shown(deviceName(device)), known(user) ? ` ${t('list.user', { user })}` : '', ' – ', t(isWhole ? 'count.readings' : 'list.ofShown', { count: group.length })), mayEdit ? assignment(device, user, everyone, again) : null, readingTable(group.slice(0, 20)), group.length > 20 ? h('p.soft', t('list.earlier', { count: group.length - 20 })) : null];
	});
}

// No identifier of a person.
const nobody = 'nobody';

/** The attribute by which the forms of a device name it. */
const label = (device) => plain(device.serial ?? device.address ?? device.identifier ?? device.name ?? device.systemID ?? t('devices.number', { id: device.id }));

/** The form that assigns a device, or one of its users, to a person, or to nobody if it is assigned. Nothing is chosen
    at first: a wrong person would get the readings of another one. */
function assignment(device, user, everyone, again) {
	if (!everyone.length) return h('p', t('assign.noPeople'));
	const name = label(device), place = h('div');
	const select = h('select', { aria: t('assign.personFor', { name }) }, h('option', { value: '' }, t('assign.choose')), device.assignments?.some(({ person }) => known(person)) ? h('option', { value: nobody }, t('assign.nobody')) : null, everyone.map((one) => h('option', { value: one.id }, plain(one.name))));
	const index = h('input', { type: 'number', min: 0, max: 254, step: 1, inputmode: 'numeric', aria: t('assign.userOf', { name }), value: known(user) ? String(user) : '' });
	const wrong = (field, detail) => { field.focus(); throw new Failure({ title: t('assign.not'), detail }); };
	const assign = async () => {
		if (!select.value) wrong(select, t('assign.chooseWhose'));
		if (!index.validity.valid) wrong(index, t('assign.wrongUser'));
		const one = `id:${device.id}`, number = index.value;
		if (select.value === nobody) await remove(at('assignments', one) + (number === '' ? '' : `?user=${Number(number)}`));
		else await post('/assignments', { device: one, person: select.value, user: number === '' ? undefined : Number(number) });
		await again();
	};
	return [h('.bar', select, h('label', t('assign.user'), ' ', index), button(t('assign.assign'), place, assign, t('assign.toPerson', { name }))), place];
}

export async function devices(content, mayEdit, again) {
	const [list, everyone] = await Promise.all([get('/devices').then((answer) => answer.devices), get('/people').then((answer) => answer.people)]);
	const names = new Map(everyone.map((one) => [one.id, one.name]));
	const owners = (one) => one.assignments?.length ? one.assignments.map(({ user, person }) => h('div', known(person) ? h('a', { href: at('people', person) }, shown(names.get(person) ?? t('devices.person', { id: person }))) : h('span.soft', t('devices.nobody')), known(user) ? `, ${t('list.user', { user })}` : one.assignments.length > 1 ? `, ${t('devices.others')}` : '')) : h('span.soft', t('devices.nobody'));
	// The form is made when it is opened: it lists all people.
	const change = (one) => {
		const place = h('div');
		const ontoggle = () => { if (!place.hasChildNodes()) fill(place, assignment(one, null, everyone, again)); };
		return mayEdit ? h('details', { ontoggle }, h('summary', { aria: t('devices.changeOf', { name: label(one) }) }, t('list.change')), place) : null;
	};
	fill(content, h('h1', t('nav.devices')), h('p.soft', zoneNote()), list.length ? cards(t('nav.devices'), [t('people.name'), t('devices.owner'), t('devices.model'), t('devices.serial'), t('devices.address'), t('devices.contact')], list.map((one) => [shown(deviceName(one)), [owners(one), change(one)], shown(one.model ?? ''), shown(one.serial ?? ''), shown(one.address ?? ''), since(one.lastContact)])) : h('p', t('devices.none')));
}

const documentation = () => h('a', { href: '/docs/', target: '_blank' }, t('nav.documentation'));

export async function gateways(content) {
	const list = (await get('/gateways')).gateways;
	fill(content, h('h1', t('nav.gateways')), h('p.soft', zoneNote()), list.length ? cards(t('nav.gateways'), [t('people.name'), t('devices.contact'), t('nav.people'), t('gateways.token')], list.map((one) => [shown(one.name), since(one.lastContact), one.people, one.hasToken ? t('gateways.valid') : h('span.soft', t('gateways.noToken'))])) : h('p', parts('gateways.none', { documentation: documentation() })));
}

export async function outboxes(content, mayEdit, again) {
	const [list, told] = await Promise.all([get('/outboxes').then((answer) => answer.outboxes), get('/notifiers').then((answer) => answer.notifiers)]), place = h('div');
	const heads = [t('outboxes.receiver'), t('list.kind'), t('outboxes.waiting'), t('outboxes.since'), t('outboxes.parked'), t('outboxes.problem'), ...mayEdit ? [t('outboxes.action')] : []];
	const retry = (one) => button(t('outboxes.again'), place, async () => { await post('/outboxes/retry', { name: one.name }); await again(); }, plain(one.name));
	fill(content, h('h1', t('nav.outboxes')), h('p.soft', zoneNote()), place, list.length ? cards(t('nav.outboxes'), heads, list.map((one) => [shown(one.name), one.kind, one.pending, one.oldest ? since(one.oldest) : '', one.parked ? h('b.warn', one.parked) : 0, shown(one.lastError ?? ''), ...mayEdit ? [retry(one)] : []])) : h('p', parts('outboxes.none', { documentation: documentation() })),
		h('h2', t('outboxes.notices')), told.length ? cards(t('outboxes.notices'), [t('people.name'), t('list.kind'), t('outboxes.last'), t('outboxes.problem')], told.map((one) => [shown(one.name), one.kind, since(one.lastSent), one.lastError ? h('b.bad', shown(one.lastError)) : ''])) : h('p', parts('outboxes.nobodyTold', { documentation: documentation() })));
}

const bound = (one) => [['≥', one.min], ['>', one.above], ['≤', one.max], ['<', one.below]].filter(([, value]) => known(value)).map(([sign, value]) => `${sign} ${number(value)}`).join(` ${t('rules.and')} `);
const condition = (one) => Object.entries(one.bounds).map(([name, units], i) => h('div', i ? `${t(one.anyQuantity ? 'rules.or' : 'rules.and')} ` : '', quantityName(name), ' ', Object.entries(units).map(([unit, value]) => `${bound(value)} ${unit}`.replaceAll(' ', '\u00a0')).join(', ')));
export async function rules(content) {
	const list = (await get('/rules')).rules;
	fill(content, h('h1', t('nav.rules')), h('p', t('rules.note')), cards(t('nav.rules'), [t('list.kind'), t('list.range'), t('rules.condition'), t('rules.code'), t('rules.source')], list.map((one) => [[kindName(one.kind), one.guideline ? ` ${one.guideline}` : '', one.setting ? ` (${t(`setting.${one.setting}`)})` : ''], [one.range, one.urgent ? h('b.bad', ` ${t('rules.urgent')}`) : ''], condition(one), `${one.code} ${one.interpretation}`, [shown(one.source), h('.soft', t('rules.version', { version: one.version }))]])));
}
