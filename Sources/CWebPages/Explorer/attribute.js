// A characteristic in one row; the rest when it is opened.
import { act, at, button, bytes, clock, copy, fill, flashing, h, icon, plain, press, relabel, row, scroll, setText, shown, spaced, time } from '../shared/dom.js';
import { get, post } from '../shared/api.js';
import { Plot } from '../shared/plot.js';
import { store } from './store.js';
import { formats, remember, remembered } from './bytes.js';
import { isNumber, partsOf, upper, usual, valueLine, valueView } from './value.js';
import { writer } from './writer.js';

// The smallest range of a plot's axis, so that noise does not look like an event.
export const least = { bpm: 40, '%': 10, '°C': 2, hPa: 4, mmHg: 20, dBm: 28, g: 0.5, µT: 20, '°/s': 10 };

/** Plots of numbers in `place`: numbers of one unit share one, which appears with the second value. */
export function plots(place, label, kind = '') {
	const all = new Map();
	return {
		push({ name, number, unit = '' }, stamp, isLive) {
			const one = all.get(unit || name) ?? { names: [], points: [] };
			all.set(unit || name, one);
			if (!one.names.includes(name)) { one.names.push(name); one.points.push([]); one.plot?.add(name); }
			const index = one.names.indexOf(name);
			if (one.plot) { one.plot.push(index, stamp, number); return; }
			one.points[index].push([stamp, number]);
			if (!isLive || one.points[index].length < 2 || all.size > 6) return;
			one.plot = new Plot({ title: kind ? '' : upper(one.names.length > 1 ? label : name || label), label: `${name || label} of ${label}`, unit, gap: 15000, least: least[unit], kind });
			place.append(one.plot.element);
			one.names.forEach((each, i) => one.plot.add(each || label, one.points[i]));
		},
		close() { for (const one of all.values()) one.plot?.close(); },
	};
}

export class Attribute {
	constructor(device, characteristic) {
		const { uuid, handle, properties = [], descriptors = [], locked } = characteristic;
		const name = characteristic.name ?? descriptors.find((one) => one.uuid === '2901' && one.text)?.text ?? uuid, label = plain(upper(name));
		const can = (...list) => list.some((one) => properties.includes(one));
		Object.assign(this, { uuid, label, own: !!characteristic.own, count: 0, path: at('devices', device, 'attributes', handle) });
		[this.value, this.meta, this.place, this.plotPlace, this.writePlace, this.more] = ['value', 'meta', 'wide', 'wide', 'wide', 'wide'].map((one) => h('.' + one));
		[this.raw, this.when, this.counted] = ['span.bytes', 'span', 'span'].map((one) => h(one));
		this.format = h('button.link', { aria: `Format of ${label}`, onclick: () => { if (!this.more.firstChild) this.turn.click(); this.more.querySelector('select').focus(); } }, 'format');
		this.meta.append(copy(this.raw, 'Copy the bytes', () => spaced(this.last.hex)), this.when, this.counted, this.format);
		this.meta.hidden = true;
		this.plots = plots(this.plotPlace, this.label);
		this.canRead = can('read');
		this.canWrite = can('write', 'writeWithoutResponse', 'write-without-response') && !store.state?.readOnly;
		this.read = this.canRead ? button('Read', this.place, async () => this.take(await post(this.path + '/read')), label, 'read') : null;
		this.subscribe = can('notify', 'indicate') ? button('Receive', this.place, () => this.toggle(), label, 'bell') : null;
		this.write = this.canWrite ? button('Write', this.place, () => this.openWriter(can), label, 'pen') : null;
		for (const [one, key] of [[this.read, 'r'], [this.subscribe, 'n'], [this.write, 'w']]) if (one) one.dataset.key = key;
		this.recent = h('tbody');
		const more = this.turn = h('button.quiet.icon.turn', { aria: `More about ${label}`, title: 'Format, recent values, descriptors', 'aria-expanded': 'false', onclick: () => { const isOpen = !this.more.firstChild; more.setAttribute('aria-expanded', isOpen); if (isOpen) this.open(device, characteristic, descriptors); else fill(this.more); } }, icon('right', 's'));
		this.element = h('section.char', { aria: label },
			h('.what', h('a', { href: at('devices', device, handle) + location.search }, shown(upper(name))), ' ', characteristic.name ? h('span.mono', { title: uuid }, shortUUID(uuid)) : null),
			h('.do', this.read, this.subscribe, this.write, more), h('.said', this.value, this.meta), this.place, this.plotPlace, this.writePlace, this.more);
		this.showSubscription();
		if (characteristic.hex !== undefined) this.take({ ...characteristic, time: characteristic.updated });
		else if (locked) this.lock();
		else fill(this.value, h('span.soft', this.canRead ? 'Not read yet.' : this.subscribe ? 'Sends values when you receive them.' : this.canWrite ? 'Write only.' : 'No value.'));
	}

