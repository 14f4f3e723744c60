// The overview for the empty pane: values around, who is near, kinds, what to do first.
import { at, card, counted, every, fill, h, keyed, redo, set, setText, shown, svg } from '../shared/dom.js';
import { devices, store } from './store.js';
import { advertised, about, bars, drawGlyph, drawName, glyph, metres, quantities, setBars } from './row.js';
import { big, dBm, upper } from './value.js';

const marks = [0.3, 1, 3, 10, 30];
/** The place of a distance on the axis, which is logarithmic. */
const place = (distance) =>
	`${Math.max(0, Math.min(100, Math.log10(Math.max(0.1, distance) / 0.3) * 50)).toFixed(1)}%`;
const rail = (...parts) => svg('svg', { class: 'rail', 'aria-hidden': 'true' }, ...parts);

/** A device on the axis of distances: its estimate and the range of it. */
function near(id) {
	const [mark, name, under, rssi] = ['span', 'span.name', 'span.under', 'span'].map((one) => h(one));
	const far = h('b'), strength = bars(), range = svg('line', { class: 'span', y1: 20, y2: 20 });
	const dot = svg('circle', { cy: 20, r: 6 });
	const grid = marks.map((one) => svg('line', { class: 'grid', x1: place(one), x2: place(one), y1: 0, y2: 40 }));
	const element = h('a.near', { href: at('devices', id) }, mark, h('span.what', name, under),
		rail(...grid, range, dot), h('span.signal', far, h('span', strength, rssi)));
	return { element, draw(device) {
		const { distance } = device;
		drawGlyph(mark, device.kind, device.connection === 'connected');
		drawName(name, device);
		setText(under, about(device));
		setBars(strength, device.rssi);
		setText(rssi, dBm(device.rssi));
		setText(far, distance ? metres(distance.metres) : '');
		range.style.display = dot.style.display = distance ? '' : 'none';
		if (!distance) return;
		set(range, { x1: place(distance.from), x2: place(distance.to) });
		set(dot, { cx: place(distance.metres) });
	} };
}

/** What a device sends, else what it advertises. */
function value(id) {
	const name = h('span.label.name'), number = h('span'), more = h('span.under');
	return { element: h('a', { href: at('devices', id) }, name, number, more), draw(device) {
		const [first] = quantities(device);
		drawName(name, device);
		fill(number, big(device.live ?? first, ''));
		setText(more, device.live ? 'receiving' : advertised(device).slice(1, 3).join(', ') || first.name);
	} };
}

export function overview(root) {
	const live = h('h1', 'Overview'), radio = h('.facts-line.soft'), values = h('.values');
	const nearest = h('div'), kinds = h('.kinds');
	const axis = h('.near.axis', rail(...marks.map((one) => svg('text', { x: place(one), y: 12 }, `${one} m`))));
	const tips = h('.overview', document.getElementById('tips').content.cloneNode(true));
	fill(root, h('header', live, radio), values, card('pin', 'Nearest', nearest, axis), card('box', 'Kinds', kinds),
		card('info', 'What to do first', tips));

	let last = -1000, order = [], sorted = -1e9;
	/** Draws at most once in a second: every device that comes asks for it. */
	function draw() {
		const now = performance.now(), { state } = store;
		if (now - last < 900 || !state) return;
		last = now;
		const all = [...devices.values()], links = all.filter((one) => one.connection === 'connected').length;
		setText(live, all.length ? `${counted(all.length, 'device')} around you` : 'Nothing around you yet');
		const { uri, address } = state.adapter, scan = state.scanning ? 'scanning' : 'scan paused';
		const facts = [scan, `${links} connected`, uri, address].filter(Boolean);
		redo(radio, facts, () => facts.map((one) => h('span', shown(one))));
		const drawCards = (place, ids, make) => {
			keyed(place, ids, make).forEach((one, id) => one.draw(devices.get(id)));
			return !ids.length;
		};
		// Rows keep their places for a while, although strengths change.
		const isOld = now - sorted > 10000 || order.length < Math.min(6, all.length);
		if (isOld && !nearest.matches(':hover, :focus-within')) {
			sorted = now;
			order = all.filter((one) => one.rssi).sort((a, b) => b.rssi - a.rssi).slice(0, 6).map((one) => one.id);
		}
		order = order.filter((id) => devices.has(id));
		nearest.parentElement.hidden = drawCards(nearest, order, near);
		// What is received stands before what is advertised.
		const said = all.filter((one) => one.live || quantities(one).length).sort((a, b) => !!b.live - !!a.live);
		values.hidden = drawCards(values, said.slice(0, 6).map((one) => one.id), value);
		const counts = Object.entries(Object.groupBy(all, (one) => one.kind))
			.map(([kind, some]) => [kind, some.length, some[0].kindName, some[0].id]).sort((a, b) => b[1] - a[1]);
		const link = ([kind, count, name, id]) => {
			const href = count === 1 ? at('devices', id) : `/devices?q=kind:${kind}`;
			return h('a', { href }, glyph(kind), h('span', upper(name || 'other'), ' ', h('b', count)));
		};
		redo(kinds, counts, () => counts.map(link));
		kinds.parentElement.hidden = !counts.length;
	}
	draw();
	return { refresh: draw, ends: [every(1000, draw)] };
}
