// A person: the state with plots, and the same as a report for paper.
import { at, button, facts, fold, h, icon, known, plain, shown } from '../shared/dom.js';
import { get } from '../shared/api.js';
import { byHour, timeline } from './chart.js';
import { notes, seen, waiting } from './edit.js';
import { birthDate, cards, dated, differenceIn, fixedUnit, initials, kindName, kindOf, levelIcon, mainQuantity, meanIn, measured, moment, pill, plotted, plural, quantitiesOf, quantityName, readingText, setZone, since, stateOf, test, zoneName, zoneNote } from './format.js';

const days = 90;

const points = (list, kind, name, unit) => list.filter((one) => one.counted && one.kind === kind && one.values[name]?.unit === unit && known(one.values[name].value)).map((one) => [Date.parse(one.time), one.values[name].value]);
const unitsOf = (list, kind, name) => [...new Set(list.filter((one) => one.counted && one.kind === kind).map((one) => one.values[name]?.unit).filter(known))];
/** The unit of the latest reading of a kind, in which its means are shown. */
const unitOf = (state, kind) => state.latest.find((one) => one.kind === kind)?.values[mainQuantity(kind)]?.unit ?? state.summaries[kind]?.unit ?? '';

/** The limits of the ranges of blood pressure by which this person is judged. */
function pressureLimits(rules, person, unit) {
	const own = rules.filter((rule) => rule.kind === 'bloodPressure' && (rule.guideline ?? person?.guideline) === person?.guideline && (rule.setting ?? person?.setting) === person?.setting);
	return own.flatMap((rule) => ['systolic', 'diastolic'].map((name, line) => {
		const { min, above } = rule.bounds[name]?.[unit] ?? {};
		return { value: min ?? above, text: known(min) ? min : `> ${above}`, line, name: rule.range };
	})).filter((one) => typeof one.value === 'number');
}

/** The limits of the range of a kind that is judged as normal. */
function targetRange(rules, kind, name, unit) {
	const { min, max } = rules.find((rule) => rule.kind === kind && rule.interpretation === 'N')?.bounds[name]?.[unit] ?? {};
	return [min, max].filter(known).map((value) => ({ value, text: unit === 'mmol/L' ? value.toFixed(1) : String(value) }));
}

/** Fills a page with the state of a person, or with the report; returns its title. */
export async function personPage(content, id, isReport, { mayEdit, again }) {
	const [state, everyone, allRules, written] = await Promise.all([get(at('people', id, 'state')), get('/people').then((answer) => answer.people), get('/rules').then((answer) => answer.rules), notes(id, mayEdit && !isReport, again)]);
	setZone(state.timeZone);
	const kinds = state.latest.map((one) => one.kind), plots = plotted().filter(([kind]) => kinds.includes(kind));
	// Each kind by itself: a continuous monitor sends more readings than fit into one answer.
	const answers = await Promise.all(plots.map(([kind]) => get(`${at('people', id, 'readings')}?days=${days}&kind=${kind}`)));
	const list = answers.flatMap((answer) => answer.readings);
	const person = everyone.find((other) => other.id === id);
	const cut = (kind) => {
		const answer = answers[plots.findIndex(([one]) => one === kind)];
		return answer?.next ? h('p.soft', `The plot shows the latest ${plural(answer.readings.length, 'reading')} of ${answer.total.toLocaleString()} in ${days} days. `, h('a.noprint', { href: at('people', id, 'readings') }, 'All readings')) : null;
	};
	const folded = (title, parts) => isReport || !parts.length ? parts : [fold('', title, parts.slice(1))];
	content.append(...isReport ? reportHead(state, person) : [...pageHead(state, id, person, mayEdit), verdict(state)], ...notices(state, mayEdit && !isReport, again), ...waiting(state, everyone, mayEdit && !isReport, again));
	if (!state.latest.length) content.append(h('p', 'No reading yet. Assign a ', h('a', { href: '/devices' }, 'device'), mayEdit ? [', or ', h('a', { href: at('people', id, 'edit') }, 'type a reading in')] : null, '.'));
	content.append(...latest(state, isReport));
	for (const [kind, names, form] of plotted()) {
		const units = unitsOf(list, kind, names[0]), title = kindName(kind), isPressure = kind === 'bloodPressure';
		const plot = form === 'hours'
			? (unit) => byHour(title, unit, points(list, kind, names[0], unit), targetRange(allRules, kind, names[0], unit))
			: (unit) => timeline(title, unit, names.map((name) => [quantityName(name), points(list, kind, name, unit)]), isPressure ? pressureLimits(allRules, person, unit) : []);
		content.append(...section(title, [...isPressure ? pressure(state) : [], ...units.map(plot), cut(kind), ...kind === 'continuousGlucose' ? statistics(state) : []]));
	}
	content.append(...folded('Targets', targets(state)), ...folded('Means', means(state)), ...[written].flat(Infinity).filter(Boolean), h('p.soft', shown(state.disclaimer)));
	return `${isReport ? 'Report on' : 'State of'} ${plain(state.name)}`;
}

