// SensorTags: every tag in range, and the sensors of one as tiles.
import { at, blank, button, fill, h, icon, loading, problem, setText, shown } from '../shared/dom.js';
import { get, post } from '../shared/api.js';
import { on, ready } from '../shared/stream.js';
import { devices, scanSwitch, showState, store, watch } from './store.js';
import { bars, glyph, minus, setBars } from './row.js';
import { tagPanel } from './tile.js';

export const isOpen = (tag) => !!tag && tag.state !== 'disconnected';

export function sensorTagsPage(root, go) {
	let tags = new Map(), chosen = null, panel = null, failure = null, loaded = false, waiting = 0;
	const tabs = h('nav.tabs', { aria: 'SensorTags' }), empty = h('div'), place = h('div'), links = new Map(), detail = h('div.single-tag');
	const scan = scanSwitch(place), others = h('a.button', { href: '/devices' });
	fill(root, h('.single', h('.pagehead', h('h1', 'SensorTags'), scan.parts, others), place, tabs, empty, detail));

	const path = (id) => at('sensortags', id) + (isOpen(tags.get(id)) ? '/disconnect' : '/connect');
	function draw() {
		scan.draw();
		setText(others, `Other devices: ${devices.size - tags.size}`);
		for (const [id, row] of links) if (!tags.has(id)) { row.link.remove(); links.delete(id); }
		for (const [id, tag] of tags) {
			if (!links.has(id)) {
				const mark = glyph('sensorTag'), name = h('span.name'), state = h('span'), rssi = h('b'), strength = bars();
				const row = { mark, name, state, rssi, strength, link: h('a', { href: at('sensortags', id) }, mark, h('span', name, h('span.under', state)), h('span.signal', rssi, strength)) };
				links.set(id, row);
				tabs.append(row.link);
			}
			const row = links.get(id), rssi = devices.get(id)?.rssi ?? tag.rssi;
			row.mark.classList.toggle('linked', tag.state === 'connected');
			fill(row.name, shown(devices.get(id)?.title ?? tag.name ?? tag.model));
			showState(row.state, tag.pairing ? 'pairing' : tag.state);
			setText(row.rssi, rssi ? `${minus(rssi)} dBm` : '');
			setBars(row.strength, rssi);
			if (id === chosen) row.link.setAttribute('aria-current', 'page'); else row.link.removeAttribute('aria-current');
		}
		fill(empty, failure ? problem(failure) : !loaded ? loading('The list is loading.') : tags.size ? chosen && !tags.has(chosen) ? blank('chip', 'This SensorTag is not in range', 'The page continues when it is found.') : [] : blank('chip', 'No SensorTag yet', 'Press the button on the side of a tag: it then advertises for some minutes. CC2541 and CC2650 are supported.',
			store.state?.air ? h('a.button', { href: '/air' }, icon('flask'), 'Put a simulated one on the air') : null));
		panel?.take(tags.get(chosen));
	}

	function take(tag) { tags.set(tag.id, { ...tags.get(tag.id), ...tag }); draw(); }

	async function load() {
		try {
			await ready;
			tags = new Map((await get('/sensortags')).tags.map((one) => [one.id, one]));
			failure = null;
			loaded = true;
		} catch (error) { failure = error; }
		if (!chosen && tags.size) { const first = [...tags.values()].find(isOpen) ?? [...tags.values()][0]; go(at('sensortags', first.id), true); return; }
		showDetail();
		draw();
	}
	const soon = () => { clearTimeout(waiting); waiting = setTimeout(load, 300); };

	function showDetail() {
		if (panel && panel.id === chosen && tags.has(chosen)) return;
		panel?.close();
		panel = null;
		if (chosen && tags.has(chosen)) panel = tagPanel(detail, chosen, take, async () => take(await post(path(chosen)))); else fill(detail);
	}

	const ends = [on('log', (entry) => { if (entry.kind === 'sensortag') soon(); }), on('hello', load), on('missed', load),
		on('value', (value) => { if (value.id === chosen && value.sensor) panel?.show(value.sensor, value, true); }),
		on('pairing', ({ device, closed }) => { if (tags.has(device)) take({ id: device, pairing: !closed }); }),
		on('connection', (link) => {
			const tag = tags.get(link.id);
			if (!tag) return;
			if (link.id === chosen) panel?.linkChanged(link, tag.state);
			take({ id: link.id, state: link.state, rssi: link.rssi ?? tag.rssi });
			soon();
		}),
		watch((kind, id) => {
			if (tags.has(id)) take({ id, rssi: devices.get(id)?.rssi ?? tags.get(id).rssi });
			if (kind === 'devices' && [...devices.values()].some((one) => one.sensorTag && !tags.has(one.id))) soon();
			if (kind === 'state') draw();
		})];
	load();
	return {
		update([id]) { chosen = id ?? null; showDetail(); draw(); if (!chosen && loaded) load(); },
		close() { ends.forEach((end) => end()); panel?.close(); clearTimeout(waiting); },
	};
}
