// The overview for the empty pane: values around, who is near, kinds, what to do first.
import { at, card, fill, h, setText, shown, svg } from '../shared/dom.js';
import { devices, store } from './store.js';
import { advertised, about, bars, drawName, glyph, metres, quantities, setBars } from './row.js';
import { big, minus, phrase, upper } from './value.js';

// The axis of distances: 30 cm to 30 m, logarithmic.
const place = (distance) => Math.max(0, Math.min(100, Math.log10(Math.max(0.1, distance) / 0.3) * 50));
const rail = ({ metres: value, from, to }) => svg('svg', { class: 'rail', 'aria-hidden': 'true' }, ...[0.3, 1, 3, 10, 30].map((one) => svg('line', { class: 'grid', x1: `${place(one)}%`, x2: `${place(one)}%`, y1: 0, y2: 40 })),
	svg('line', { class: 'span', x1: `${place(from)}%`, x2: `${place(to)}%`, y1: 20, y2: 20 }), svg('circle', { cx: `${place(value)}%`, cy: 20, r: 6 }));

function nearest(device) {
	const bar = bars(), name = h('span.name');
	setBars(bar, device.rssi);
	drawName(name, device);
	return h('a.near', { href: at('devices', device.id) }, glyph(device.kind), h('span.what', name, h('span.under', about(device))), device.distance ? rail(device.distance) : h('span'), h('span.signal', h('b', device.distance ? metres(device.distance.metres) : ''), h('span', bar, `${minus(device.rssi)} dBm`)));
}

export function overview(root) {
	const live = h('h1', 'Overview'), radio = h('.facts-line.soft'), values = h('.values'), near = h('div'), kinds = h('.kinds');
	fill(root, h('header', live, radio), values, card('pin', 'Nearest', near, h('.near.axis', svg('svg', { class: 'rail', 'aria-hidden': 'true' }, ...[0.3, 1, 3, 10, 30].map((one) => svg('text', { x: `${place(one)}%`, y: 12 }, `${one} m`))))), card('box', 'Kinds', kinds), card('info', 'What to do first', h('.overview', document.getElementById('tips').content.cloneNode(true))));

	let last = -1000;
	/** Draws at most once in a second: every device that comes asks for it. */
	function draw() {
		if (performance.now() - last < 900 || root.matches(':focus-within')) return;
		last = performance.now();
		const { state } = store, all = [...devices.values()], links = all.filter((one) => one.connection === 'connected').length;
		if (!state) return;
		setText(live, all.length ? `${all.length} ${all.length === 1 ? 'device' : 'devices'} around you` : 'Nothing around you yet');
		fill(radio, [state.scanning ? 'scanning' : 'scan paused', `${links} connected`, state.adapter.uri, state.adapter.address].filter(Boolean).map((one) => h('span', shown(one))));
		// What is received, before what is advertised.
		const said = all.flatMap((one) => { const part = one.live ?? quantities(one)[0]; return part ? [[one, part]] : []; }).sort((a, b) => !!b[0].live - !!a[0].live).slice(0, 6);
		values.hidden = !said.length;
		fill(values, said.map(([one, part]) => { const name = h('span.label.name'); drawName(name, one); return h('a', { href: at('devices', one.id), aria: `${one.title}: ${phrase(part)}` }, name, big(part, ''), h('span.under', one.live ? 'receiving' : advertised(one).slice(1, 3).join(', ') || part.name)); }));
		const some = all.filter((one) => one.rssi).sort((a, b) => b.rssi - a.rssi).slice(0, 6);
		near.parentElement.hidden = !some.length;
		fill(near, some.map(nearest));
		const counts = Object.entries(Object.groupBy(all, (one) => one.kind)).sort((a, b) => b[1].length - a[1].length);
		kinds.parentElement.hidden = !counts.length;
		fill(kinds, counts.map(([kind, some]) => h('a', { href: some.length === 1 ? at('devices', some[0].id) : `/devices?q=kind:${kind}` }, glyph(kind), h('span', upper(some[0].kindName || 'other'), ' ', h('b', some.length)))));
	}
	draw();
	const timer = setInterval(() => { if (!document.hidden) draw(); }, 1000);
	return { refresh: draw, close() { clearInterval(timer); } };
}
