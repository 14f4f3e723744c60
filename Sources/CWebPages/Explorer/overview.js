// The overview for the empty pane.
import { at, card, facts, fill, h, setText, shown } from '../shared/dom.js';
import { devices, store } from './store.js';
import { about, bars, glyph, minus, setBars } from './row.js';

export function overview(root) {
	const radio = h('dl.facts'), kinds = h('.kinds'), strongest = h('div'), live = h('h1', 'Overview');
	fill(root, live, h('.overview', card('radio', 'Radio', radio), card('pin', 'Strongest', strongest), card('box', 'Devices by kind', kinds), card('info', 'What to do first', document.getElementById('tips').content.cloneNode(true))));

	function draw() {
		const { state } = store, all = [...devices.values()];
		if (!state) { fill(radio, facts([['State', 'loading']])); return; }
		fill(radio, facts([['Adapter', shown(state.adapter.uri)], ['Address', state.adapter.address && h('span.mono', state.adapter.address)], ['State', state.radio.state === 'poweredOn' ? 'on' : state.radio.state], ['Scan', state.scanning ? 'running' : 'paused'], ['Devices', all.length], ['Connected', all.filter((one) => one.connection === 'connected').length]]));
		const counts = Object.entries(Object.groupBy(all, (one) => one.kind)).sort((a, b) => b[1].length - a[1].length);
		fill(kinds, counts.length ? counts.map(([kind, some]) => h('a', { href: some.length === 1 ? at('devices', some[0].id) : '/devices?sort=rssi' }, glyph(kind), h('span', h('b', some.length), ' ', some[0].kindName || (some.length === 1 ? 'other device' : 'other devices')))) : h('span.soft', 'None yet.'));
		const near = all.filter((one) => one.rssi).sort((a, b) => b.rssi - a.rssi).slice(0, 3);
		fill(strongest, near.length ? near.map((one) => { const bar = bars(); setBars(bar, one.rssi); return h('a.item', { href: at('devices', one.id) }, glyph(one.kind), h('span', h('span.name', shown(one.title)), h('span.under', shown(about(one)))), h('span.nowrap', bar, ' ', h('b', `${minus(one.rssi)} dBm`))); }) : h('span.soft', 'None yet.'));
		setText(live, all.length ? `${all.length} ${all.length === 1 ? 'device' : 'devices'} around you` : 'Nothing around you yet');
	}
	draw();
	const timer = setInterval(() => { if (!document.hidden && !root.matches(':focus-within')) draw(); }, 3000);
	return { refresh: draw, close() { clearInterval(timer); } };
}