/** A part of the page with its heading, unless it is empty. */
function section(title, parts) {
	const own = parts.filter(Boolean);
	return own.length ? [h('h2', title), ...own] : [];
}

const pageHead = (state, id, person, mayEdit) => [
	h('.person', h('span.mark', { 'aria-hidden': 'true' }, initials(state.name)), h('.grow', h('h1', shown(state.name)), h('p.soft', person ? ['born ', birthDate(person.born), '. '] : null, zoneNote())),
		mayEdit ? h('a.button.noprint', { href: at('people', id, 'edit') }, 'Change') : null, h('a.button.noprint', { href: at('people', id, 'readings') }, icon('log'), 'Readings'), h('a.button.main.noprint', { href: at('people', id, 'report') }, icon('save'), 'Printable report')),
	measured(state).some((one) => one.simulated) ? h('p.note', 'Some of these values are simulated.') : null,
].filter(Boolean);

const sentences = { watch: 'A value is outside its range.', good: 'All judged values are in their range.', none: 'Readings are missing.' };
/** The answer first: the worst state on the page, why, and the number it is about. */
function verdict(state) {
	const { level, notice, reasons, isOpen } = stateOf(state), mean = state.summaries.bloodPressure?.mean;
	const about = notice ? null : mean ? [mean, 'mean of 7 days'] : null;
	return h(`section.verdict.${level}`, { aria: 'State' }, h('span.disc', levelIcon(level)),
		h('.grow', h('h2', notice ? 'A value needs attention at once.' : isOpen ? 'A reading waits for your decision.' : sentences[level]), h('p', notice ? shown(notice.sentence) : reasons.map((one) => h('div', shown(one))))),
		about ? h('.number', h('b', about[0]), h('span.soft', about[1])) : null);
}

function reportHead(state, person) {
	const guidelines = { esc: 'ESC 2024', 'acc-aha': 'AHA/ACC 2025' }, settings = { home: 'at home', office: 'in the office' };
	return [h('h1', 'Report on ', shown(state.name)), h('.bar.noprint', h('a', { href: at('people', state.person) }, 'State'), button('Print', h('div'), async () => print(), 'the report')),
		h('dl.facts.tiles', facts([
			['Report of', moment(Date.now())], ['Time zone of all dates and times', zoneName()], ['Date of birth', person && h('time', { datetime: person.born }, birthDate(person.born))],
			['Guideline for blood pressure', person && (guidelines[person.guideline] ?? person.guideline)], ['Setting', person && (settings[person.setting] ?? person.setting)],
			['Height', person?.height ? `${person.height} m` : null], ['Pregnant', person?.pregnant ? 'yes' : null],
		]))];
}

function notices(state, mayEdit, again) {
	return [
		...state.notices.map((notice) => h(notice.urgent ? '.notice.urgent' : '.notice', { role: notice.urgent ? 'alert' : 'note' }, notice.urgent ? 'Urgent: ' : null, shown(notice.sentence), notice.time ? h('.when', 'Measured ', dated(notice.time)) : null, h('.soft', shown(notice.source)), seen(state, notice, mayEdit, again))),
		...state.overdue.map((late) => h('.notice', `${kindName(late.kind)} is overdue: every ${late.everyDays === 1 ? 'day' : `${late.everyDays} days`}, last `, late.last ? dated(late.last) : 'never')),
	];
}

// The value of a reading in two parts: the number is large.
const value = (one) => { const text = readingText(one), [, number, unit] = /^([\d.,/]+) ([^ ,]+)$/.exec(typeof text === 'string' ? text : text?.textContent ?? '') ?? []; return number ? h('.value', h('b', trimmed(number)), ' ', unit) : h('.value.long', text); };
const trimmed = (number) => number.includes('.') && !number.includes('/') ? number.replace(/0+$/, '').replace(/\.$/, '') : number;
const kindIcons = { bloodPressure: 'gauge', weight: 'scale', bodyComposition: 'scale', temperature: 'thermo', oxygenSaturation: 'finger', heartRate: 'heart', glucose: 'drop', continuousGlucose: 'drop' };

function latest(state, isReport) {
	return section('Latest readings', measured(state).length ? [h('ul.measures', measured(state).map((one) => h('li.card.pad', h('.soft', icon(kindIcons[one.kind] ?? 'chart'), ' ', kindOf(one)), value(one), pill(one.judgement),
		h('.small', isReport ? dated(one.time) : since(one.time), isReport ? test(one.simulated) : null), h('.small.soft', shown(one.judgement.sentence ?? one.judgement.reason)))))] : []);
}

/** “glucose 4 to 8 mmol/L” with the name of the quantity as on all pages. */
const targetText = ({ text, quantity }) => text.startsWith(quantity) ? quantityName(quantity) + text.slice(quantity.length) : text;
const targets = (state) => section('Targets', state.targets.length ? [cards('Targets', ['Target', 'Latest value', 'Outcome'], state.targets.map((one) => [shown(targetText(one)), known(one.value) ? `${one.value} ${one.unit ?? ''}` : '–', one.outcome ? `${one.outcome} the target` : 'no value']))] : []);

