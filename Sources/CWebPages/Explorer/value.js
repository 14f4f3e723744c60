// A value in words, and its number as large as it deserves.
import { h, shown } from '../shared/dom.js';
import { remembered, shownAs } from './bytes.js';

// Digits after the point. All of them are in the copied value, the recent values and the CSV.
const digits = { g: 2, ms: 0, '°C': 1, '%': 1, hPa: 1, 'µT': 1, '°/s': 1, lx: 0 };
// Sensors whose values are seldom whole; a battery's are.
const fine = ['g', '°C', 'µT', '°/s'];
export const isNumber = (part) => typeof part.number === 'number';
export function usual({ unit = '', ...part }) {
	if (unit !== 'Pa' || !isNumber(part)) return { ...part, unit: unit === 'percent' ? '%' : unit };
	return { ...part, unit: 'hPa', number: part.number / 100, text: String(part.number / 100) };
}
export const minus = (value) => String(value).replace('-', '−');
export const dBm = (rssi) => `${minus(rssi ?? '–')} dBm`;
/** The text as it is shown: a quantity with the digits that a person reads, a string without its quotes. */
export function neat({ text, unit }, isSteady = true) {
	if (!unit) return text.replace(/^"(.*)"$/s, '$1');
	const count = digits[unit] ?? 2, pattern = fine.includes(unit) && isSteady ? /-?\d+(\.\d+)?/g : /-?\d+\.\d+/g;
	const isTiny = (value) => value && !(unit in digits) && Math.abs(value) < 10 ** -count;
	return text.replace(pattern, (one) => {
		const value = Number(one), near = isTiny(value) ? value.toPrecision(1) : value.toFixed(count);
		return minus(isSteady ? near : Number(near));
	}).replace(/^-/, '−').replace(/(\d) (?=[−\d])/g, '$1, ');
}
export const phrase = (part) => `${neat(part, false)} ${part.unit}`.trim();
export const upper = (name) =>
	name.length > 2 ? name[0].toUpperCase() + name.slice(1).replace(/^r (?=interval)/, 'R ') : name;

/** The parts of a value: in the format chosen for the UUID, else those that the server decoded, else its text. */
export function partsOf(value, uuid) {
	const format = remembered('format', uuid), one = { name: '', unit: '' };
	const text = format ? shownAs(format, value.hex ?? '') : null;
	if (text !== null) {
		const isOne = /^[uif]\d/.test(format) && text.trim() && Number.isFinite(Number(text));
		const number = isOne ? { number: Number(text) } : {};
		return [{ ...one, text: text || 'empty', raw: format === 'hex' || format === 'bits', ...number }];
	}
	if (value.parts?.length) return value.parts.map(usual);
	// One or two bytes that happen to be letters are no text.
	return value.text?.length > 2 ? [{ ...one, text: value.text }] : null;
}

export function big(part, size) {
	const text = neat(part), unit = part.unit ? h('span.unit', part.unit) : null;
	return h(`span.big.${text.length > 14 ? 'long' : size}`, part.raw ? h('span.mono', text) : shown(text), unit);
}

/** A value whose quantity, else its first part, is large, very large if `isLive`. Numbers of its unit are equal. */
export function valueView(parts, isLive) {
	const main = parts.find((one) => isNumber(one) && one.unit) ?? parts[0];
	const isEqual = (one) => one === main || main.unit && one.unit === main.unit && isNumber(one);
	const size = isLive && isNumber(main) && parts.filter(isEqual).length < 2 ? 'huge' : 'mid';
	return h('.parts', parts.toSorted((a, b) => isEqual(b) - isEqual(a)).map((one) => h('div',
		parts.length > 1 ? h('span.label', upper(one.name)) : null,
		isEqual(one) ? big(one, size) : h('b', shown(neat(one)), ' ', one.unit))));
}

/** All digits of a value, for the clipboard and tables. */
export const valueLine = (parts) => parts.map((one) =>
	[parts.length > 1 ? one.name : '', one.text, one.unit].filter(Boolean).join(' ')).join(', ');
