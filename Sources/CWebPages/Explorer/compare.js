// Several values in one plot: signals, and numbers that devices send and advertise; and the packets of the devices.
import { at, card, every, fill, h, icon, shown } from '../shared/dom.js';
import { get } from '../shared/api.js';
import { Plot } from '../shared/plot.js';
import { devices, store, watch } from './store.js';
import { fetchSeries, hear, series, seriesOf } from './numbers.js';
import { timeline } from './timeline.js';
import { label } from './row.js';

const most = 4, deviceOf = (key) => key.split('~')[0], isSignal = (key) => !key.includes('~');

/** `wanted`: identifiers of devices, for their signals, and keys of series, or `nearest`; `change(keys)` keeps them. */
export function comparePage(root, wanted, change) {
	let keys = [], isDrawn = false;
	const lines = h('div'), picks = h('.picks'), packets = card('clock', 'Packets of the last seconds', lines);
	const plot = new Plot({ title: '', label: 'Several values', gap: 15000, kind: 'tall' });
	fill(root, h('a.back', { href: '/devices' }, icon('back'), 'Devices'), h('h1', 'Compare'), h('p.soft',
		'Signals, and the numbers that devices have sent or advertised since this page was opened. ',
		'CSV saves the lines of the plot.'), picks, h('section.card.pad', plot.element), packets);

	function name(key) {
		const device = label(devices.get(deviceOf(key)));
		return isSignal(key) ? device : `${device}: ${series.get(key)?.title ?? key.split('~')[2]}`;
	}
	async function draw() {
		if (isDrawn || !store.loaded) return;
		isDrawn = true;
		keys = wanted.split(',').filter((key) => devices.has(deviceOf(key))).slice(0, most);
		const strong = [...devices.values()].filter((one) => one.rssi).sort((a, b) => b.rssi - a.rssi);
		// There is room for one more.
		if (!keys.length) keys = strong.slice(0, most - 1).map((one) => one.id);
		await Promise.all(keys.map(fetchSeries));
		plot.least = keys.every(isSignal) ? 28 : 0;
		for (const key of keys) {
			const { points = [], unit = '' } = isSignal(key)
				? { points: devices.get(key).rssiHistory, unit: 'dBm' } : series.get(key) ?? {};
			plot.add(name(key), [...points], unit);
		}
		offer();
		load();
	}
	function offer() {
		if (picks.contains(document.activeElement)) return;
		const hasRoom = keys.length < most, option = (value, text) => h('option', { value }, text);
		// What several devices measure, in one choice.
		const groups = Object.entries(Object.groupBy(series, ([, one]) => `${one.title}, ${one.unit}`));
		const same = groups.filter(([, some]) => new Set(some.map(([, one]) => one.id)).size > 1).map(([title, some]) =>
			option('=' + some.map(([key]) => key).join(), `${title}: ${some.length} lines`));
		const own = (one) => [[one.id, { title: 'Signal' }], ...seriesOf(one.id)]
			.filter(([key]) => !keys.includes(key)).map(([key, { title }]) => option(key, title));
		const take = (value) => value[0] === '=' ? value.slice(1).split(',').slice(0, most) : [...keys, value];
		const add = h('select', { aria: 'Add a line', onchange: () => change(take(add.value)) },
			option('', hasRoom ? 'Add a line …' : 'Show …'),
				same.length ? h('optgroup', { label: 'Of all devices' }, same) : null,
			hasRoom && [...devices.values()].map((one) => h('optgroup', { label: label(one) }, own(one))));
		const drop = (key) => () => change(keys.filter((one) => one !== key));
		fill(picks, keys.map((key) => h('button.on', { aria: `Remove ${name(key)}`, onclick: drop(key) },
			shown(name(key)), icon('remove', 's'))), hasRoom || same.length ? add : null);
	}
	async function load() {
		const ids = [...new Set(keys.map(deviceOf))];
		const all = await Promise.all(ids.map((id) => get(at('devices', id)).catch(() => null)));
		all.forEach((one, i) => {
			const line = keys.indexOf(ids[i]);
			if (one && line >= 0) plot.set(line, one.rssiHistory);
		});
		fill(lines, timeline(all.filter(Boolean).map((one) => ({ name: label(one), history: one.history })), 5));
	}
	function push(key, stamp, number) {
		const line = keys.indexOf(key);
		if (isDrawn && line >= 0) plot.push(line, stamp, number);
	}
	draw();
	return { refresh: draw, ends: [hear(push), () => plot.close(),
		every(3000, () => { if (isDrawn) { load(); offer(); } }),
		watch((_, id) => { const last = devices.get(id)?.rssiHistory?.at(-1); if (last) push(id, ...last); })] };
}