	lock() { fill(this.value, h('span.soft', icon('lock', 's'), ' Needs pairing. Read asks for it.')); }

	choose() { this.element.classList.add('chosen'); this.element.closest('details').open = true; this.element.scrollIntoView({ block: 'center' }); }

	/** A lost link ends the subscription and what is being written. */
	setConnected(isConnected) {
		if (!isConnected) { this.own = false; this.showSubscription(); fill(this.writePlace); }
	}

	showSubscription() {
		if (!this.subscribe) return;
		relabel(this.subscribe, this.own ? 'Stop' : 'Receive');
		press(this.subscribe, this.own);
		this.subscribe.setAttribute('aria-label', `Receive ${this.label}`);
		if (this.own && !this.last) fill(this.value, h('span.soft', 'Waiting for the first value.'));
	}

	async toggle() {
		this.own = (await post(this.path + (this.own ? '/unsubscribe' : '/subscribe'))).subscribed;
		this.showSubscription();
	}

	async receive() { if (this.subscribe && !this.own && !this.subscribe.disabled) await act(this.subscribe, this.place, () => this.toggle()); }

	openWriter(can) {
		const isOpen = !!this.writePlace.firstChild;
		fill(this.writePlace, isOpen ? [] : writer({ path: this.path, uuid: this.uuid, label: this.label, both: can('write') && can('writeWithoutResponse', 'write-without-response') }));
		this.write.setAttribute('aria-expanded', !isOpen);
		if (!isOpen) setTimeout(() => this.writePlace.querySelector('input').focus());
	}

	/** Shows a value: of an event, or the answer to a read. */
	take(value, isLive = false) {
		this.last = value;
		this.isLive = isLive && value.cause !== 'write' || this.isLive && this.own;
		const raw = spaced(value.hex), parts = partsOf(value, this.uuid);
		if (isLive) this.count++;
		fill(this.value, parts ? valueView(parts, this.isLive) : raw ? h('code', raw) : h('span.soft', 'empty'), value.problem ? h('.watch.small', shown(value.problem)) : null);
		if (isLive) flashing(this.value);
		// The buttons stay, whatever comes while one is pressed.
		this.meta.hidden = !raw;
		setText(this.raw, parts ? raw : '');
		fill(this.when, value.time ? time(value.time) : null);
		setText(this.counted, this.count > 1 ? `${this.count} values` : '');
		this.format.hidden = !!value.parts?.length;
		const stamp = Date.parse(value.time) || Date.now();
		for (const part of (parts ?? []).filter(isNumber)) this.plots.push(part, stamp, isLive);
		if (!isLive || !this.more.firstChild) return;
		this.recent.prepend(this.row(value));
		if (this.recent.rows.length > 100) this.recent.lastChild.remove();
	}

	row(value) { const parts = partsOf(value, this.uuid); return row(value.time ? clock(value.time) : '', value.cause ?? '', parts ? shown(valueLine(parts)) : '', bytes(value.hex)); }

	open(device, { handle, uuid, properties = [] }, descriptors) {
		const format = h('select', { aria: `Format of ${this.label}`, onchange: () => { remember('format', this.uuid, format.value); if (this.last) this.take(this.last); this.load(); } }, formats.map(([value, text]) => h('option', { value, selected: value === (remembered('format', this.uuid) ?? '') }, text)));
		fill(this.more, h('.bar', h('label', 'Show as ', format), this.last ? copy('Copy the value', '', () => valueLine(partsOf(this.last, this.uuid) ?? [{ text: spaced(this.last.hex) }])) : null, properties.map((one) => h('span.tag', one.replace(/([A-Z])/g, ' $1').toLowerCase())), h('span.soft.small', `handle ${handle}, ${uuid}`)),
			descriptors.map((one) => this.descriptor(device, one)), scroll(`Values of ${this.label}`, h('table', this.recent)));
		this.load();
	}

	load() { return act(null, this.place, async () => fill(this.recent, (await get(this.path + '/values')).values.slice(-100).reverse().map((one) => this.row(one)))); }

	descriptor(device, one) {
		const value = h('b'), place = h('div'), name = one.name ?? one.uuid;
		const show = (answer) => fill(value, answer.hex ? shown(answer.parts?.length ? valueLine(answer.parts.map(usual)) : answer.text ?? spaced(answer.hex)) : h('span.soft', 'not read yet'));
		show(one);
		const read = button('Read', place, async () => show(await post(at('devices', device, 'attributes', one.handle) + '/read')), plain(name), 'read');
		read.disabled = !!this.element.closest('.stale');
		return h('.descriptor', h('div', h('span.soft', shown(name), ': '), value), read, place);
	}

	close() { this.plots.close(); }
}

/** A UUID of 128 bits by its first part. */
export const shortUUID = (uuid) => uuid.length > 8 ? uuid.slice(0, 8) + '…' : uuid;
