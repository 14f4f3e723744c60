// The state of the pages: devices and the server, updated by events.
import { able, button, h, icon, relabel, setText } from '../shared/dom.js';
import { get, post } from '../shared/api.js';
import { on } from '../shared/stream.js';
import { usual } from './value.js';

/** Devices by identifier, in the order in which they were found. */
export const devices = new Map();
export const store = { state: null, loaded: false, error: null };
export const isReadOnly = () => !!store.state?.readOnly;
const radioWords = { poweredOff: 'Bluetooth is off.', unauthorized: 'Bluetooth is not permitted.',
	unsupported: 'There is no Bluetooth adapter.', resetting: 'The radio is restarting.' };
export const notLinked = 'Not connected. Connect the device first.';
/** Why the radio cannot be used. */
export const radioFault = () => radioWords[store.state?.radio?.state];

const listeners = new Set();
/** Calls `listener(kind, id)` after changes: kinds `devices`, `device`, `state`. */
export function watch(listener) { listeners.add(listener); return () => listeners.delete(listener); }
const tell = (kind, id) => { for (const listener of [...listeners]) listener(kind, id); };

const kept = 60;
export const names = new Map();
const count = (name, step) => names.set(name, (names.get(name) ?? 0) + step);

function take(device) {
	const before = devices.get(device.id), rssiHistory = device.rssiHistory ?? before?.rssiHistory ?? [];
	if (!device.rssiHistory && typeof device.rssi === 'number') {
		rssiHistory.push([Date.parse(device.lastSeen) || Date.now(), device.rssi]);
		if (rssiHistory.length > kept) rssiHistory.splice(0, rssiHistory.length - kept);
	}
	if (before) count(before.title, -1);
	count(device.title ?? before?.title, 1);
	devices.set(device.id, { ...before, ...device, rssiHistory });
}

export async function reload() {
	try {
		const all = get('/devices');
		all.catch(() => {});
		setState(await get('/state'));
		const list = await all;
		devices.clear();
		names.clear();
		for (const device of list.devices) take(device);
		store.loaded = true;
		store.error = null;
	} catch (error) { store.error = error; }
	tell('state');
	tell('devices');
}

export function setState(state) { store.state = state; tell('state'); }

on('device', (device) => {
	const { id } = device, isNew = !devices.has(id);
	if (device.gone) {
		count(devices.get(id)?.title, -1);
		devices.delete(id);
	} else take(device);
	tell(isNew || device.gone ? 'devices' : 'device', id);
});
on('connection', ({ id, state }) => {
	const device = devices.get(id), isOther = device?.connection !== state;
	if (!device) return;
	device.connection = state;
	if (state !== 'connected') device.live = null;
	tell(isOther ? 'devices' : 'device', id);
});
const rank = (part) => ['bpm', '°C'].indexOf(part?.unit) + 1 || 9;
on('value', ({ id, cause, parts }) => {
	// A flag has no unit, and says nothing alone.
	const device = devices.get(id), main = cause === 'notify' && parts?.find((one) => 'number' in one && one.unit);
	if (!device || !main) return;
	// What people look for first stays.
	if (rank(main) <= rank(device.live)) device.live = usual(main);
	tell('device', id);
});
on('log', ({ kind }) => { if (kind === 'radio' || kind === 'scan') get('/state').then(setState, () => {}); });
on('missed', reload);
let boot = null;
on('hello', (hello) => {
	// Another start of the server, or the first one.
	if (boot !== hello.boot || !store.loaded) reload();
	boot = hello.boot;
});

/** The state of the scan and its button; an error appears in `place`. */
export function scanSwitch(place) {
	const change = async () => setState(await post('/scan', { active: !store.state?.scanning }));
	const live = h('span.live'), scan = button('Pause', place, change, '', 'pause');
	scan.dataset.key = 'space';
	return { parts: [live, scan], draw() {
		const isScanning = store.state?.scanning !== false, text = isScanning ? 'Pause' : 'Scan';
		setText(live, isScanning ? 'scanning' : 'paused');
		live.classList.toggle('on', isScanning);
		if (scan.textContent !== text) scan.firstChild.replaceWith(icon(isScanning ? 'pause' : 'play'));
		relabel(scan, text);
		scan.hidden = isReadOnly();
		able(scan, radioFault());
	} };
}

const shapes = { connecting: '◐', reconnecting: '◐', connected: '●', disconnecting: '◑', pairing: '◆' };
/** A state by word, shape and colour. */
export function showState(element, state) {
	element.classList.add('state');
	Object.assign(element.dataset, { state, shape: shapes[state] ?? '○' });
	setText(element, state === 'disconnected' ? 'not connected' : state);
}
