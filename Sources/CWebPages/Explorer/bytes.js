// Bytes in the formats that a person types and reads.
import { plain, spaced } from '../shared/dom.js';

export const hex = (list) => [...list].map((one) => one.toString(16).toUpperCase().padStart(2, '0')).join('');
export const octets = (text) => Uint8Array.from(text.match(/../g) ?? [], (one) => parseInt(one, 16));

/** Types of numbers: as `harald write` names them, and in words. */
export const numbers = [8, 16, 24, 32, 48, 64].flatMap((size) => ['u', 'i'].flatMap((sign) => ['', ...size > 8 ? ['be'] : []].map((end) => [`${sign}${size}${end}`, `${size} bit, ${sign === 'u' ? 'unsigned' : 'signed'}${size > 8 ? end ? ', big-endian' : ', little-endian' : ''}`]))).concat([['f32', '32 bit float'], ['f64', '64 bit float'], ['f32be', '32 bit float, big-endian'], ['f64be', '64 bit float, big-endian']]);
const typed = /^([uif])(8|16|24|32|48|64)(be)?$/;

/** The octets of a number, or null if it does not fit. */
function octetsOf(type, word) {
	const [, sign, bits, end] = typed.exec(type), size = bits / 8, isBig = !!end;
	const text = word.replace('−', '-');
	let list;
	if (sign === 'f') {
		const value = Number(text), view = new DataView(new ArrayBuffer(size));
		if (size < 4 || size === 6 || !text || !Number.isFinite(value)) return null;
		view[`setFloat${bits}`](0, value, true);
		list = [...new Uint8Array(view.buffer)];
	} else {
		if (!/^-?(\d+|0x[0-9a-f]+)$/i.test(text)) return null;
		const value = text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text), range = 1n << BigInt(bits);
		if (sign === 'u' ? value < 0n || value >= range : value < -range / 2n || value >= range / 2n) return null;
		list = Array.from({ length: size }, (_, i) => Number(BigInt.asUintN(Number(bits), value) >> BigInt(8 * i) & 255n));
	}
	return isBig ? list.reverse() : list;
}

/** A word of `harald write`: AA BB, 0xAABB, u16:500, hex:AABB. */
function wordOctets(word) {
	const [, type, rest] = /^(\w+):(.*)$/.exec(word) ?? [];
	if (type && typed.test(type.toLowerCase())) {
		const list = octetsOf(type.toLowerCase(), rest);
		return list ?? { error: `${rest || 'Nothing'} is not a number that fits in ${type}.` };
	}
	const digits = (type?.toLowerCase() === 'hex' ? rest : word).replace(/^0x/i, '').replace(/[:-]/g, '');
	return /^([0-9A-F]{2})+$/i.test(digits) ? [...octets(digits)] : { error: 'Each byte must have two hexadecimal digits; or write u16:500, text:hello.' };
}

/** What is sent: its bytes in hex, or an error in words. `mode` is hex, text, number or bits. */
export function encode(mode, text, type = 'u8') {
	if (mode === 'text') return { hex: hex(new TextEncoder().encode(text)) };
	if (mode === 'bits') { const bits = text.replace(/\s/g, ''); return /^([01]{8})*$/.test(bits) ? { hex: hex((bits.match(/.{8}/g) ?? []).map((one) => parseInt(one, 2))) } : { error: 'Each byte has eight bits, 0 or 1.' }; }
	if (mode === 'hex' && /^text:/i.test(text)) return { hex: hex(new TextEncoder().encode(text.slice(5))) };
	const list = [];
	for (const word of text.trim().split(mode === 'hex' ? /\s+/ : /[\s,]+/).filter(Boolean)) {
		const some = mode === 'hex' ? wordOctets(word) : octetsOf(type, word) ?? { error: `${word} is not a number of the type ${type}.` };
		if (some.error) return some;
		list.push(...some);
	}
	return mode === 'number' && !list.length ? { error: 'Type a number.' } : { hex: hex(list) };
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
