// Capture: the packets between this program and the radio, for Wireshark.
import { blank, button, facts, file, fill, h, problem, setText, shown, time } from '../shared/dom.js';
import { get, post } from '../shared/api.js';
import { on, ready } from '../shared/stream.js';
import { store } from './store.js';
import { upper } from './value.js';

export function capturePage(root) {
	const place = h('div'), failure = h('div'), content = h('div');
	const start = button('Start', place, async () => show(await post('/capture/start')), '', 'record', 'button.main');
	const stop = button('Stop', place, async () => show(await post('/capture/stop')), '', 'pause');
	const [state, packets, size, started] = [0, 0, 0, 0].map(() => h('span'));
	const download = file('/capture/file', 'harald.btsnoop', 'Download the file');
	const body = h('section.card.pad', h('.bar', start, stop, download), h('dl.facts', facts([['State', state], ['Packets', packets], ['Size', size], ['Started', started]])));
	fill(root, h('.single', h('h1', 'Capture'), h('p.soft', 'Records the packets between this program and the radio. Open the file with Wireshark, or with ', h('code', 'harald dissect'), '.'), failure, place, content));
	function show(capture) {
		if (!capture.available) { fill(content, blank('record', 'This adapter cannot be captured', [shown(upper(capture.reason)), '. A virtual radio, a serial controller and a user channel support captures.'])); return; }
		if (!content.contains(start)) fill(content, body);
		setText(state, { off: '○ not started', running: '● running', stopped: '■ stopped' }[capture.state]);
		setText(packets, (capture.packets ?? 0).toLocaleString());
		setText(size, `${((capture.bytes ?? 0) / 1024).toFixed(1)} KB`);
		fill(started, capture.started ? time(capture.started) : 'not yet');
		start.disabled = capture.state === 'running' || store.state?.readOnly;
		stop.disabled = capture.state !== 'running' || store.state?.readOnly;
		download.hidden = !capture.packets;
	}
	async function load() {
		try { await ready; show(await get('/capture')); fill(failure); } catch (error) { fill(failure, problem(error)); }
	}
	const timer = setInterval(() => document.hidden || load(), 1000);
	const end = on('log', (entry) => { if (entry.kind === 'capture') load(); });
	load();
	return { update() {}, close() { clearInterval(timer); end(); } };
}
