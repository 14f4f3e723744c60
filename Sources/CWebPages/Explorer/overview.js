// The overview for the empty pane: values around, who is near, kinds, what to do first.
import { at, card, counted, fill, h, keyed, redo, setText, shown, svg } from '../shared/dom.js';
import { devices, store } from './store.js';
import { advertised, about, bars, drawName, glyph, metres, quantities, setBars } from './row.js';
import { big, minus, upper } from './value.js';

const marks = [0.3, 1, 3, 10, 30];
/** The place of a distance on the axis, which is logarithmic. */
const place = (distance) => `${Math.max(0, Math.min(100, Math.log10(Math.max(0.1, distance) / 0.3) * 50)).toFixed(1)}%`;
const move = (element, values) => { for (const [key, value] of Object.entries(values)) element.setAttribute(key, value); };

/** A device on the axis of distances: its estimate and the range of it. */
function near(id) {
	const [mark, name, under, rssi] = ['span', 'span.name', 'span.under', 'span'].map((one) => h(one)), far = h('b'), strength = bars();
	const range = svg('line', { class: 'span', y1: 20, y2: 20 }), dot = svg('circle', { cy: 20, r: 6 });
	const rail = svg('svg', { class: 'rail', 'aria-hidden': 'true' }, ...marks.map((one) => svg('line', { class: 'grid', x1: place(one), x2: place(one), y1: 0, y2: 40 })), range, dot);
	return { element: h('a.near', { href: at('devices', id) }, mark, h('span.what', name, under), rail, h('span.signal', far, h('span', strength, rssi))), draw(device) {
		redo(mark, device.kind, () => glyph(device.kind));
		drawName(name, device);
		setText(under, about(device));
		setBars(strength, device.rssi);
		setText(rssi, `${minus(device.rssi ?? '–')} dBm`);
		const { distance } = device;
		setText(far, distance ? metres(distance.metres) : '');
		range.style.display = dot.style.display = distance ? '' : 'none';
		if (distance) { move(range, { x1: place(distance.from), x2: place(distance.to) }); move(dot, { cx: place(distance.metres) }); }
	} };
}

/** What a device sends, else what it advertises. */
function value(id) {
	const name = h('span.label.name'), number = h('span'), more = h('span.under');
	return { element: h('a', { href: at('devices', id) }, name, number, more), draw(device) {
		drawName(name, device);
		fill(number, big(device.live ?? quantities(device)[0], ''));
		setText(more, device.live ? 'receiving' : advertised(device).slice(1, 3).join(', ') || quantities(device)[0].name);
	} };
}

export function overview(root) {
	const live = h('h1', 'Overview'), radio = h('.facts-line.soft'), values = h('.values'), nearest = h('div'), kinds = h('.kinds');
	fill(root, h('header', live, radio), values, card('pin', 'Nearest', nearest, h('.near.axis', svg('svg', { class: 'rail', 'aria-hidden': 'true' }, ...marks.map((one) => svg('text', { x: place(one), y: 12 }, `${one} m`))))), card('box', 'Kinds', kinds), card('info', 'What to do first', h('.overview', document.getElementById('tips').content.cloneNode(true))));

	let last = -1000, order = [], sorted = -1e9;
	/** Draws at most once in a second: every device that comes asks for it. */
	function draw() {
		const now = performance.now(), { state } = store;
		if (now - last < 900 || !state) return;
		last = now;
		const all = [...devices.values()], links = all.filter((one) => one.connection === 'connected').length;
		setText(live, all.length ? `${counted(all.length, 'device')} around you` : 'Nothing around you yet');
		const facts = [state.scanning ? 'scanning' : 'scan paused', `${links} connected`, state.adapter.uri, state.adapter.address].filter(Boolean);
		redo(radio, facts, () => facts.map((one) => h('span', shown(one))));
		// Rows keep their places for a while, although strengths change.
		if ((now - sorted > 10000 || order.length < Math.min(6, all.length)) && !nearest.matches(':hover, :focus-within')) {
			sorted = now;
			order = all.filter((one) => one.rssi).sort((a, b) => b.rssi - a.rssi).slice(0, 6).map((one) => one.id);
		}
		order = order.filter((id) => devices.has(id));
		keyed(nearest, order, near).forEach((one, id) => one.draw(devices.get(id)));
		nearest.parentElement.hidden = !order.length;
		// What is received stands before what is advertised.
		const said = all.filter((one) => one.live || quantities(one).length).sort((a, b) => !!b.live - !!a.live).slice(0, 6).map((one) => one.id);
		keyed(values, said, value).forEach((one, id) => one.draw(devices.get(id)));
		values.hidden = !said.length;
		const counts = Object.entries(Object.groupBy(all, (one) => one.kind)).map(([kind, some]) => [kind, some.length, some[0].kindName, some[0].id]).sort((a, b) => b[1] - a[1]);
		redo(kinds, counts, () => counts.map(([kind, count, name, id]) => h('a', { href: count === 1 ? at('devices', id) : `/devices?q=kind:${kind}` }, glyph(kind), h('span', upper(name || 'other'), ' ', h('b', count)))));
		kinds.parentElement.hidden = !counts.length;
	}
	draw();
	const timer = setInterval(() => { if (!document.hidden) draw(); }, 1000);
	return { refresh: draw, close() { clearInterval(timer); } };
}
