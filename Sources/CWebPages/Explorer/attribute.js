// A characteristic in one row; the rest when it is opened.
import { able, act, at, button, bytes, clock, copy, elements, fill, h, icon, plain, press, relabel, row, scroll,
	select, set, setText, shown, small, soft, spaced, time } from '../shared/dom.js';
import { get, post } from '../shared/api.js';
import { Plot } from '../shared/plot.js';
import { isReadOnly, notLinked } from './store.js';
import { formats, remember, remembered } from './bytes.js';
import { isNumber, partsOf, upper, usual, valueLine, valueView } from './value.js';
import { writer } from './writer.js';

// The smallest range of a plot's axis, so that noise does not look like an event.
const least = { bpm: 40, '%': 10, '°C': 2, hPa: 4, mmHg: 20, dBm: 28, g: 0.5, µT: 20, '°/s': 10 };

/** Plots of numbers in `place`: numbers of one unit share one, which appears with the second value. */
export function plots(place, label, kind = '') {
	const all = new Map();
	function make({ names, points }, unit) {
		const [name] = names, title = kind ? '' : upper(names.length > 1 ? label : name || label);
		const plot = new Plot({ title, label: `${name || label} of ${label}`, unit, gap: 15000, least: least[unit],
			kind });
		place.append(plot.element);
		names.forEach((each, i) => plot.add(each || label, points[i]));
		return plot;
	}
	return {
		push({ name, number, unit = '' }, stamp, isLive) {
			const one = all.get(unit || name) ?? { names: [], points: [] }, { names, points } = one;
			all.set(unit || name, one);
			if (!names.includes(name)) { names.push(name); points.push([]); one.plot?.add(name); }
			const index = names.indexOf(name);
			if (one.plot) { one.plot.push(index, stamp, number); return; }
			points[index].push([stamp, number]);
			if (isLive && points[index].length > 1 && all.size <= 6) one.plot = make(one, unit);
		},
		close() { for (const one of all.values()) one.plot?.close(); },
	};
}

export class Attribute {
	constructor(device, characteristic) {
		const { uuid, handle, properties = [], descriptors = [], locked, own } = characteristic;
		const name = characteristic.name ?? descriptors.find((one) => one.uuid === '2901' && one.text)?.text ?? uuid;
		const can = (...list) => list.some((one) => properties.includes(one)), label = plain(upper(name));
		Object.assign(this, { uuid, label, own: !!own, count: 0, path: at('devices', device, 'attributes', handle) });
		[this.value, this.meta, this.raw, this.when, this.counted, this.recent]
			= elements('.value .meta span.bytes span span tbody');
		[this.place, this.plotPlace, this.writePlace, this.more] = elements('.wide .wide .wide .wide');
		this.format = h('button.link', { aria: `Format of ${label}`, onclick: () => {
			if (!this.more.firstChild) this.turn.click();
			this.more.querySelector('select').focus();
		} }, 'format');
		this.meta.append(copy(this.raw, 'Copy the bytes', () => spaced(this.last.hex)), this.when, this.counted,
			this.format);
		this.meta.hidden = true;
		this.plots = plots(this.plotPlace, label);
		const canRead = can('read'), without = can('writeWithoutResponse', 'write-without-response');
		const canWrite = (can('write') || without) && !isReadOnly();
		const action = (isThere, text, name, key, action) => {
			const element = isThere ? button(text, this.place, action, label, name) : null;
			if (element) element.dataset.key = key;
			return element;
		};
		const read = action(canRead, 'Read', 'read', 'r', async () => this.take(await post(this.path + '/read')));
		this.subscribe = action(can('notify', 'indicate'), 'Receive', 'bell', 'n', () => this.toggle());
		this.write = action(canWrite, 'Write', 'pen', 'w', () => this.openWriter(can('write') && without));
		this.turn = h('button.quiet.icon.turn', { aria: `More about ${label}`,
			title: 'Format, recent values, descriptors',
			'aria-expanded': 'false', onclick: () => {
				const isOpen = !this.more.firstChild;
				set(this.turn, { 'aria-expanded': isOpen });
				if (isOpen) this.open(device, characteristic, descriptors); else fill(this.more);
			} }, icon('right', 's'));
		const title = h('a', { href: at('devices', device, handle) + location.search }, shown(upper(name)));
		const code = characteristic.name ? h('span.mono', { title: uuid }, shortUUID(uuid)) : null;
		this.element = h('section.char', { aria: label }, h('.what', title, ' ', code),
			h('.do', read, this.subscribe, this.write, this.turn), h('.said', this.value, this.meta),
			this.place, this.plotPlace, this.writePlace, this.more);
		this.showSubscription();
		if (characteristic.hex !== undefined) this.take({ ...characteristic, time: characteristic.updated });
		else if (locked) this.lock();
		else if (!this.own) this.say(canRead ? 'Not read yet.' : this.subscribe ? 'Sends values when you receive them.'
			: canWrite ? 'Write only.' : 'No value.');
	}

