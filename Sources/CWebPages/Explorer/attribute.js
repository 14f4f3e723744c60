// A characteristic: its value, meaning first; reading, writing, subscribing; plots of its numbers.
import { act, at, button, bytes, checkbox, clock, copy, fill, flashing, h, plain, row, scroll, setText, shown, spaced, time, words } from '../shared/dom.js';
import { get, post } from '../shared/api.js';
import { Plot } from '../shared/plot.js';
import { store } from './store.js';

const types = ['bytes', 'text', 'u8', 'i8', 'u16', 'i16', 'u32', 'i32', 'f32'];
const setters = { u8: 'Uint8', i8: 'Int8', u16: 'Uint16', i16: 'Int16', u32: 'Uint32', i32: 'Int32', f32: 'Float32' };

/** What is sent: the value for the API and its bytes in hex, or an error in words. Numbers are least octet first. */
export function encode(type, text) {
	if (type === 'text') return { value: 'text:' + text, hex: hex(new TextEncoder().encode(text)) };
	if (type === 'bytes') {
		const digits = text.replace(/^0x/i, '').replace(/[\s:-]/g, '').toUpperCase();
		if (!/^([0-9A-F]{2})*$/.test(digits)) return { error: 'Each byte must have two hexadecimal digits: 0 to 9, A to F.' };
		return { value: digits && '0x' + digits, hex: digits };
	}
	const size = parseInt(type.slice(1), 10) / 8, list = text.trim().split(/[\s,]+/);
	const view = new DataView(new ArrayBuffer(size * list.length));
	for (const [i, word] of list.entries()) {
		view['set' + setters[type]](i * size, Number(word), true);
		if (!word || !Number.isFinite(Number(word)) || (type !== 'f32' && view['get' + setters[type]](i * size, true) !== Number(word))) return { error: `${word || 'Nothing'} is not a number of the type ${type}.` };
	}
	return { value: list.map((word) => `${type}:${Number(word)}`).join(' '), hex: hex(new Uint8Array(view.buffer)) };
}
const hex = (list) => [...list].map((one) => one.toString(16).toUpperCase().padStart(2, '0')).join('');

/** Fields of a decoded value: [name, content, unit]. Objects in them are their paths: acceleration x. */
export function fieldsOf(fields, prefix = '') {
	return Object.entries(fields ?? {}).flatMap(([key, one]) => {
		const name = prefix + key;
		if (one === null || typeof one !== 'object') return [[name, one, '']];
		if ('value' in one) return [[name, one.name ?? one.names?.join(', ') ?? one.special ?? one.value, one.unit ?? '']];
		return Array.isArray(one) ? [[name, one.map((each) => each?.value ?? each).join(', '), '']] : fieldsOf(one, name + ' ');
	});
}
export const isNumber = (value) => typeof value === 'number';

/** A value in words: its text, or its fields one after the other. */
function meaning({ problem, text, fields, value }) {
	if (problem) return null;
	if (text) return shown(text);
	const list = fieldsOf(fields).filter(([, one]) => one !== null);
	if (list.length) return h('span', list.map(([name, one, unit], i) => [i ? ', ' : '', h('span.soft', words(name), ' '), shown(one), unit ? ' ' + unit : '']));
	return typeof value === 'number' || typeof value === 'string' ? shown(value) : null;
}

export class Attribute {
	constructor(device, characteristic) {
		const { uuid, handle, properties = [], descriptors = [] } = characteristic;
		const name = characteristic.name ?? uuid, label = plain(name);
		const can = (...list) => list.some((one) => properties.includes(one));
		this.path = at('devices', device, 'attributes', handle);
		this.plots = new Map();
		this.value = h('.value');
		this.bytes = h('.bytes');
		this.place = h('div');
		this.plotPlace = h('.plots');
		this.own = !!characteristic.own;
		this.subscribe = can('notify', 'indicate') ? button('Subscribe', this.place, () => this.toggle(), label) : null;
		this.recent = h('tbody');
		this.element = h('section.attribute', { aria: label },
			h('.head', h('div', h('a', { href: at('devices', device, handle) + location.search }, shown(name)), ' ', h('span.bytes', `${characteristic.name ? uuid : ''} #${handle}`)),
				properties.map((one) => h('span.tag', one)), can('read') ? button('Read', this.place, async () => this.take(await post(this.path + '/read')), label) : null, this.subscribe),
			this.value, this.bytes, this.place, this.plotPlace,
			can('write', 'writeWithoutResponse', 'write-without-response') && !store.state?.readOnly ? this.writer(label, can) : null,
			descriptors.length ? h('details', h('summary', 'Descriptors'), descriptors.map((one) => this.descriptor(device, one))) : null,
			this.past = h('details', { hidden: !characteristic.hex, ontoggle: (event) => { this.isOpen = event.target.open; if (this.isOpen) this.load(); } }, h('summary', 'Recent values'), scroll(`Values of ${label}`, h('table', this.recent))));
		this.showSubscription();
		if (characteristic.hex) this.take({ ...characteristic, time: characteristic.updated });
		else fill(this.value, h('span.soft', can('read') ? 'not read yet' : this.subscribe ? 'subscribe to receive it' : 'write-only'));
	}

