// A value in words, and its number as large as it deserves.
import { h, shown } from '../shared/dom.js';
import { remembered, shownAs } from './bytes.js';

const symbols = { percent: '%' };
// Digits after the point. All of them are in the copied value, the recent values and the CSV.
const digits = { g: 2, ms: 0, '°C': 1, '%': 1, hPa: 1, 'µT': 1, '°/s': 1, lx: 0 };
export const isNumber = (part) => typeof part.number === 'number';
/** A part in the units that people use. */
export const usual = ({ unit = '', ...part }) => unit === 'Pa' && isNumber(part) ? { ...part, unit: 'hPa', number: part.number / 100, text: String(part.number / 100) } : { ...part, unit: symbols[unit] ?? unit };
export const minus = (value) => String(value).replace('-', '−');
/** The text as it is shown: a quantity with the digits that a person reads, a string without its quotes. */
export function neat({ text, unit }, isSteady = true) {
	if (!unit) return text.replace(/^"(.*)"$/s, '$1');
	const count = digits[unit] ?? 2;
	const round = (one) => { const value = Number(one), near = value && !(unit in digits) && Math.abs(value) < 10 ** -count ? value.toPrecision(1) : value.toFixed(count); return minus(isSteady ? near : Number(near)); };
	// Sensors whose values are seldom whole; a battery's are.
	return text.replace(['g', '°C', 'µT', '°/s'].includes(unit) && isSteady ? /-?\d+(\.\d+)?/g : /-?\d+\.\d+/g, round).replace(/^-/, '−').replace(/(\d) (?=[−\d])/g, '$1, ');
}
/** "21.4 °C" */
export const phrase = (part) => `${neat(part, false)} ${part.unit}`.trim();
/** A name as a title: "Heart rate". */
export const upper = (name) => name.length > 2 ? name[0].toUpperCase() + name.slice(1).replace(/^r (?=interval)/, 'R ') : name;

/** The parts of a value: those that the server decoded, else its text or bytes in the format chosen for the UUID. */
export function partsOf(value, uuid) {
	const format = remembered('format', uuid), one = { name: '', unit: '' };
	if (format) { const text = shownAs(format, value.hex ?? ''); if (text !== null) return [{ ...one, text: text || 'empty', raw: format === 'hex' || format === 'bits', ...numeric(format, text) }]; }
	if (value.parts?.length) return value.parts.map(usual);
	// One or two bytes that happen to be letters are no text.
	return value.text?.length > 2 ? [{ ...one, text: value.text }] : null;
}
const numeric = (format, text) => /^[uif]\d/.test(format) && text.trim() && Number.isFinite(Number(text)) ? { number: Number(text) } : {};

export function big(part, size) {
	const text = neat(part);
	return h(`span.big.${text.length > 14 ? 'long' : size}`, part.raw ? h('span.mono', text) : shown(text), part.unit ? h('span.unit', part.unit) : null);
}

/** The view of a value: its quantity, else its first part, is large, and very large if `isLive`. Numbers of one unit, such as axes, are equally large. */
export function valueView(parts, isLive) {
	const main = parts.find((one) => isNumber(one) && one.unit) ?? parts[0], isEqual = (one) => one === main || main.unit && one.unit === main.unit && isNumber(one), count = parts.filter(isEqual).length;
	return h('.parts', parts.toSorted((a, b) => isEqual(b) - isEqual(a)).map((one) => h('div', parts.length > 1 ? h('span.label', upper(one.name)) : null, isEqual(one) ? big(one, isLive && isNumber(main) && count < 2 ? 'huge' : 'mid') : h('b', shown(neat(one)), ' ', one.unit))));
}

/** All digits of a value, for the clipboard and tables. */
export const valueLine = (parts) => parts.map((one) => [parts.length > 1 ? one.name : '', one.text, one.unit].filter(Boolean).join(' ')).join(', ');