	say(...text) { fill(this.value, soft(text)); }

	lock() { this.say(icon('lock', 's'), ' Needs pairing. Read asks for it.'); }

	choose() {
		this.element.classList.add('chosen');
		this.element.closest('details').open = true;
		this.element.scrollIntoView({ block: 'center' });
	}

	/** A lost link ends the subscription and what is being written. */
	setConnected(isConnected) {
		if (!isConnected) { this.own = false; this.showSubscription(); fill(this.writePlace); }
	}

	update({ own, hex, locked, updated, ...rest }) {
		this.own = !!own;
		this.showSubscription();
		if (hex !== undefined && !this.isLive) this.take({ hex, ...rest, time: updated });
		else if (locked && !this.last) this.lock();
	}

	showSubscription() {
		if (!this.subscribe) return;
		relabel(this.subscribe, this.own ? 'Stop' : 'Receive');
		press(this.subscribe, this.own);
		set(this.subscribe, { 'aria-label': `Receive ${this.label}` });
		if (this.own && !this.last) this.say('Waiting for the first value.');
	}

	async toggle() {
		this.own = (await post(this.path + (this.own ? '/unsubscribe' : '/subscribe'))).subscribed;
		this.showSubscription();
	}

	async receive() {
		const { subscribe, own, place } = this;
		if (subscribe && !own && !subscribe.disabled) await act(subscribe, place, () => this.toggle());
	}

	openWriter(both) {
		const isOpen = !!this.writePlace.firstChild, { path, uuid, label } = this;
		fill(this.writePlace, isOpen ? [] : writer({ path, uuid, label, both }));
		set(this.write, { 'aria-expanded': !isOpen });
		// The button that was pressed takes the focus back first.
		if (!isOpen) setTimeout(() => this.writePlace.querySelector('input').focus());
	}

	/** Shows a value: of an event, or the answer to a read. */
	take(value, isLive = false) {
		this.last = value;
		this.isLive = isLive && value.cause !== 'write' || this.isLive && this.own;
		const raw = spaced(value.hex), parts = partsOf(value, this.uuid);
		const view = parts ? valueView(parts, this.isLive) : raw ? h('code', raw) : soft('empty');
		fill(this.value, view, value.problem ? h('.watch.small', shown(value.problem)) : null);
		if (isLive) {
			this.count++;
			this.value.classList.remove('flash');
			// The animation begins again only after a layout without it.
			void this.value.offsetWidth;
			this.value.classList.add('flash');
		}
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

	row(value) {
		const parts = partsOf(value, this.uuid), when = value.time ? clock(value.time) : '';
		return row(when, value.cause ?? '', parts ? shown(valueLine(parts)) : '', bytes(value.hex));
	}

	open(device, { handle, uuid, properties = [] }, descriptors) {
		const format = select(`Format of ${this.label}`, formats, remembered('format', this.uuid) ?? '', () => {
			remember('format', this.uuid, format.value);
			if (this.last) this.take(this.last);
			this.load();
		});
		const text = () => valueLine(partsOf(this.last, this.uuid) ?? [{ text: spaced(this.last.hex) }]);
		const tags = properties.map((one) => h('span.tag', one.replace(/([A-Z])/g, ' $1').toLowerCase()));
		fill(this.more, h('.bar', h('label', 'Show as ', format), this.last ? copy('Copy the value', '', text) : null,
			tags,
			small(`handle ${handle}, ${uuid}`)), descriptors.map((one) => this.descriptor(device, one)),
			scroll(`Values of ${this.label}`, h('table', this.recent)));
		this.load();
	}

	load() {
		return act(null, this.place, async () => {
			const { values } = await get(this.path + '/values');
			fill(this.recent, values.slice(-100).reverse().map((one) => this.row(one)));
		});
	}

	descriptor(device, one) {
		const value = h('b'), place = h('div'), name = one.name ?? one.uuid,
			path = at('devices', device, 'attributes', one.handle);
		const show = ({ hex, parts, text }) => fill(value, !hex ? soft('not read yet')
			: shown(parts?.length ? valueLine(parts.map(usual)) : text ?? spaced(hex)));
		show(one);
		const read = button('Read', place, async () => show(await post(path + '/read')), plain(name), 'read');
		able(read, this.element.closest('.stale') ? notLinked : '');
		return h('.descriptor', h('div', soft(shown(name), ': '), value), read, place);
	}

	close() { this.plots.close(); }
}

export const shortUUID = (uuid) => uuid.length > 8 ? uuid.slice(0, 8) + '…' : uuid;
