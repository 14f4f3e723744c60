// Bytes in the formats that a person types and reads.
import { plain, spaced } from '../shared/dom.js';

const word = (sign) => ({ u: 'unsigned', i: 'signed', f: 'float' })[sign];
const order = (size, end) => size === 8 ? '' : end ? ', big-endian' : ', little-endian';
const number = (sign, size, end = '') => [`${sign}${size}${end}`, `${size} bit, ${word(sign)}${order(size, end)}`];
/** Types of numbers: as `harald write` names them, and in words. */
export const numbers = [
	...[8, 16, 24, 32, 48, 64].flatMap((size) => ['u', 'i'].flatMap((sign) =>
		size > 8 ? [number(sign, size), number(sign, size, 'be')] : [number(sign, size)])),
	...['', 'be'].flatMap((end) => [32, 64].map((size) => number('f', size, end))),
];
export const formats = [['', 'automatic'], ['hex'], ['text', 'text (UTF-8)'], ['bits'], ...numbers];

/** What was typed, in the forms of `harald write`. `mode` is hex, text, number or bits. */
export function written(mode, text, type) {
	if (mode === 'text') return 'text:' + text;
	if (mode === 'hex') return text;
	if (mode === 'bits') {
		return text.replace(/\s/g, '').replace(/[01]{8}/g, (one) => parseInt(one, 2).toString(16).padStart(2, '0'));
	}
	return (text.match(/[^\s,]+/g) ?? []).map((one) => `${type}:${one.replace('−', '-')}`).join(' ');
}

/** Bytes in a format; null if their length does not fit. */
export function shownAs(format, text) {
	const list = Uint8Array.from(text.match(/../g) ?? [], (one) => parseInt(one, 16));
	if (format === 'hex') return spaced(text);
	if (format === 'text') return plain(new TextDecoder().decode(list));
	if (format === 'bits') return [...list].map((one) => one.toString(2).padStart(8, '0')).join(' ');
	const [, sign, bits, end] = /^([uif])(\d+)(be)?$/.exec(format) ?? [], size = bits / 8;
	if (!size || !list.length || list.length % size) return null;
	return Array.from({ length: list.length / size }, (_, i) => {
		const some = list.slice(i * size, (i + 1) * size);
		if (!end) some.reverse();
		if (sign === 'f') return String(Number(new DataView(some.buffer)[`getFloat${bits}`](0).toPrecision(8)));
		const value = some.reduce((sum, one) => sum << 8n | BigInt(one), 0n);
		return String(sign === 'i' ? BigInt.asIntN(Number(bits), value) : value);
	}).join(' ');
}

/** A choice that is remembered for a UUID. */
const key = (what, uuid) => `harald-${what}:${uuid}`;
export function remembered(what, uuid) {
	try { return JSON.parse(localStorage.getItem(key(what, uuid))); } catch { return null; }
}
export const remember = (what, uuid, value) =>
	value ? localStorage.setItem(key(what, uuid), JSON.stringify(value)) : localStorage.removeItem(key(what, uuid));
