// The events of the server in a page: on('value', f), on('state', f). All tabs share one stream.
import { setViewer } from './api.js';
import { EventReader } from './reader.js';

const listeners = new Map();
let state = 'connecting';
export const streamState = () => state;

/** Calls `listener` for each event of the names, 'hello missed'; returns a function that ends it. */
export function on(names, listener) {
	const sets = names.split(' ').map((name) => listeners.get(name) ?? listeners.set(name, new Set()).get(name));
	for (const one of sets) one.add(listener);
	return () => { for (const one of sets) one.delete(listener); };
}

function emit(name, data) {
	for (const listener of [...listeners.get(name) ?? []]) {
		try { listener(data); } catch (error) { console.error(error); }
	}
}

function receive(message) {
	if (message.state) { state = message.state; emit('state', state); return; }
	for (const event of message.events) emit(...event);
}

/** The name of this browser as a viewer. It survives a reload, so that what the viewer holds does too. */
function viewerName() {
	const hex = (one) => one.toString(16).padStart(2, '0');
	const name = localStorage.getItem('harald-viewer')
		?? [...crypto.getRandomValues(new Uint8Array(16))].map(hex).join('');
	localStorage.setItem('harald-viewer', name);
	return name;
}

export function startStream() {
	const name = viewerName();
	setViewer(new Promise((resolve) => on('hello', ({ viewer }) => resolve(viewer))));
	// Without shared workers each tab has a stream of its own.
	if (!globalThis.SharedWorker) { new EventReader(name, receive).start(); return; }
	const address = new URL('./worker.js', import.meta.url).href;
	// The pages' policy lets no script be loaded but this one.
	const createScriptURL = (url) => { if (url !== address) throw new TypeError(url); return url; };
	const policy = globalThis.trustedTypes?.createPolicy('harald', { createScriptURL });
	const { port } = new SharedWorker(policy ? policy.createScriptURL(address) : address, { type: 'module', name });
	port.onmessage = ({ data }) => receive(data);
	addEventListener('pagehide', () => port.postMessage('bye'));
	addEventListener('pageshow', (event) => { if (event.persisted) port.postMessage('again'); });
}
