// The state of the pages: devices and the server, updated by events.
import { button, h, icon, relabel, setText } from '../shared/dom.js';
import { get, post } from '../shared/api.js';
import { on, ready } from '../shared/stream.js';
import { usual } from './value.js';

/** Devices by identifier, in the order in which they were found. */
export const devices = new Map();
export const store = { state: null, loaded: false, error: null };

const listeners = new Set();
/** Calls `listener(kind, id)` after changes: kinds `devices`, `device`, `state`. */
export function watch(listener) { listeners.add(listener); return () => listeners.delete(listener); }
const tell = (kind, id) => { for (const listener of [...listeners]) listener(kind, id); };

const kept = 60;
/** How many devices have each name. */
export const names = new Map();
const count = (name, step) => names.set(name, (names.get(name) ?? 0) + step);

function take(device) {
	const before = devices.get(device.id);
	const history = device.rssiHistory ?? before?.rssiHistory ?? [];
	if (!device.rssiHistory && device.rssi !== null && device.rssi !== undefined) {
		history.push([Date.parse(device.lastSeen) || Date.now(), device.rssi]);
		if (history.length > kept) history.splice(0, history.length - kept);
	}
	if (before) count(before.title, -1);
	count(device.title ?? before?.title, 1);
	devices.set(device.id, { ...before, ...device, rssiHistory: history });
}

export async function reload() {
	try {
		await ready;
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

async function reloadState() {
	try { store.state = await get('/state'); } catch { return; }
	tell('state');
}

export function setState(state) { store.state = state; tell('state'); }

on('device', (device) => {
	if (device.gone) { count(devices.get(device.id)?.title, -1); devices.delete(device.id); tell('devices'); return; }
	const isNew = !devices.has(device.id);
	take(device);
	tell(isNew ? 'devices' : 'device', device.id);
});
on('connection', (link) => {
	const device = devices.get(link.id);
	if (!device) return;
	const isOther = device.connection !== link.state;
	device.connection = link.state;
	if (link.state !== 'connected') device.live = null;
	tell(isOther ? 'devices' : 'device', link.id);
});
const rank = (part) => ['bpm', '°C'].indexOf(part?.unit) + 1 || 9;
on('value', (value) => {
	// A flag has no unit, and says nothing alone.
	const device = devices.get(value.id), main = value.cause === 'notify' && value.parts?.find((one) => 'number' in one && one.unit);
	if (!device || !main) return;
	// What people look for first stays.
	if (rank(main) <= rank(device.live)) device.live = usual(main);
	tell('device', value.id);
});
on('log', (entry) => { if (entry.kind === 'radio' || entry.kind === 'scan') reloadState(); });
on('missed', () => reload());
let boot = null;
on('hello', (hello) => {
	// Another start of the server, or the first one: read all.
	if (boot !== hello.boot || !store.loaded) reload();
	boot = hello.boot;
});

/** The state of the scan and its button; an error appears in `place`. */
export function scanSwitch(place) {
	const live = h('span.live'), scan = button('Pause', place, async () => setState(await post('/scan', { active: !store.state?.scanning })), '', 'pause');
	scan.dataset.key = 'space';
	return { parts: [live, scan], draw() {
		const isScanning = store.state?.scanning !== false;
		setText(live, isScanning ? 'scanning' : 'paused');
		live.classList.toggle('on', isScanning);
		if (scan.textContent !== (isScanning ? 'Pause' : 'Scan')) scan.firstChild.replaceWith(icon(isScanning ? 'pause' : 'play'));
		relabel(scan, isScanning ? 'Pause' : 'Scan');
		scan.disabled = !!store.state?.readOnly;
	} };
}

const shapes = { disconnected: '○', connecting: '◐', reconnecting: '◐', connected: '●', disconnecting: '◑', pairing: '◆' };
/** A state by word, shape and colour. */
export function showState(element, state) {
	element.classList.add('state');
	element.dataset.state = state;
	element.dataset.shape = shapes[state] ?? '○';
	const text = state === 'disconnected' ? 'not connected' : state;
	setText(element, text);
	return element;
}
