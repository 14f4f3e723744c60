// A person: the state with plots, and the same as a report for paper.
import { at, button, facts, fold, h, icon, known, plain, shown } from '../shared/dom.js';
import { get } from '../shared/api.js';
import { byHour, timeline } from './chart.js';
import { notes, seen, waiting } from './edit.js';
import { number, parts, t } from './language.js';
import { birthDate, brief, cards, dated, differenceIn, fixedUnit, initials, kindName, kindOf, levelIcon, mainQuantity, meanIn, measured, moment, pill, plotted, quantitiesOf, quantityName, readingText, setZone, since, stateOf, test, zoneName, zoneNote } from './format.js';

const days = 90;

const points = (list, kind, name, unit) => list.filter((one) => one.counted && one.kind === kind && one.values[name]?.unit === unit && known(one.values[name].value)).map((one) => [Date.parse(one.time), one.values[name].value]);
const unitsOf = (list, kind, name) => [...new Set(list.filter((one) => one.counted && one.kind === kind).map((one) => one.values[name]?.unit).filter(known))];
/** The unit of the latest reading of a kind, in which its means are shown. */
const unitOf = (state, kind) => state.latest.find((one) => one.kind === kind)?.values[mainQuantity(kind)]?.unit ?? state.summaries[kind]?.unit ?? '';

/** The limits of the ranges of blood pressure by which this person is judged. */
function pressureLimits(rules, person, unit) {
	const own = rules.filter((rule) => rule.kind === 'bloodPressure' && rule.groups.includes(person?.pregnant ? 'pregnant' : 'adult') && (rule.guideline ?? person?.guideline) === person?.guideline && (rule.setting ?? person?.setting) === person?.setting);
	return own.flatMap((rule) => ['systolic', 'diastolic'].map((name, line) => {
		const { min, above } = rule.bounds[name]?.[unit] ?? {};
		return { value: min ?? above, text: known(min) ? number(min) : `> ${number(above)}`, line, name: rule.range };
	})).filter((one) => typeof one.value === 'number');
}

/** The limits of the range of a kind that is judged as normal. */
function targetRange(rules, kind, name, unit) {
	const { min, max } = rules.find((rule) => rule.kind === kind && rule.interpretation === 'N')?.bounds[name]?.[unit] ?? {};
	return [min, max].filter(known).map((value) => ({ value, text: number(value, unit === 'mmol/L' ? 1 : undefined) }));
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
		return answer?.next ? h('p.soft', t('state.cut', { some: t('count.readings', { count: answer.readings.length }), all: answer.total, days }), ' ', h('a.noprint', { href: at('people', id, 'readings') }, t('state.allReadings'))) : null;
	};
	const folded = (title, parts) => isReport || !parts.length ? parts : [fold('', title, parts.slice(1))];
	content.classList.toggle('paper', isReport);
	content.append(...isReport ? reportHead(state, person) : [...pageHead(state, id, person, mayEdit), verdict(state)], ...notices(state, mayEdit && !isReport, again), ...waiting(state, everyone, mayEdit && !isReport, again));
	if (!state.latest.length) content.append(h('p', t('state.none'), ' ', h('a', { href: '/devices' }, t('state.assign')), mayEdit ? [' ', h('a', { href: at('people', id, 'edit') }, t('state.typeIn'))] : null));
	// The trend of the blood pressure belongs to the verdict.
	const trends = plotted().map(([kind, names, form]) => {
		const units = unitsOf(list, kind, names[0]), title = kindName(kind), isPressure = kind === 'bloodPressure';
		const plot = form === 'hours'
			? (unit) => byHour(title, unit, points(list, kind, names[0], unit), targetRange(allRules, kind, names[0], unit))
			: (unit) => timeline(title, unit, names.map((name) => [quantityName(name), points(list, kind, name, unit)]), isPressure ? pressureLimits(allRules, person, unit) : [], state.targets.filter((one) => names.includes(one.quantity) && one.unit === unit));
		return section(title, [isPressure ? pressure(state) : null, ...units.map(plot), cut(kind), ...isPressure ? folded(t('hours.title'), timesOfDay(state)) : [], ...kind === 'continuousGlucose' ? statistics(state) : []]);
	});
	const first = plotted().findIndex(([kind]) => kind === 'bloodPressure'), before = isReport ? [] : trends.splice(first, 1);
	content.append(...before.flat(), ...latest(state, isReport), ...trends.flat(), ...folded(t('state.targets'), targets(state)), ...folded(t('state.means'), means(state)), ...[written].flat(Infinity).filter(Boolean), h('p.soft', shown(state.disclaimer)));
	return t(isReport ? 'report.title' : 'state.title', { name: plain(state.name) });
}

