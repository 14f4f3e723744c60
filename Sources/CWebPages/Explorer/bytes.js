// Bytes in the formats that a person types and reads.
import { plain, spaced } from '../shared/dom.js';

const octets = (text) => Uint8Array.from(text.match(/../g) ?? [], (one) => parseInt(one, 16));

/** Types of numbers: as `harald write` names them, and in words. */
export const numbers = [8, 16, 24, 32, 48, 64].flatMap((size) => ['u', 'i'].flatMap((sign) => ['', ...size > 8 ? ['be'] : []].map((end) => [`${sign}${size}${end}`, `${size} bit, ${sign === 'u' ? 'unsigned' : 'signed'}${size > 8 ? end ? ', big-endian' : ', little-endian' : ''}`]))).concat([['f32', '32 bit float'], ['f64', '64 bit float'], ['f32be', '32 bit float, big-endian'], ['f64be', '64 bit float, big-endian']]);
const typed = /^([uif])(8|16|24|32|48|64)(be)?$/;

/** What was typed, in the forms of `harald write`. `mode` is hex, text, number or bits. */
export function written(mode, text, type) {
	if (mode === 'text') return 'text:' + text;
	if (mode === 'number') return text.trim().split(/[\s,]+/).filter(Boolean).map((one) => `${type}:${one.replace('−', '-')}`).join(' ');
	if (mode === 'bits') return text.replace(/\s/g, '').replace(/[01]{8}/g, (one) => parseInt(one, 2).toString(16).padStart(2, '0'));
	return text;
}

export const formats = [['', 'automatic'], ['hex', 'hex'], ['text', 'text (UTF-8)'], ['bits', 'bits'], ...numbers];

/** Bytes in a format; null if their length does not fit. */
export function shownAs(format, text) {
	const list = octets(text);
	if (format === 'hex') return spaced(text);
	if (format === 'text') return plain(new TextDecoder().decode(list));
	if (format === 'bits') return [...list].map((one) => one.toString(2).padStart(8, '0')).join(' ');
	const [, sign, bits, end] = typed.exec(format) ?? [], size = bits / 8;
	if (!size || !list.length || list.length % size) return null;
	return Array.from({ length: list.length / size }, (_, i) => {
		const some = [...list.slice(i * size, (i + 1) * size)];
		if (!end) some.reverse();
		if (sign === 'f') return String(Number(new DataView(Uint8Array.from(some).buffer)[`getFloat${bits}`](0).toPrecision(8)));
		const value = some.reduce((sum, one) => sum << 8n | BigInt(one), 0n);
		return String(sign === 'i' ? BigInt.asIntN(Number(bits), value) : value);
	}).join(' ');
}

/** A choice that is remembered for a UUID. */
export const remembered = (what, uuid) => { try { return JSON.parse(localStorage.getItem(`harald-${what}:${uuid}`)); } catch { return null; } };
export const remember = (what, uuid, value) => { if (value) localStorage.setItem(`harald-${what}:${uuid}`, JSON.stringify(value)); else localStorage.removeItem(`harald-${what}:${uuid}`); };
