// Capture: the packets between this program and the radio, for Wireshark.
import { able, act, blank, button, elements, every, facts, file, fill, h, setText, shown,
	time } from '../shared/dom.js';
import { get, post } from '../shared/api.js';
import { on } from '../shared/stream.js';
import { isReadOnly } from './store.js';
import { upper } from './value.js';

const states = { off: '○ not started', running: '● running', stopped: '■ stopped' };

export function capturePage(root) {
	const place = h('div'), failure = h('div'), content = h('div');
	const command = (text, name, kind) =>
		button(text, place, async () => show(await post('/capture/' + text.toLowerCase())), '', name, kind);
	const start = command('Start', 'record', 'button.main'), stop = command('Stop', 'pause');
	const [state, packets, size, started] = elements('span span span span');
	const download = file('/capture/file', 'harald.btsnoop', 'Download the file');
	const body = h('section.card.pad', h('.bar', start, stop, download),
		h('dl.facts', facts([['State', state], ['Packets', packets], ['Size', size], ['Started', started]])));
	fill(root, h('.single', h('h1', 'Capture'), h('p.soft', 'Records the packets between this program and the radio. ',
		'Open the file with Wireshark, or with ', h('code', 'harald dissect'), '.'), failure, place, content));
	function show(capture) {
		if (!capture.available) {
			const text = '. A virtual radio, a serial controller and a user channel support captures.';
			fill(content, blank('record', 'This adapter cannot be captured', [shown(upper(capture.reason)), text]));
			return;
		}
		if (!content.contains(start)) fill(content, body);
		setText(state, states[capture.state]);
		setText(packets, (capture.packets ?? 0).toLocaleString());
		setText(size, `${((capture.bytes ?? 0) / 1024).toFixed(1)} KB`);
		fill(started, capture.started ? time(capture.started) : 'not yet');
		start.hidden = stop.hidden = isReadOnly();
		able(start, capture.state === 'running' ? 'A capture is running.' : '');
		able(stop, capture.state === 'running' ? '' : 'No capture is running.');
		download.hidden = !capture.packets;
	}
	const load = () => act(null, failure, async () => show(await get('/capture')));
	load();
	return { ends: [every(1000, load), on('log', (entry) => { if (entry.kind === 'capture') load(); })] };
}