// MARK: Means

// A longer period with the same readings says nothing new.
const periods = (summary) => summary.periods.filter((period, i, all) => period.count && !(i && period.count === all[i - 1].count));

/** A mean pressure; a quantity that no reading has is a dash. */
const pressureIn = (unit, { systolic, diastolic }) => `${[systolic, diastolic].map((one) => known(one) ? meanIn(unit, one) : '–').join('/')}\u00a0${unit}`;
/** The means of a period in lines; a quantity that only some readings have says how many. */
function meanLines(kind, period, unit) {
	const lines = known(period.mean.systolic) ? [pressureIn(unit, period.mean)] : [];
	for (const name of quantitiesOf(kind).filter((one) => known(period.mean[one]) && !(lines.length && ['systolic', 'diastolic'].includes(one)))) {
		const own = fixedUnit(name) ?? unit, count = period.counts?.[name] ?? period.count;
		lines.push(`${lines.length ? `${quantityName(name)} ` : ''}${meanIn(own, period.mean[name])}\u00a0${own}${count < period.count ? ` of ${plural(count, 'reading')}` : ''}`);
	}
	return lines.map((one) => h('div', one));
}

function means(state) {
	const kinds = state.latest.map((one) => one.kind).filter((kind) => state.summaries[kind]);
	const rows = kinds.flatMap((kind) => periods(state.summaries[kind]).map((period) => {
		const unit = unitOf(state, kind), name = kind === 'bloodPressure' ? 'systolic ' : '';
		return [kindName(kind), `${period.days} days`, `${plural(period.count, 'reading')} on ${plural(period.daysWithReadings, 'date')}`, meanLines(kind, period, unit),
			known(period.change) ? name + differenceIn(unit, period.change) : '–', known(period.trendPerDay) ? name + differenceIn(unit, period.trendPerDay * 7) : '–'];
	}));
	if (!rows.length) return state.latest.some((one) => state.summaries[one.kind]) ? section('Means', [h('p', 'No reading of the last 90 days counts.')]) : [];
	return section('Means', [cards('Means', ['Kind', 'Period', 'Readings', 'Mean', 'Last value minus first', 'Trend per week'], rows),
		h('p.soft', 'A period ends now, so 7 days may be parts of 8 dates. Readings that do not count, such as those with a loose cuff, are left out. The trend is a line through all values (least squares), over at least 2 days.')]);
}

function pressure(state) {
	const { verdict, byTimeOfDay = {} } = state.summaries.bloodPressure ?? {}, unit = unitOf(state, 'bloodPressure');
	const hours = { morning: '4:00 to 12:00', afternoon: '12:00 to 18:00', evening: '18:00 to 24:00', night: '0:00 to 4:00' };
	const rows = Object.keys(hours).filter((name) => byTimeOfDay[name]).map((name) => [`${name}, ${hours[name]}`, byTimeOfDay[name].count, pressureIn(unit, byTimeOfDay[name].mean)]);
	return [
		verdict ? h('p', verdict.code ? h('b', shown(verdict.sentence)) : shown(verdict.reason)) : null,
		rows.length ? [h('h3', 'Blood pressure by time of day'), cards('Blood pressure by time of day', ['Time of day', 'Readings', 'Mean in 30 days'], rows)] : null,
	].flat().filter(Boolean);
}

/** The statistics of continuous glucose monitoring, from very low to very high. */
function statistics(state) {
	const glucose = state.continuousGlucose;
	if (!glucose) return [];
	const unit = unitOf(state, 'continuousGlucose'), shares = glucose.timeInRanges;
	const ranges = unit === 'mmol/L'
		? [['veryLow', 'Very low, below 3.0'], ['low', 'Low, 3.0 to 3.8'], ['inRange', 'In range, 3.9 to 10.0'], ['high', 'High, 10.1 to 13.9'], ['veryHigh', 'Very high, above 13.9']]
		: [['veryLow', 'Very low, below 54'], ['low', 'Low, 54 to 69'], ['inRange', 'In range, 70 to 180'], ['high', 'High, 181 to 250'], ['veryHigh', 'Very high, above 250']];
	const about = `${plural(glucose.count, 'value')}, which cover ${glucose.coverage} % of the last ${glucose.days} days.`;
	return [h('h3', `Statistics of ${glucose.days} days`), h('p.soft', about, shares ? ' Each value counts for the time that it covers, which the means above do not regard.' : ''),
		shares ? h('dl.facts.tiles', facts([
			...ranges.map(([name, label]) => [`${label} ${unit}`, `${shares[name] ?? 0} % of the time`]),
			[`Mean of all ${glucose.days} days`, `${meanIn(unit, glucose.mean)} ${unit}`], ['Glucose management indicator (GMI)', `${glucose.gmi} %`], ['Coefficient of variation', `${glucose.coefficientOfVariation} %`],
		])) : h('p', shown(glucose.reason))];
}
