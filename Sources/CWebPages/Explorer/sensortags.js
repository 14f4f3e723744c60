// SensorTags: every tag in range, the sensors of one as tiles, and the other devices of the air.
import { at, blank, fill, h, icon, keyed, loading, problem, redo, setCurrent, setText } from '../shared/dom.js';
import { get, post } from '../shared/api.js';
import { on, ready } from '../shared/stream.js';
import { devices, scanSwitch, showState, store, watch } from './store.js';
import { advertised, bars, drawName, glyph, kindOf, setBars } from './row.js';
import { minus, phrase } from './value.js';
import { isBare, tagPanel } from './tile.js';

export const isOpen = (tag) => !!tag && tag.state !== 'disconnected';
/** Devices that measure come first. */
const measures = (one) => !!(one.live || one.measurements?.length) || ['thermometer', 'environment'].includes(one.kind);
const most = 48;

/** A device as a card: icon, name, its state in colour or what it says, and its strength. */
function tab(href) {
	const mark = h('span'), name = h('span.name'), state = h('span'), says = h('span.chip.value'), rssi = h('b'), strength = bars(), element = h('a', { href }, mark, h('span', name, h('span.under', state, ' ', says)), h('span.signal', rssi, strength));
	return { element, draw(device, state_) {
		redo(mark, device.kind, () => glyph(device.kind));
		mark.firstChild.classList.toggle('linked', state_ === 'connected');
		drawName(name, device);
		const said = [...device.live ? [phrase(device.live)] : [], ...advertised(device)].slice(0, 3).join(', ');
		says.hidden = !said;
		setText(says, said);
		showState(state, state_ ?? 'disconnected');
		if (!isOpen({ state: state_ })) setText(state, kindOf(device) || 'advertising');
		state.hidden = !!said;
		setText(rssi, device.rssi ? `${minus(device.rssi)} dBm` : '');
		setBars(strength, device.rssi);
	} };
}

export function sensorTagsPage(root, go) {
	let tags = new Map(), chosen = null, panel = null, failure = null, loaded = false, waiting = 0, frame = 0;
	const tabs = h('nav.tabs', { aria: 'SensorTags' }), others = h('nav.tabs.small', { aria: 'Other devices' }), [empty, place, detail] = [0, 0, 0].map(() => h('div'));
	const scan = scanSwitch(place), more = h('a', { href: '/devices' }), rest = h('section.stack', { hidden: true }, h('.sectionhead', h('h2', 'Other devices'), more), others);
	fill(root, h('.single', h('.pagehead', h('h1', 'SensorTags'), scan.parts), place, tabs, empty, detail, rest));

	const path = (id) => at('sensortags', id) + (isOpen(tags.get(id)) && !isBare(tags.get(id)) ? '/disconnect' : '/connect');
	// A card need not change more often.
	const draw = () => { frame ||= setTimeout(() => { frame = 0; drawNow(); }, 100); };
	function drawNow() {
		scan.draw();
		const mine = keyed(tabs, tags.keys(), (id) => tab(at('sensortags', id)));
		for (const [id, tag] of tags) {
			const one = mine.get(id);
			one.draw({ kind: 'sensorTag', title: tag.name ?? tag.model, ...tag, ...devices.get(id), live: null, rssi: devices.get(id)?.rssi ?? tag.rssi }, tag.pairing ? 'pairing' : tag.state);
			setCurrent(one.element, id === chosen);
		}
		const all = [...devices.values()].filter((one) => !one.sensorTag), shown = [...all.filter(measures), ...all.filter((one) => !measures(one))].slice(0, most);
		rest.hidden = !all.length;
		setText(more, `All ${devices.size}`);
		const theirs = keyed(others, shown.map((one) => one.id), (id) => tab(at('devices', id)));
		for (const one of shown) theirs.get(one.id).draw(one, one.connection);
		redo(empty, [failure?.message, loaded, !tags.size, chosen && !tags.has(chosen)], () => failure ? problem(failure) : !loaded ? loading('The list is loading.') : tags.size ? chosen && !tags.has(chosen) ? blank('chip', 'This SensorTag is not in range', 'The page continues when it is found.') : [] : blank('chip', 'No SensorTag yet', 'Press the button on the side of a tag: it then advertises for some minutes. CC2541 and CC2650 are supported.',
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
		watch((kind) => {
			draw();
			if (kind === 'devices' && [...devices.values()].some((one) => one.sensorTag && !tags.has(one.id))) soon();
		})];
	load();
	return {
		update([id]) { chosen = id ?? null; showDetail(); draw(); if (!chosen && loaded) load(); },
		close() { ends.forEach((end) => end()); panel?.close(); clearTimeout(waiting); clearTimeout(frame); },
	};
}
