// A device in a list: what it is, how strong it is heard, and what it says.
import { elements, h, icon, plain, redo, setCurrent, setText, shown, soft, svg } from '../shared/dom.js';
import { sparkline } from '../shared/plot.js';
import { names, showState } from './store.js';
import { dBm, minus, phrase, usual } from './value.js';

// Icon and tint of each kind of device.
const kinds = {
	heart: ['heart', 1], bloodPressure: ['gauge', 1], thermometer: ['thermo', 2], scale: ['scale', 1],
		glucose: ['drop', 1],
	oximeter: ['finger', 1], cycling: ['bike', 4], running: ['run', 4], environment: ['thermo', 2], light: ['bulb', 4],
	lock: ['lock', 3], phone: ['phone'], computer: ['computer'], watch: ['watch'], audio: ['ear'], input: ['keyboard'],
	tag: ['tagged', 3], beacon: ['pin', 3], link: ['link', 4], sensorTag: ['chip', 5], device: ['box'],
};

/** The icon of a device on its tint; a dot means connected. */
export function glyph(kind, size = '') {
	const [name, tint = 0] = kinds[kind] ?? kinds.device;
	return h(`span.glyph.k${tint}${size && '.' + size}`, icon(name));
}
export function drawGlyph(mark, kind, isLinked, size) {
	redo(mark, kind ?? null, () => glyph(kind, size));
	mark.firstChild.classList.toggle('linked', isLinked);
}

const level = (rssi) => !rssi ? 0 : rssi >= -58 ? 4 : rssi >= -70 ? 3 : rssi >= -82 ? 2 : 1;
export const bars = () => svg('svg', { class: 'bars', viewBox: '0 0 20 14', 'aria-hidden': 'true' },
	...[4, 7, 10, 14].map((height, i) => svg('rect', { x: i * 5.4, y: 14 - height, width: 3.6, height, rx: 1 })));
export const setBars = (element, rssi) => element.setAttribute('class', `bars b${level(rssi)}`);
/** A distance with two digits at most. */
export const metres = (value) =>
	`${value < 3 ? Math.max(0.1, value).toFixed(1) : value > 30 ? '30+' : Math.round(value)} m`;
const interval = (seconds) => seconds >= 1 ? `${Number(seconds.toFixed(1))} s` : `${Math.round(seconds * 1000)} ms`;

const isBattery = (part) => part.name === 'battery';
/** The quantities that a device advertises; the battery is the last. */
export const quantities = ({ measurements = [] }) =>
	(measurements ?? []).map(usual).sort((a, b) => isBattery(a) - isBattery(b));
export const advertised = (device) =>
	quantities(device).map((one) => (isBattery(one) ? 'battery ' : '') + phrase(one));
export const says = (device) => [...device.live ? [phrase(device.live)] : [], ...advertised(device)];
export const short = (company) => company?.replace(/,? (inc|ltd|llc|gmbh|co|corp|corporation|oy|ab|limited)\.?$/i, '');

/** The end of the address, if other devices have this name. */
const digits = (device) => names.get(device.title) > 1 ? (device.address ?? device.id).slice(-5) : '';
export const label = (device) => `${plain(device.title)} ${digits(device)}`.trim();

/** The kind in words, unless the name says it. */
export const kindOf = ({ kindName, title }) =>
	kindName && !title?.toLowerCase().includes(kindName.toLowerCase()) && kindName;

export const about = (device) => [
	short(device.company), kindOf(device), device.interval && `every ${interval(device.interval)}`,
	device.connectable === false && 'not connectable',
].filter(Boolean).join(' · ') || device.address || 'company not stated';

/** The name, and the end of the address where several devices have it. */
export function drawName(element, device) {
	const end = digits(device);
	redo(element, [device.title, end], () => [shown(device.title), end && soft(' ', end)]);
}

/** A device as a card: icon, name, its state in colour or what it says, and its strength. */
export function deviceCard(href) {
	const [mark, name, state, said, rssi] = elements('span span.name span span.chip.value b');
	const strength = bars(), element = h('a', { href }, mark,
		h('span', name, h('span.under', state, ' ', said)), h('span.signal', rssi, strength));
	return { element, draw(device, link = device.connection ?? 'disconnected') {
		drawGlyph(mark, device.kind, link === 'connected');
		drawName(name, device);
		setText(said, says(device).slice(0, 3).join(', '));
		said.hidden = !said.textContent;
		state.hidden = !said.hidden;
		showState(state, link);
		if (link === 'disconnected') setText(state, kindOf(device) || 'advertising');
		setText(rssi, device.rssi ? dBm(device.rssi) : '');
		setBars(strength, device.rssi);
	} };
}

export function deviceRow() {
	const [mark, what, far, rssi, name, under, chips, range]
		= elements('span span.what span b span.name span.under span.chips span.under');
	const spark = sparkline(), strength = bars();
	what.append(name, under, chips);
	const link = h('a.rowlink', mark, what, h('span.sparkcell', spark.element, range),
		h('span.signal', rssi, h('span', strength, far)));
	function draw(device, address, isChosen) {
		drawGlyph(mark, device.kind, device.connection === 'connected');
		drawName(name, device);
		name.classList.toggle('star', !!device.favourite);
		setText(under, plain(about(device)));
		const values = says(device), services = (device.serviceNames ?? []).map((one, i) => one ?? device.services[i]);
		const more = services.length > 2 && h('span.chip', `+${services.length - 2}`);
		redo(chips, [values, services], () => [values.map((one) => h('span.chip.value', shown(one))),
			services.slice(0, 2).map((one) => h('span.chip', shown(one))), more]);
		redo(rssi, device.rssi, () => device.rssi ? [minus(device.rssi), h('small', ' dBm')] : '–');
		setBars(strength, device.rssi);
		setText(far, device.distance ? metres(device.distance.metres) : '');
		const limits = link.parentElement?.closest('.open') ? null : spark.draw(device.rssiHistory ?? []);
		if (limits) setText(range, limits.map(minus).join(' … '));
		if (link.getAttribute('href') !== address) link.setAttribute('href', address);
		setCurrent(link, isChosen);
	}
	return { link, draw };
}
