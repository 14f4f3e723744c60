// Air: the devices of a virtual radio; a laboratory without hardware.
import { act, at, blank, button, counted, fill, h, icon, keyed, plain, press, problem, redo, setName, setText } from '../shared/dom.js';
import { get, patch, post, remove } from '../shared/api.js';
import { on, ready } from '../shared/stream.js';
import { devices as heard, store, watch } from './store.js';
import { glyph } from './row.js';
import { adder } from './editor.js';

/** A slider and a number; `from` and `to` translate between the value and its place. */
function slider(label, { min, max, step, from = (one) => one, to = (one) => one, say }, change) {
	let waiting = 0;
	const number = h('input', { type: 'number', min: to(min), max: to(max), step: 'any', aria: label, onchange: () => { if (number.value !== '') change(Number(number.value)); } });
	const send = () => { clearTimeout(waiting); waiting = setTimeout(() => change(to(Number(input.value))), 100); };
	const input = h('input', { type: 'range', min, max, step, aria: `${label}, slider`, oninput: () => { show(); send(); } });
	const show = () => { const value = to(Number(input.value)); number.value = value; input.setAttribute('aria-valuetext', say(value)); };
	return { parts: [input, number], set(value) { if (document.activeElement === input || document.activeElement === number) return; input.value = from(value); number.value = value; input.setAttribute('aria-valuetext', say(value)); } };
}

export function airPage(root) {
	const list = h('ul.cards'), place = h('div'), count = h('span.soft.count', { role: 'status' });
	const add = adder(() => load());
	fill(root, h('.single', h('.pagehead', h('h1', 'Air'), count), h('p.soft', 'Simulated devices on a virtual radio: move them, break them, add more.'), place, add.element, list));

	async function load() {
		try {
			await ready;
			if (store.state?.readOnly) { add.element.hidden = true; fill(place, blank('eye', 'Read only', 'This server does not show its air.')); return; }
			const { available, devices = [] } = await get('/air');
			add.element.hidden = !available;
			setText(count, available ? counted(devices.length, 'device') : '');
			fill(place, !available ? blank('flask', 'This program uses a real radio', ['The adapter is not a virtual radio of this program. Start ', h('code', 'harald serve --adapter virtual:sensortags'), ' for a laboratory without hardware.']) : devices.length ? [] : blank('flask', 'There is no device on the air', 'Put one there, as it is or from a file of your own.'));
			if (available) add.load();
			const all = new Map(devices.map((one) => [one.id, one]));
			keyed(list, all.keys(), (id) => makeRow(all.get(id))).forEach((row, id) => row.take(all.get(id)));
		} catch (error) { fill(place, problem(error)); }
	}

	function makeRow({ id, name }) {
		const path = at('air', 'devices', id), label = plain(name ?? id);
		const result = h('div'), see = h('a'), title = h('h2.name', see), fact = h('span.under');
		const tool = (text, name, action) => button('', result, action, `${text} ${label}`, name, 'button.quiet.icon');
		const change = (body) => act(null, result, async () => take(await patch(path, body)));
		// Logarithmic: 10 cm to 100 m.
		const distance = slider(`Distance of ${label} in metres`, { min: -1, max: 2, step: 0.02, from: (value) => Math.log10(Math.max(0.1, value)), to: (value) => Number((10 ** value).toFixed(2)), say: (value) => `${value} m` }, (value) => change({ distance: Math.max(0, value) }));
		const loss = slider(`Lost packets of ${label} in percent`, { min: 0, max: 100, step: 5, say: (value) => `${value} %` }, (value) => change({ faults: { loss: Math.min(1, Math.max(0, value / 100)) } }));
		const fault = (key, text, name) => { const one = h('button', { 'aria-pressed': 'false', onclick: () => change({ faults: { [key]: one.getAttribute('aria-pressed') !== 'true' } }) }, icon(name, 's'), text); return one; };
		const silent = fault('silent', 'Silent', 'pause'), out = fault('outOfRange', 'Out of range', 'out'), walks = h('button', { onclick: () => change({ walking: walks.getAttribute('aria-pressed') !== 'true' }) }, icon('run', 's'), 'Walks');
		const cut = button('Cut links', result, async () => take(await post(path + '/cut')), `of ${label}`, 'cut'), mark = h('span');
		const element = h('li', h('section.card', { aria: label }, h('.item', mark, h('div', title, fact), h('.do', tool('Edit a copy of', 'pen', async () => add.edit(await get(path + '/file'), path, label)), tool('Remove', 'remove', async () => { await remove(path); load(); }))),
			h('div', h('.sliders', h('span.label', 'Distance, m'), distance.parts, h('span.label', 'Lost packets, %'), loss.parts),
				h('.bar', walks, silent, out, cut)), result));
		function take(device) {
			const known = heard.get(device.device);
			setName(see, device.name || known?.title || 'Device without a name');
			setText(fact, `${device.address ?? ''} · ${device.connectable === false ? 'not connectable' : counted(device.links, 'link')}`);
			redo(mark, known?.kind, () => glyph(known?.kind));
			if (device.device) see.setAttribute('href', at('devices', device.device));
			distance.set(Number((device.distance ?? 1).toFixed(2)));
			loss.set(Math.round((device.faults?.loss ?? 0) * 100));
			cut.disabled = !device.links;
			press(silent, device.faults?.silent);
			press(out, device.faults?.outOfRange);
			press(walks, device.walking);
		}
		return { element, take };
	}

	let later = 0;
	const soon = () => { clearTimeout(later); later = setTimeout(load, 200); };
	const ends = [on('log', (entry) => { if (entry.kind === 'air') soon(); }), on('connection', soon), on('hello', load), on('missed', load), watch((kind) => { if (kind === 'devices') soon(); })];
	load();
	return { update() {}, close() { ends.forEach((end) => end()); clearTimeout(later); } };
}
