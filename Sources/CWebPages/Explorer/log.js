// Log: every action, value and error.
import { at, bar, bytes, clock, file, fill, h, problem, row, setText, shown, spaced, table } from '../shared/dom.js';
import { get } from '../shared/api.js';
import { on, ready } from '../shared/stream.js';

const kinds = ['error', 'scan', 'connection', 'read', 'write', 'value', 'subscription', 'pairing', 'bond', 'radio', 'air', 'capture', 'sensortag'];

/** What an entry says without the bytes, which have a column of their own. */
function said({ text, hex, characteristic, characteristicName, kind }) {
	const raw = spaced(hex), own = raw && text.endsWith(`(${raw})`) ? text.slice(0, -raw.length - 2).trim() : text === raw && raw ? '' : text;
	const name = ['value', 'read', 'write', 'subscription'].includes(kind) ? characteristicName ?? characteristic : null;
	return [name ? [shown(name), own ? ': ' : ''] : null, own ? shown(own) : null];
}

/** A line of the log, without the device. */
export const logCells = (entry) => [h('span', { title: new Date(entry.time).toLocaleString() }, clock(entry.time)), h(entry.error ? 'span.bad' : 'span.soft', (entry.error ? '▲ ' : '') + entry.kind), h('span', said(entry), entry.advice ? h('.soft', shown(entry.advice)) : null), bytes(entry.hex)];

export function logPage(root, go) {
	let query = new URLSearchParams(), paused = false, frame = 0, boot = null;
	const entries = new Map(), body = h('tbody'), empty = h('.empty'), place = h('div');
	const count = h('span.soft', { role: 'status' });
	const kind = h('select', { onchange: () => set('kind', kind.value) }, h('option', { value: '' }, 'all kinds'), kinds.map((one) => h('option', one)));
	const find = h('input', { type: 'search', placeholder: 'Find', aria: 'Find in the log', oninput: () => set('find', find.value) });
	const pause = h('button', { 'aria-pressed': 'false', onclick: () => { paused = !paused; pause.setAttribute('aria-pressed', paused); draw(); } }, 'Pause');
	fill(root, h('.single', bar(h('h1', 'Log'), count), bar(h('label', 'Show ', kind), find, pause, file('/log.jsonl', 'harald-log.jsonl', 'as JSON Lines'), file('/log.csv', 'harald-log.csv', 'as CSV')), place,
		table(['Time', 'Kind', 'Event', 'Bytes', 'Device'], body), empty));
	function set(key, value) { if (value) query.set(key, value); else query.delete(key); go('/log' + (query.size ? '?' + query : ''), true); }
	function fits(entry) {
		const wanted = query.get('kind'), text = query.get('find')?.toLowerCase();
		if (wanted === 'error' ? !entry.error : wanted && entry.kind !== wanted) return false;
		return !text || [entry.text, entry.name, entry.characteristic, entry.hex].some((one) => String(one ?? '').toLowerCase().includes(text));
	}
	function draw() {
		if (!paused) frame ||= requestAnimationFrame(() => {
			frame = 0;
			const list = [...entries.values()].filter(fits).slice(-300).reverse();
			fill(body, list.map((entry) => row(...logCells(entry), entry.device ? h('a', { href: at('devices', entry.device, ...entry.handle ? [entry.handle] : []) }, shown(entry.name || 'no name')) : '')));
			setText(count, `${list.length} of ${entries.size}`);
			setText(empty, list.length ? '' : entries.size ? 'No entry matches the filter.' : 'The log is empty. Connect a device or read a value to add entries.');
		});
	}
	function take(entry) {
		entries.set(entry.sequence, entry);
		if (entries.size > 1000) entries.delete(entries.keys().next().value);
		draw();
	}
	async function load() {
		try {
			await ready;
			const answer = await get('/log?limit=1000');
			entries.clear();
			answer.entries.forEach(take);
			fill(place, answer.dropped ? h('p.soft', `${answer.dropped} older entries were dropped.`) : []);
		} catch (error) { fill(place, problem(error)); }
		draw();
	}
	const ends = [on('log', take), on('missed', load), on('hello', (hello) => { if (hello.boot !== boot) load(); boot = hello.boot; })];
	load();
	return {
		update(_, parameters) { query = parameters; kind.value = query.get('kind') ?? ''; if (document.activeElement !== find) find.value = query.get('find') ?? ''; draw(); },
		close() { ends.forEach((end) => end()); cancelAnimationFrame(frame); },
	};
}
