// A value in words, and its number as large as it deserves.
import { h, shown } from '../shared/dom.js';
import { remembered, shownAs } from './bytes.js';

const pretty = { percent: '%' };
export const unitOf = (part) => pretty[part.unit] ?? part.unit ?? '';
export const isNumber = (part) => typeof part.number === 'number';

/** The parts of a value: those that the server decoded, else its text or bytes in the format chosen for the UUID. */
export function partsOf(value, uuid) {
	const format = remembered('format', uuid);
	if (format) { const text = shownAs(format, value.hex ?? ''); if (text !== null) return [{ name: '', text: text || 'empty', raw: format === 'hex' || format === 'bits', ...numeric(format, text) }]; }
	if (value.parts?.length) return value.parts;
	if (value.text) return [{ name: '', text: value.text }];
	return null;
}
const numeric = (format, text) => /^[uif]\d/.test(format) && text.trim() && Number.isFinite(Number(text)) ? { number: Number(text) } : {};

export function big(part, size) {
	const long = part.text.length > 14;
	return h(`span.big.${long ? 'long' : size}`, part.raw ? h('span.mono', part.text) : shown(isNumber(part) ? part.text.replace('-', '−') : part.text), unitOf(part) ? h('span.unit', unitOf(part)) : null);
}

/** The view of a value; `isLive` makes its number large. */
export function valueView(parts, isLive) {
	const index = Math.max(0, parts.findIndex(isNumber)), main = parts[index], others = parts.filter((_, i) => i !== index);
	const size = isLive && isNumber(main) ? 'huge' : 'mid';
	return h('.parts', parts.length > 1 ? h('div', h('span.label', main.name), big(main, size)) : big(main, size),
		others.map((one) => h('div', h('span.label', one.name), h('b', shown(isNumber(one) ? one.text.replace('-', '−') : one.text), unitOf(one) ? ` ${unitOf(one)}` : ''))));
}

export const valueLine = (parts) => parts.map((one) => [parts.length > 1 ? one.name : '', one.text, unitOf(one)].filter(Boolean).join(' ')).join(', ');