	choose() { this.element.classList.add('chosen'); this.element.scrollIntoView({ block: 'center' }); }

	showSubscription() {
		if (!this.subscribe) return;
		setText(this.subscribe, this.own ? 'Unsubscribe' : 'Subscribe');
		this.subscribe.setAttribute('aria-pressed', this.own);
		this.subscribe.removeAttribute('aria-label');
	}

	async toggle() {
		this.own = (await post(this.path + (this.own ? '/unsubscribe' : '/subscribe'))).subscribed;
		this.showSubscription();
	}

	/** Shows a value: of an event, or the answer to a read. */
	take(value, isLive = false) {
		const say = meaning(value), raw = spaced(value.hex);
		this.past.hidden = false;
		fill(this.value, say ?? (raw ? h('code', raw) : h('span.soft', 'empty')), value.problem ? h('.warn', shown(value.problem)) : null);
		if (isLive) flashing(this.value);
		if (!this.bytes.contains(document.activeElement)) fill(this.bytes, say ? raw + ' ' : '', say ? copy('value', () => say.textContent) : null, ' ', raw ? copy('bytes', () => raw) : null, ' ', value.time ? time(value.time) : null);
		const stamp = Date.parse(value.time) || Date.now();
		const list = fieldsOf(value.fields);
		for (const [name, content, unit] of list.length ? list : [['value', value.value, '']]) if (isNumber(content)) this.plot(name, unit, stamp, content, isLive);
		if (!isLive || !this.isOpen) return;
		this.recent.prepend(this.row(value));
		if (this.recent.rows.length > 100) this.recent.lastChild.remove();
	}

	/** A plot appears with the second value of a number. */
	plot(name, unit, stamp, number, isLive) {
		const one = this.plots.get(name) ?? { points: [] };
		this.plots.set(name, one);
		if (one.plot) { one.plot.push(0, stamp, number); return; }
		one.points.push([stamp, number]);
		if (!isLive || one.points.length < 2 || this.plots.size > 6) return;
		one.plot = new Plot({ title: words(name), label: `${words(name)} #${this.path.split('/').at(-1)}`, unit, gap: 15000 });
		this.plotPlace.append(one.plot.element);
		one.plot.add(name, one.points);
	}

	row(value) { return row(value.time ? clock(value.time) : '', value.cause ?? '', meaning(value) ?? '', bytes(value.hex)); }

	load() { return act(null, this.place, async () => fill(this.recent, (await get(this.path + '/values')).values.slice(-100).reverse().map((one) => this.row(one)))); }

	descriptor(device, one) {
		const value = h('span'), place = h('div');
		const show = (answer) => fill(value, answer.hex ? [meaning(answer) ?? '', ' ', bytes(answer.hex)] : h('span.soft', 'not read yet'));
		show(one);
		return h('.attribute', h('.head', h('div', shown(one.name ?? one.uuid), ` #${one.handle} `, value), button('Read', place, async () => show(await post(at('devices', device, 'attributes', one.handle) + '/read')), plain(one.name ?? one.uuid))), place);
	}

	/** Type, bytes as they will be sent, and the button say the same thing. */
	writer(label, can) {
		const place = h('div'), result = h('span.bytes', { 'aria-live': 'polite' });
		const before = [];
		let past = -1;
		const type = h('select', { aria: `Type of the value for ${label}`, onchange: () => preview() }, types.map((one) => h('option', one)));
		const input = h('input', { aria: `Value for ${label}`, size: 18, spellcheck: 'false', autocomplete: 'off', oninput: () => preview(), onkeydown: (event) => {
			if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
			past = Math.max(-1, Math.min(before.length - 1, past + (event.key === 'ArrowUp' ? 1 : -1)));
			[type.value, input.value] = before[past] ?? [type.value, ''];
			preview();
			event.preventDefault();
		} });
		const both = can('write') && can('writeWithoutResponse', 'write-without-response');
		const [response, responseLabel] = checkbox('with response', null, true);
		const send = h('button', { type: 'submit' });
		const preview = () => {
			const made = encode(type.value, input.value);
			const size = (made.hex ?? '').length / 2;
			send.disabled = !!made.error;
			setText(send, `Write ${size} ${size === 1 ? 'byte' : 'bytes'}`);
			setText(result, made.error ? (input.value ? made.error : '') : spaced(made.hex));
			return made;
		};
		preview();
		return h('details', h('summary', 'Write'), h('form.bar', { onsubmit: (event) => {
			event.preventDefault();
			const { value, error } = preview();
			if (!error) act(send, place, async () => {
				const answer = await post(this.path + '/write', both ? { value, response: response.checked } : { value });
				before.unshift([type.value, input.value]);
				past = -1;
				fill(place, h('span.good', answer.acknowledged === false ? '✓ sent without response' : '✓ written'));
			});
		} }, type, input, send, both ? responseLabel : null, result), h('.soft', 'The up arrow recalls earlier values.'), place);
	}

	close() { for (const one of this.plots.values()) one.plot?.close(); }
}
