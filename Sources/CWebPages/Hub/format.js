// Names, units and times, as all pages of the hub show them.
import { h, icon, known, plain, shown, time } from '../shared/dom.js';
import { known as text, locale, number, t } from './language.js';

const words = (name) => name.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/_/g, ' ').toLowerCase();

// The hub's table of kinds, quantities and units.
let kinds = new Map(), quantities = new Map(), units = new Map();
/** Sets the table that the hub answers, before a page is made. */
export function setKinds(table) {
	const byName = (list, key) => new Map(list.map((one) => [one[key], one]));
	kinds = byName(table.kinds, 'name');
	quantities = byName(table.quantities, 'name');
	units = byName(table.units, 'symbol');
}
export const kindName = (kind) => kinds.get(kind)?.title ?? words(kind);
/** The kind of a reading in words. */
export const kindOf = (reading) => reading.glucoseContext ? t('reading.context') : kindName(reading.kind);
export const quantityName = (name) => quantities.get(name)?.label ?? words(name);
/** The quantity that decides the unit of a kind; trend and change are of this quantity. */
export const mainQuantity = (kind) => kinds.get(kind)?.quantities[0];
/** The quantities of a kind that have means. */
export const quantitiesOf = (kind) => kinds.get(kind)?.quantities ?? [];
/** The only unit of a quantity; none if it has several. */
export const fixedUnit = (name) => quantities.get(name)?.units.length === 1 ? quantities.get(name).units[0] : undefined;
export const allKinds = () => [...kinds.values()];
export const unitsOf = (name) => quantities.get(name)?.units ?? [];
/** The kinds with a plot: name, quantities and form. */
export const plotted = () => [...kinds.values()].filter((one) => one.plot).map((one) => [one.name, one.plot.quantities, one.plot.form]);

// Means are in the units of the statistics: mmHg, mg/dL, kg and °C.
const conversion = (unit) => units.get(unit) ?? { factor: 1, zero: 0, decimals: 1 };
// The conversion leaves a difference in the last binary digits: 1.2499999999 is rounded as 1.25.
const rounded = (value, digits) => Math.round(value * 10 ** digits + Math.sign(value) * 1e-9) / 10 ** digits;

/** A mean in a unit, without the unit, with the digits that are usual in it. */
export function meanIn(unit, value) {
	const { factor, zero, decimals } = conversion(unit);
	return number(rounded(value * factor + zero, decimals), decimals);
}

/** A difference with its sign and unit, which stay on one line: one more digit than a mean. */
export function differenceIn(unit, value) {
	const { factor, decimals } = conversion(unit), difference = rounded(value * factor, decimals + 1);
	return `${difference > 0 ? '+' : difference < 0 ? '−' : ''}${number(Math.abs(difference))}\u00a0${unit}`;
}

/** A text without zeros at the end of its decimals. */
const trimmed = (text) => text.replace(/([.,])(\d*?)0+(?!\d)/g, (_, sign, digits) => digits ? sign + digits : '');
/** The main quantities of a reading in one line, in a list of readings with all their digits. Of a body composition the
    fat is the news, not the weight. */
export function readingText(reading, isBrief = false) {
	const { bodyFat, weight } = reading.values, main = reading.values[mainQuantity(reading.kind)], own = shown(isBrief ? trimmed(reading.text) : reading.text);
	if (main && !known(main.value)) return t('reading.special', { special: main.special });
	if (reading.kind !== 'bodyComposition' || !bodyFat || !weight) return own;
	return [own, `, ${quantityName('bodyFat')} ${number(bodyFat.value ?? bodyFat.special)} ${bodyFat.unit}`];
}

export const test = (isSimulated) => isSimulated ? [' ', h('span.test', { title: t('reading.simulatedDevice') }, t('reading.simulated'))] : null;

