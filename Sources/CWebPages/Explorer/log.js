// Log: every action, value and error, two lines each.
import { at, blank, clock, file, fill, h, icon, press, problem, setText, shown, spaced } from '../shared/dom.js';
import { get } from '../shared/api.js';
import { on, ready } from '../shared/stream.js';

const kinds = ['error', 'scan', 'connection', 'read', 'write', 'value', 'subscription', 'pairing', 'bond', 'radio', 'air', 'capture', 'sensortag'];

/** What an entry says without the bytes, which have a place of their own. */
function said({ text, hex, characteristic, characteristicName, kind }) {
	const raw = spaced(hex), own = raw && text.endsWith(`(${raw})`) ? text.slice(0, -raw.length - 2).trim() : text === raw && raw ? '' : text;
	const name = ['value', 'read', 'write', 'subscription'].includes(kind) ? characteristicName ?? characteristic : null;
	return [name ? h('b', shown(name), own ? ' ' : '') : null, own ? shown(own) : null];
}

/** An entry; `isShort` leaves the device out. */
export function logLine(entry, isShort) {
	return h(`.logline${entry.error ? '.bad-line' : ''}`, h('span.when', { title: new Date(entry.time).toLocaleString() }, clock(entry.time)), h('span.text', entry.error ? h('span.act', '▲ ') : null, said(entry)),
		isShort || !entry.device ? h('span') : h('a.who', { href: at('devices', entry.device, ...entry.handle ? [entry.handle] : []) }, shown(entry.name || 'device')),
		h('span.under', [entry.error ? 'error' : entry.kind, entry.hex ? h('span.bytes', ' ', spaced(entry.hex)) : null, entry.advice ? [' ', shown(entry.advice)] : null]));
}

export function logPage(root, go) {
	let query = new URLSearchParams(), paused = false, frame = 0, boot = null;
	const entries = new Map(), body = h('section.card', { aria: 'Entries' }), empty = h('div'), place = h('div');
	const count = h('span.soft.count', { role: 'status' });
	const kind = h('select', { aria: 'Kind', onchange: () => set('kind', kind.value) }, h('option', { value: '' }, 'all kinds'), kinds.map((one) => h('option', one)));
	const find = h('input', { type: 'search', placeholder: 'Find', aria: 'Find in the log', oninput: () => set('find', find.value) });
	const pause = h('button', { 'aria-pressed': 'false', onclick: () => { paused = !paused; press(pause, paused); draw(); } }, icon('pause'), 'Pause');
	fill(root, h('.single', h('.pagehead', h('h1', 'Log'), count), h('.bar', h('label.field.grow', icon('search'), find), kind, pause, file('/log.jsonl', 'harald-log.jsonl', 'JSON Lines'), file('/log.csv', 'harald-log.csv', 'CSV'), file('/script', 'script.yaml', 'Script for harald run')), place, body, empty));
	function set(key, value) { if (value) query.set(key, value); else query.delete(key); go('/log' + (query.size ? '?' + query : ''), true); }
	function fits(entry) {
		const wanted = query.get('kind'), text = query.get('find')?.toLowerCase();
		if (wanted === 'error' ? !entry.error : wanted && entry.kind !== wanted) return false;
		return !text || [entry.text, entry.name, entry.characteristic, entry.characteristicName, entry.hex].some((one) => String(one ?? '').toLowerCase().includes(text));
	}
	const lines = new WeakMap();
	const line = (entry) => lines.get(entry) ?? lines.set(entry, logLine(entry)).get(entry);
	function draw() {
		if (!paused) frame ||= requestAnimationFrame(() => {
			frame = 0;
			const list = [...entries.values()].filter(fits).slice(-200).reverse();
			if (!body.contains(document.activeElement)) body.replaceChildren(...list.map(line));
			body.hidden = !list.length;
			setText(count, `${list.length} of ${entries.size}`);
			fill(empty, list.length ? [] : entries.size ? blank('search', 'No entry fits', `${entries.size} entries are in the log. The filter hides all of them.`, h('a.button.main', { href: '/log' }, 'Show all')) : blank('log', 'The log is empty', 'Connect a device or read a value to add entries.'));
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
