// Several values in one plot: signals, and numbers that devices send and advertise; and the packets of the devices.
import { at, card, fill, h, icon, shown } from '../shared/dom.js';
import { get } from '../shared/api.js';
import { Plot } from '../shared/plot.js';
import { devices, store, watch } from './store.js';
import { fetchSeries, hear, series, seriesOf } from './numbers.js';
import { timeline } from './timeline.js';
import { label } from './row.js';

const most = 4, deviceOf = (key) => key.split('~')[0], isSignal = (key) => !key.includes('~');

/** `wanted` are identifiers of devices, for their signals, and keys of series, or `nearest`; `change(keys)` makes them part of the address. */
export function comparePage(root, wanted, change) {
	let keys = [], isDrawn = false;
	const lines = h('div'), picks = h('.picks'), packets = card('clock', 'Packets of the last seconds', lines);
	const plot = new Plot({ title: '', label: 'Several values', gap: 15000, kind: 'tall' });
	fill(root, h('a.back', { href: '/devices' }, icon('back'), 'Devices'), h('h1', 'Compare'), h('p.soft', 'Signals, and the numbers that devices have sent or advertised since this page was opened. CSV saves the lines of the plot.'), picks, h('section.card.pad', plot.element), packets);

	const name = (key) => { const device = label(devices.get(deviceOf(key))); return isSignal(key) ? device : `${device}: ${series.get(key)?.title ?? key.split('~')[2]}`; };
	async function draw() {
		if (isDrawn || !store.loaded) return;
		isDrawn = true;
		keys = wanted.split(',').filter((key) => devices.has(deviceOf(key)));
		// There is room for one more.
		if (!keys.length) keys = [...devices.values()].filter((one) => one.rssi).sort((a, b) => b.rssi - a.rssi).map((one) => one.id).slice(0, most - 1);
		keys.length = Math.min(most, keys.length);
		await Promise.all(keys.map(fetchSeries));
		plot.least = keys.every(isSignal) ? 28 : 0;
		for (const key of keys) { const one = series.get(key); if (isSignal(key)) plot.add(name(key), [...devices.get(key).rssiHistory], 'dBm'); else plot.add(name(key), [...one?.points ?? []], one?.unit ?? ''); }
		offer();
		load();
	}
	function offer() {
		if (picks.contains(document.activeElement)) return;
		// What several devices measure, in one choice.
		const same = Object.entries(Object.groupBy(series, ([, one]) => `${one.title}, ${one.unit}`)).filter(([, some]) => new Set(some.map(([, one]) => one.id)).size > 1);
		const add = h('select', { aria: 'Add a line', onchange: () => change(add.value.startsWith('=') ? add.value.slice(1).split(',').slice(0, most) : [...keys, add.value]) }, h('option', { value: '' }, keys.length < most ? 'Add a line …' : 'Show …'), same.length ? h('optgroup', { label: 'Of all devices' }, same.map(([title, some]) => h('option', { value: '=' + some.map(([key]) => key).join() }, `${title}: ${some.length} lines`))) : null, keys.length < most ? [...devices.values()].map((one) => h('optgroup', { label: label(one) }, [[one.id, { title: 'Signal' }], ...seriesOf(one.id)].filter(([key]) => !keys.includes(key)).map(([key, { title }]) => h('option', { value: key }, title)))) : null);
		fill(picks, keys.map((key) => h('button.on', { aria: `Remove ${name(key)}`, onclick: () => change(keys.filter((one) => one !== key)) }, shown(name(key)), icon('remove', 's'))), keys.length < most || same.length ? add : null);
	}
	async function load() {
		const ids = [...new Set(keys.map(deviceOf))], all = await Promise.all(ids.map((id) => get(at('devices', id)).catch(() => null)));
		all.forEach((one, i) => { const index = keys.indexOf(ids[i]); if (one && index >= 0) plot.set(index, one.rssiHistory); });
		fill(lines, timeline(all.filter(Boolean).map((one) => ({ name: label(one), history: one.history })), 5));
	}
	const push = (key, stamp, number) => { const i = keys.indexOf(key); if (isDrawn && i >= 0) plot.push(i, stamp, number); };
	const ends = [watch((kind, id) => { const last = devices.get(id)?.rssiHistory?.at(-1); if (last) push(id, ...last); }), hear(push)];
	const timer = setInterval(() => { if (isDrawn && !document.hidden) { load(); offer(); } }, 3000);
	draw();
	return { refresh: draw, close() { ends.forEach((end) => end()); clearInterval(timer); plot.close(); } };
}