// The states of a person and of a reading, from the worst, with their icons.
const levels = { act: 'stop', watch: 'warn', none: 'clock', good: 'check' };
export const levelNames = Object.keys(levels);
export const levelWord = (level) => t(`level.${level}`);
export const levelIcon = (level, size) => icon(levels[level], size);
const levelOf = (judgement) => !judgement.code ? null : judgement.urgent ? 'act' : judgement.interpretation === 'N' ? 'good' : 'watch';
/** The range of a judgement in a word or two. */
const codeWord = (code) => text(`code.${code}`, words(code.replaceAll('-', ' ')));
/** The state of a reading as a chip with its icon. */
export function pill(judgement) {
	const level = levelOf(judgement);
	return level ? h(`span.chip.${level}`, levelIcon(level, 's'), codeWord(judgement.code)) : h('span.chip', { title: judgement.reason }, t('reading.notAssessed'));
}
/** The readings that a person has; a context of a glucose measurement is none. */
export const measured = (state) => state.latest.filter((one) => !one.glucoseContext);
/** What a notice is about, without what to do. */
export const brief = (notice) => plain(notice.sentence).split('. ')[0];
/** The worst state of a person, and why: a worse reason hides no other one, such as what is overdue. */
export function stateOf(state) {
	const urgent = state.notices.find((one) => one.urgent && !one.acknowledged) ?? null, verdict = state.summaries.bloodPressure?.verdict;
	// The mean of a week stands for its readings.
	const high = measured(state).map((one) => [one.kind, one.kind === 'bloodPressure' && verdict?.code ? verdict : one.judgement]).filter(([, one]) => levelOf(one) === 'watch');
	const outside = [...state.notices.filter((one) => one !== urgent).map(brief), ...state.waiting.map((one) => t('people.waits', { text: plain(one.text) })), ...high.map(([kind, one]) => `${kindName(kind)}: ${codeWord(one.code)}`)];
	const reasons = [...outside, ...state.overdue.map((one) => t('people.overdue', { kind: kindName(one.kind) }))];
	if (urgent) return { level: 'act', notice: urgent, reasons };
	// Nothing but a decision is missing.
	if (outside.length) return { level: 'watch', reasons, isOpen: state.waiting.length === outside.length };
	if (reasons.length) return { level: 'none', reasons };
	return measured(state).length ? { level: 'good', reasons: [t('people.fine')] } : { level: 'none', reasons: [t('people.nothing')] };
}
/** The signs of a name in its mark. */
export const initials = (name) => plain(name).split(/\s+/).filter((one) => /^\p{L}/u.test(one)).map((one) => [...one][0]).slice(0, 2).join('').toUpperCase() || '?';
/** The name of a device, or what else distinguishes it. */
export const deviceName = (one) => one.name ?? one.serial ?? one.address ?? one.identifier ?? one.systemID ?? t('devices.number', { id: one.id });

// Times. All are in the hub's zone, to which its days and times of day refer.
let zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
let formats = new Map();

/** Sets the hub's time zone; without one, or with one that the browser does not know, the browser's stays. */
export function setZone(name) {
	if (!name || name === zone) return;
	try { new Intl.DateTimeFormat(undefined, { timeZone: name }); } catch { return; }
	zone = name;
	formats = new Map();
}
export const zoneName = () => zone;
/** The sentence that names the zone, once on a page. */
export const zoneNote = () => t('page.zone', { zone });

function format(options, tag = locale) {
	const key = JSON.stringify(options);
	if (!formats.has(key)) formats.set(key, new Intl.DateTimeFormat(tag, { ...options, timeZone: zone }));
	return formats.get(key);
}
/** A date with the time. */
export const moment = (value) => format({ dateStyle: 'medium', timeStyle: 'short' }).format(new Date(value));
/** A date of birth, which has no time zone. */
export const birthDate = (text) => new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(`${text}T00:00:00Z`));
export const shortDate = (value) => format({ day: 'numeric', month: 'short' }).format(new Date(value));
export const month = (value) => format({ month: 'short', year: 'numeric' }).format(new Date(value));
export const period = (from, to) => format({ dateStyle: 'medium' }).formatRange(new Date(from), new Date(to));
/** An absolute time, and a relative one with the absolute one on hover. */
export const dated = (value) => h('time', { datetime: value }, moment(value));
export const since = (value) => time(value, zone);

/** The wall time of an instant in milliseconds, as if it were UTC. */
export function wall(value) {
	const parts = format({ hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric', second: 'numeric', numberingSystem: 'latn', calendar: 'gregory' }, 'en').formatToParts(value);
	const of = (type) => Number(parts.find((one) => one.type === type).value);
	return Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'));
}
/** The instant of a wall time. */
export function instant(wallTime) {
	const guess = wallTime - (wall(wallTime) - wallTime);
	return wallTime - (wall(guess) - guess);
}

/** A table that is a list of cards on a narrow screen, where each cell has the head of its column. `rows` are lists of
    cells. */
export const cards = (label, heads, rows) => h('.scroll.card', { tabindex: 0, role: 'region', aria: label }, h('table.cards', h('thead', h('tr', heads.map((one) => h('th', { scope: 'col' }, one)))), h('tbody', rows.map((cells) => h('tr', cells.map((one, i) => h('td', { 'data-head': heads[i] }, h('.cell', known(one) ? one : ''))))))));