/** A part of the page with its heading, unless it is empty. */
function section(title, parts) {
	const own = parts.filter(Boolean);
	return own.length ? [h('h2', title), ...own] : [];
}

const pageHead = (state, id, person, mayEdit) => [
	h('.person', h('span.mark', { 'aria-hidden': 'true' }, initials(state.name)), h('.grow', h('h1', shown(state.name)), h('p.soft', person ? [t('state.born', { date: birthDate(person.born) }), ' '] : null, zoneNote())),
		mayEdit ? h('a.button.noprint', { href: at('people', id, 'edit') }, t('list.change')) : null, h('a.button.noprint', { href: at('people', id, 'readings') }, icon('log'), t('list.readings')), h('a.button.main.noprint', { href: at('people', id, 'report') }, icon('save'), t('state.report'))),
	measured(state).some((one) => one.simulated) ? h('p.note', t('state.simulated')) : null,
].filter(Boolean);

/** The answer first: the worst state on the page, why, and the number it is about. */
function verdict(state) {
	const { level, notice, reasons, isOpen } = stateOf(state), mean = state.summaries.bloodPressure?.mean;
	const about = notice ? null : mean ? [mean, t('state.week')] : null;
	return h(`section.verdict.${level}`, { aria: t('people.state') }, h('span.disc', levelIcon(level)),
		h('.grow', h('h2', t(notice ? 'verdict.act' : isOpen ? 'verdict.open' : `verdict.${level}`)), h('p', notice ? shown(brief(notice)) : reasons.map((one) => h('div', shown(one))))),
		about ? h('.number', h('b', about[0]), h('span.soft', about[1])) : null);
}

function reportHead(state, person) {
	const guidelines = { esc: 'ESC 2024', 'acc-aha': 'AHA/ACC 2025' };
	return [h('h1', parts('report.title', { name: shown(state.name) })), h('.bar.noprint', h('a', { href: at('people', state.person) }, t('people.state')), button(t('report.print'), h('div'), async () => print(), t('report.report'))),
		h('dl.facts.tiles', facts([
			[t('report.of'), moment(Date.now())], [t('report.zone'), zoneName()], [t('edit.born'), person && h('time', { datetime: person.born }, birthDate(person.born))],
			[t('report.guideline'), person && (guidelines[person.guideline] ?? person.guideline)], [t('report.setting'), person && t(`setting.${person.setting}`)],
			[t('report.height'), person?.height ? `${number(person.height)} m` : null], [t('report.pregnant'), person?.pregnant ? t('edit.yes') : null],
		]))];
}

function notices(state, mayEdit, again) {
	return [
		...state.notices.map((notice) => h(notice.urgent ? '.notice.urgent' : '.notice', { role: notice.urgent ? 'alert' : 'note' }, notice.urgent ? `${t('state.urgent')} ` : null, shown(notice.sentence), notice.time ? h('.when', parts('state.measured', { time: dated(notice.time) })) : null, h('.soft', shown(notice.source)), seen(state, notice, mayEdit, again))),
		...state.overdue.map((late) => h('.notice', t('state.overdue', { kind: kindName(late.kind), count: late.everyDays }), ' ', late.last ? dated(late.last) : t('shared.never'))),
	];
}

// The value of a reading in two parts: the number is large.
const value = (one) => { const text = readingText(one, true), [, number, unit] = /^([\d.,/]+) ([^ ,]+)$/.exec(typeof text === 'string' ? text : text?.textContent ?? '') ?? []; return number ? h('.value', h('b', number), ' ', unit) : h('.value.long', text); };
const kindIcons = { bloodPressure: 'gauge', weight: 'scale', bodyComposition: 'scale', temperature: 'thermo', oxygenSaturation: 'finger', heartRate: 'heart', glucose: 'drop', continuousGlucose: 'drop' };

function latest(state, isReport) {
	return section(t('state.latest'), measured(state).length ? [h('ul.measures', measured(state).map((one) => h('li.card.pad', h('.soft', icon(kindIcons[one.kind] ?? 'chart'), ' ', kindOf(one)), value(one), pill(one.judgement),
		h('.small', isReport ? dated(one.time) : since(one.time), isReport ? test(one.simulated) : null), h('.small.soft', shown(one.judgement.sentence ?? one.judgement.reason)))))] : []);
}

