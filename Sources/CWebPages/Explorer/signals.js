// The signals of several devices: their strengths and their packets.
import { at, card, fill, h, icon, shown } from '../shared/dom.js';
import { get } from '../shared/api.js';
import { Plot } from '../shared/plot.js';
import { devices, store, watch } from './store.js';
import { timeline } from './timeline.js';
import { label } from './row.js';

/** `wanted` are identifiers, or `nearest`; `change(ids)` makes them part of the address. */
export function signalsPage(root, wanted, change) {
	let ids = [], isDrawn = false;
	const lines = h('div'), picks = h('.picks');
	const plot = new Plot({ title: 'Signal strength', label: 'Signal strength of several devices', unit: 'dBm', gap: 15000, least: 28, kind: 'tall' });
	fill(root, h('a.back', { href: '/devices' }, icon('back'), 'Devices'), h('h1', 'Signals of several devices'), picks, h('section.card.pad', plot.element), card('clock', 'Packets of the last seconds', lines));

	function draw() {
		if (isDrawn || !store.loaded) return;
		isDrawn = true;
		ids = wanted.split(',').filter((id) => devices.has(id));
		if (!ids.length) ids = [...devices.values()].filter((one) => one.rssi).sort((a, b) => b.rssi - a.rssi).map((one) => one.id);
		ids.length = Math.min(4, ids.length);
		const others = [...devices.values()].filter((one) => !ids.includes(one.id));
		const add = h('select', { aria: 'Add a device', onchange: () => change([...ids, add.value]) }, h('option', { value: '' }, 'Add a device …'), others.map((one) => h('option', { value: one.id }, label(one))));
		fill(picks, ids.map((id) => h('button.on', { aria: `Remove ${label(devices.get(id))}`, onclick: () => change(ids.filter((one) => one !== id)) }, shown(label(devices.get(id))), icon('remove', 's'))), ids.length < 4 && others.length ? add : null);
		for (const id of ids) plot.add(label(devices.get(id)), [...devices.get(id).rssiHistory]);
		load();
	}
	async function load() {
		const all = await Promise.all(ids.map((id) => get(at('devices', id)).catch(() => null)));
		all.forEach((one, i) => { if (one) plot.set(i, one.rssiHistory); });
		fill(lines, timeline(all.filter(Boolean).map((one) => ({ name: label(one), history: one.history })), 5));
	}
	const stop = watch((kind, id) => { const i = ids.indexOf(id); if (isDrawn && i >= 0) plot.push(i, ...devices.get(id).rssiHistory.at(-1) ?? []); });
	const timer = setInterval(() => { if (isDrawn && !document.hidden) load(); }, 3000);
	draw();
	return { refresh: draw, close() { stop(); clearInterval(timer); plot.close(); } };
}
