// SensorTags: every tag in range, the sensors of one as tiles, and the other devices of the air.
import { at, blank, elements, end, fill, h, icon, keyed, later, loading, problem, redo, setCurrent,
	setText } from '../shared/dom.js';
import { get, post } from '../shared/api.js';
import { on } from '../shared/stream.js';
import { devices, scanSwitch, store, watch } from './store.js';
import { deviceCard } from './row.js';
import { isBare, tagPanel } from './tile.js';

const isOpen = (tag) => !!tag && tag.state !== 'disconnected';
/** Devices that measure come first. */
const measures = (one) => !!(one.live || one.measurements?.length) || ['thermometer', 'environment'].includes(one.kind);
const most = 48;

export function sensorTagsPage(root, go) {
	let tags = new Map(), chosen = null, panel = null, failure = null, loaded = false;
	const tabs = h('nav.tabs', { aria: 'SensorTags' }), others = h('nav.tabs.small', { aria: 'Other devices' });
	const [empty, place, detail] = elements('div div div'), scan = scanSwitch(place);
	const more = h('a', { href: '/devices' });
	const rest = h('section.stack', { hidden: true }, h('.sectionhead', h('h2', 'Other devices'), more), others);
	fill(root, h('.single', h('.pagehead', h('h1', 'SensorTags'), scan.parts), place, tabs, empty, detail, rest));

	const toggle = async () => {
		const tag = tags.get(chosen), isLinked = isOpen(tag) && !isBare(tag);
		take(await post(at('sensortags', chosen, isLinked ? 'disconnect' : 'connect')));
	};
	let timer = 0;
	// A card need not change more often.
	const draw = () => { timer ||= setTimeout(drawNow, 100); };
	function drawNow() {
		timer = 0;
		scan.draw();
		const mine = keyed(tabs, tags.keys(), (id) => deviceCard(at('sensortags', id)));
		for (const [id, tag] of tags) {
			const one = mine.get(id), { rssi } = devices.get(id) ?? tag, title = tag.name ?? tag.model;
			one.draw({ kind: 'sensorTag', title, ...tag, ...devices.get(id), live: null, rssi },
				tag.pairing ? 'pairing' : tag.state);
			setCurrent(one.element, id === chosen);
		}
		const all = [...devices.values()].filter((one) => !one.sensorTag).sort((a, b) => measures(b) - measures(a));
		rest.hidden = !all.length;
		setText(more, `All ${devices.size}`);
		const theirs = keyed(others, all.slice(0, most).map((one) => one.id), (id) => deviceCard(at('devices', id)));
		theirs.forEach((one, id) => one.draw(devices.get(id)));
		const isAway = chosen && !tags.has(chosen);
		redo(empty, [failure?.message, loaded, !tags.size, isAway], () => failure ? problem(failure)
			: !loaded ? loading('The list is loading.')
			: !tags.size ? blank('chip', 'No SensorTag yet',
				'Press the button on the side of a tag: it then advertises for '
				+ 'some minutes. CC2541 and CC2650 are supported.',
				store.state?.air && h('a.button', { href: '/air' }, icon('flask'), 'Put a simulated one on the air'))
			: isAway ? blank('chip', 'This SensorTag is not in range', 'The page continues when it is found.') : []);
		panel?.take(tags.get(chosen));
	}

	function take(tag) { tags.set(tag.id, { ...tags.get(tag.id), ...tag }); draw(); }

	async function load() {
		try {
			tags = new Map((await get('/sensortags')).tags.map((one) => [one.id, one]));
			failure = null;
			loaded = true;
		} catch (error) { failure = error; }
		if (!chosen && tags.size) {
			const all = [...tags.values()];
			go(at('sensortags', (all.find(isOpen) ?? all[0]).id), true);
			return;
		}
		showDetail();
		draw();
	}
	const soon = later(300, load);

	function showDetail() {
		const isThere = tags.has(chosen);
		if (panel && panel.id === chosen && isThere) return;
		end(panel);
		panel = isThere ? tagPanel(detail, chosen, take, toggle) : null;
		if (!isThere) fill(detail);
	}

	load();
	return {
		ends: [() => end(panel), on('hello missed', load),
			on('log', (entry) => { if (entry.kind === 'sensortag') soon(); }),
			on('value', (value) => {
				if (value.id === chosen && value.sensor) panel?.show(value.sensor, value, true);
			}),
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
				const isNew = (one) => one.sensorTag && !tags.has(one.id);
				if (kind === 'devices' && [...devices.values()].some(isNew)) soon();
			})],
		update([id]) {
			chosen = id ?? null;
			showDetail();
			draw();
			if (!chosen && loaded) load();
		},
	};
}