const targets = (state) => section(t('state.targets'), state.targets.length ? [cards(t('state.targets'), [t('targets.target'), t('targets.value'), t('targets.outcome')], state.targets.map((one) => [shown(one.text), known(one.value) ? `${number(one.value)} ${one.unit ?? ''}` : '–', t(one.outcome ? `targets.${one.outcome}` : 'targets.none')]))] : []);

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
		lines.push(`${lines.length ? `${quantityName(name)} ` : ''}${meanIn(own, period.mean[name])}\u00a0${own}${count < period.count ? ` ${t('means.of', { count })}` : ''}`);
	}
	return lines.map((one) => h('div', one));
}

function means(state) {
	const kinds = state.latest.map((one) => one.kind).filter((kind) => state.summaries[kind]);
	const rows = kinds.flatMap((kind) => periods(state.summaries[kind]).map((period) => {
		const unit = unitOf(state, kind), name = kind === 'bloodPressure' ? `${quantityName('systolic')} ` : '';
		return [kindName(kind), t('count.days', { count: period.days }), t('means.on', { readings: t('count.readings', { count: period.count }), dates: t('count.dates', { count: period.daysWithReadings }) }), meanLines(kind, period, unit),
			known(period.change) ? name + differenceIn(unit, period.change) : '–', known(period.trendPerDay) ? name + differenceIn(unit, period.trendPerDay * 7) : '–'];
	}));
	if (!rows.length) return state.latest.some((one) => state.summaries[one.kind]) ? section(t('state.means'), [h('p', t('means.none'))]) : [];
	return section(t('state.means'), [cards(t('state.means'), [t('list.kind'), t('means.period'), t('list.readings'), t('means.mean'), t('means.change'), t('means.trend')], rows),
		h('p.soft', t('means.note'))]);
}

function pressure(state) {
	const verdict = state.summaries.bloodPressure?.verdict;
	return verdict ? h('p', verdict.code ? h('b', shown(verdict.sentence)) : shown(verdict.reason)) : null;
}

function timesOfDay(state) {
	const { byTimeOfDay = {} } = state.summaries.bloodPressure ?? {}, unit = unitOf(state, 'bloodPressure');
	const hours = ['morning', 'afternoon', 'evening', 'night'];
	const rows = hours.filter((name) => byTimeOfDay[name]).map((name) => [t(`hours.${name}`), byTimeOfDay[name].count, pressureIn(unit, byTimeOfDay[name].mean)]);
	return rows.length ? [h('h3', t('hours.title')), cards(t('hours.title'), [t('hours.time'), t('list.readings'), t('hours.mean')], rows)] : [];
}

/** The statistics of continuous glucose monitoring, from very low to very high. */
function statistics(state) {
	const glucose = state.continuousGlucose;
	if (!glucose) return [];
	const unit = unitOf(state, 'continuousGlucose'), shares = glucose.timeInRanges;
	const ranges = unit === 'mmol/L'
		? [['veryLow', 3.0], ['low', 3.0, 3.8], ['inRange', 3.9, 10.0], ['high', 10.1, 13.9], ['veryHigh', 13.9]] : [['veryLow', 54], ['low', 54, 69], ['inRange', 70, 180], ['high', 181, 250], ['veryHigh', 250]];
	const about = t('glucose.about', { values: t('count.values', { count: glucose.count }), coverage: number(glucose.coverage), days: glucose.days }), border = (value) => number(value, unit === 'mmol/L' ? 1 : 0);
	return [h('h3', t('glucose.title', { days: glucose.days })), h('p.soft', about, shares ? ` ${t('glucose.shares')}` : ''),
		shares ? h('dl.facts.tiles', facts([
			...ranges.map(([name, from, to]) => [t(`glucose.${name}`, { from: border(from), to: known(to) ? border(to) : '', unit }), t('glucose.share', { share: number(shares[name] ?? 0) })]),
			[t('glucose.mean', { days: glucose.days }), `${meanIn(unit, glucose.mean)} ${unit}`], [t('glucose.gmi'), `${number(glucose.gmi)} %`], [t('glucose.variation'), `${number(glucose.coefficientOfVariation)} %`],
		])) : h('p', shown(glucose.reason))];
}
