// Names, units and times, as all pages of the hub show them.
import { h, known, shown, time, words } from '../shared/dom.js';

const kinds = { bloodPressure: 'Blood pressure', glucose: 'Glucose', continuousGlucose: 'Continuous glucose', weight: 'Weight', bodyComposition: 'Body composition', temperature: 'Temperature', oxygenSaturation: 'Oxygen saturation', heartRate: 'Heart rate', other: 'Other' };
export const kindName = (kind) => kinds[kind] ?? words(kind);
/** The kind of a reading in words. */
export const kindOf = (reading) => reading.glucoseContext ? 'Glucose context' : kindName(reading.kind);

const quantities = { pulseRate: 'pulse', spO2: 'SpO2', bmi: 'BMI' };
export const quantityName = (name) => quantities[name] ?? words(name);

/** The quantity that decides the unit of a kind; trend and change are of this quantity. */
export const mainQuantity = { bloodPressure: 'systolic', glucose: 'glucose', continuousGlucose: 'glucose', weight: 'weight', bodyComposition: 'weight', temperature: 'temperature', oxygenSaturation: 'spO2', heartRate: 'heartRate' };

// Means are in mmHg, mg/dL, kg and °C. The factors are those of the hub.
const scales = { kPa: [1 / 7.500617, 0], 'mmol/L': [1 / 18.016, 0], lb: [1 / 0.45359237, 0], '°F': [1.8, 32] };
const decimals = { mmHg: 0, 'mg/dL': 0, bpm: 0 };
// The conversion leaves a difference in the last binary digits: 1.2499999999 is rounded as 1.25.
const rounded = (value, digits) => Math.round(value * 10 ** digits + Math.sign(value) * 1e-9) / 10 ** digits;

/** A mean in a unit, without the unit, with the digits that are usual in it. */
export function meanIn(unit, value) {
	const [factor, offset] = scales[unit] ?? [1, 0], digits = decimals[unit] ?? 1;
	return rounded(value * factor + offset, digits).toFixed(digits);
}

/** A difference with its sign and unit, which stay on one line: one more digit than a mean. */
export function differenceIn(unit, value) {
	const number = rounded(value * (scales[unit]?.[0] ?? 1), (decimals[unit] ?? 1) + 1);
	return `${number > 0 ? '+' : number < 0 ? '−' : ''}${Math.abs(number)}\u00a0${unit}`;
}

/** The main quantities of a reading in one line. Of a body composition the fat is the news, not the weight. */
export function readingText(reading) {
	const { bodyFat, weight } = reading.values, main = reading.values[mainQuantity[reading.kind]];
	if (main && !known(main.value)) return `no value (${main.special})`;
	if (reading.kind !== 'bodyComposition' || !bodyFat || !weight) return shown(reading.text);
	return [shown(reading.text), `, body fat ${bodyFat.value ?? bodyFat.special} ${bodyFat.unit}`];
}

export const test = (isSimulated) => isSimulated ? [' ', h('span.test', { title: 'The device is simulated.' }, 'HTEST')] : null;
export const judged = (one) => one.code ? h(one.urgent ? 'b.bad' : one.interpretation === 'N' ? 'span.good' : 'span.warn', words(one.code.replaceAll('-', ' '))) : h('span.soft', { title: one.reason }, 'not assessed');
export const plural = (count, noun, nouns = `${noun}s`) => `${count.toLocaleString()} ${count === 1 ? noun : nouns}`;
/** The name of a device, or what else distinguishes it. */
export const deviceName = (one) => one.name ?? one.serial ?? one.address ?? one.identifier ?? one.systemID ?? `device ${one.id}`;

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
export const zoneNote = () => `Dates and times are in the time zone ${zone}.`;

function format(options, locale) {
	const key = JSON.stringify(options);
	if (!formats.has(key)) formats.set(key, new Intl.DateTimeFormat(locale, { ...options, timeZone: zone }));
	return formats.get(key);
}
/** A date with the time. */
export const moment = (value) => format({ dateStyle: 'medium', timeStyle: 'short' }).format(new Date(value));
/** A date of birth, which has no time zone. */
export const birthDate = (text) => new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date(`${text}T00:00:00Z`));
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
export const cards = (label, heads, rows) => h('.scroll', { tabindex: 0, role: 'region', aria: label }, h('table.cards', h('thead', h('tr', heads.map((one) => h('th', { scope: 'col' }, one)))), h('tbody', rows.map((cells) => h('tr', cells.map((one, i) => h('td', { 'data-head': heads[i] }, h('.cell', known(one) ? one : ''))))))));
