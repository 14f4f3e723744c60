// Air: the devices of a virtual radio; a laboratory without hardware.
import { able, act, at, blank, button, counted, elements, fill, h, keyed, later, plain, press, redo, set, setText,
	shown, toggle } from '../shared/dom.js';
import { get, patch, post, remove } from '../shared/api.js';
import { on } from '../shared/stream.js';
import { devices as heard, isReadOnly, watch } from './store.js';
import { drawGlyph } from './row.js';
import { adder } from './editor.js';

/** A slider and a number; `from` and `to` translate between the value and its place. */
function slider(label, { min, max, step, unit, from = (one) => one, to = (one) => one }, change) {
	const number = h('input', { type: 'number', min: to(min), max: to(max), step: 'any', aria: label,
		onchange: () => { if (number.value !== '') change(Number(number.value)); } });
	const send = later(100, () => change(to(Number(input.value))));
	const input = h('input', { type: 'range', min, max, step, aria: `${label}, slider`,
		oninput: () => { show(to(Number(input.value))); send(); } });
	const show = (value) => { number.value = value; set(input, { 'aria-valuetext': `${value} ${unit}` }); };
	return { parts: [input, number].map((one) => able(one)), set(value) {
		if ([input, number].includes(document.activeElement)) return;
		input.value = from(value);
		show(value);
	} };
}
// Logarithmic: 10 cm to 100 m.
const distances = { min: -1, max: 2, step: 0.02, unit: 'm', from: (value) => Math.log10(Math.max(0.1, value)),
	to: (value) => Number((10 ** value).toFixed(2)) };
const isOn = (one) => one.getAttribute('aria-pressed') === 'true';

export function airPage(root) {
	const [list, place, failure] = elements('ul.cards div div'), count = h('span.soft.count', { role: 'status' });
	const add = adder(() => load());
	fill(root, h('.single', h('.pagehead', h('h1', 'Air'), count),
		h('p.soft', 'Simulated devices on a virtual radio: move them, break them, add more.'), failure, place,
		add.element, list));

	const none = blank('flask', 'There is no device on the air', 'Put one there, as it is or from a file of your own.');
	const real = blank('flask', 'This program uses a real radio',
		['The adapter is not a virtual radio of this program. Start ',
		h('code', 'harald serve --adapter virtual:sensortags'), ' for a laboratory without hardware.']);
	const load = () => act(null, failure, async () => {
		add.element.hidden = isReadOnly();
		if (isReadOnly()) { fill(place, blank('eye', 'Read only', 'This server does not show its air.')); return; }
		const { available, devices = [] } = await get('/air');
		add.element.hidden = !available;
		setText(count, available ? counted(devices.length, 'device') : '');
		fill(place, !available ? real : devices.length ? null : none);
		if (available) add.load();
		const all = new Map(devices.map((one) => [one.id, one]));
		keyed(list, all.keys(), (id) => makeCard(all.get(id))).forEach((one, id) => one.draw(all.get(id)));
	});

	function makeCard({ id, name }) {
		const path = at('air', 'devices', id), label = plain(name ?? id);
		const [mark, result, see, fact] = elements('span div a span.under');
		const tool = (text, name, action) => button('', result, action, `${text} ${label}`, name, 'button.quiet.icon');
		const change = (body) => act(null, result, async () => draw(await patch(path, body)));
		const distance = slider(`Distance of ${label} in metres`, distances,
			(value) => change({ distance: Math.max(0, value) }));
		const loss = slider(`Lost packets of ${label} in percent`, { min: 0, max: 100, step: 5, unit: '%' },
			(value) => change({ faults: { loss: Math.min(1, Math.max(0, value / 100)) } }));
		const fault = (key, text, name) => {
			const one = toggle(text, () => change({ faults: { [key]: !isOn(one) } }), name);
			return able(one);
		};
		const silent = fault('silent', 'Silent', 'pause'), out = fault('outOfRange', 'Out of range', 'out');
		const walks = able(toggle('Walks', () => change({ walking: !isOn(walks) }), 'run'));
		const cut = button('Cut links', result, async () => draw(await post(path + '/cut')), `of ${label}`, 'cut');
		const edit = tool('Edit a copy of', 'pen', async () => add.edit(await get(path + '/file'), path, label));
		const away = tool('Remove', 'remove', async () => { await remove(path); load(); });
		const element = h('li', h('section.card', { aria: label },
			h('.item', mark, h('div', h('h2.name', see), fact), h('.do', edit, away)),
			h('.sliders', h('span.label', 'Distance, m'), distance.parts, h('span.label', 'Lost packets, %'),
				loss.parts),
			h('.bar', walks, silent, out, cut), result));
		function draw({ device, name, address, connectable, links, distance: metres, faults, walking }) {
			const known = heard.get(device);
			const title = known?.alias || name || known?.title || 'Device without a name';
			redo(see, title, () => shown(title));
			setText(fact, `${address ?? ''} · ${connectable === false ? 'not connectable' : counted(links, 'link')}`);
			drawGlyph(mark, known?.kind, false);
			if (device) set(see, { href: at('devices', device) });
			distance.set(Number((metres ?? 1).toFixed(2)));
			loss.set(Math.round((faults?.loss ?? 0) * 100));
			able(cut, links ? '' : 'It has no link.');
			press(silent, faults?.silent);
			press(out, faults?.outOfRange);
			press(walks, walking);
		}
		return { element, draw };
	}

	const soon = later(200, load);
	load();
	return { ends: [on('log', (entry) => { if (entry.kind === 'air') soon(); }), on('connection', soon),
		on('hello missed', load), watch((kind) => { if (kind === 'devices') soon(); })] };
}
