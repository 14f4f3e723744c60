// Log: every action, value and error, two lines each.
import { act, at, blank, bytes, clock, file, fill, framed, h, icon, press, select, setText, shown, spaced,
	toggle } from '../shared/dom.js';
import { get } from '../shared/api.js';
import { on } from '../shared/stream.js';

const values = ['read', 'write', 'value', 'subscription'];
const kinds = ['error', 'scan', 'connection', ...values, 'pairing', 'bond', 'radio', 'air', 'capture', 'sensortag'];

/** What an entry says without the bytes, which have a place of their own. */
function said({ text, hex, characteristic, characteristicName, kind }) {
	const raw = spaced(hex), isRaw = raw && text === raw, end = ` (${raw})`;
	const own = isRaw ? '' : raw && text.endsWith(end) ? text.slice(0, -end.length) : text;
	const name = values.includes(kind) ? characteristicName ?? characteristic : null;
	return [name ? h('b', shown(name), own ? ' ' : '') : null, own ? shown(own) : null];
}

/** An entry; `isShort` leaves the device out. */
export function logLine(entry, isShort) {
	const { error, kind, hex, advice, time, device, handle, name } = entry;
	const who = isShort || !device ? h('span')
		: h('a.who', { href: at('devices', device, ...handle ? [handle] : []) }, shown(name || 'device'));
	return h(`.logline${error ? '.bad-line' : ''}`,
		h('span.when', { title: new Date(time).toLocaleString() }, clock(time)),
		h('span.text', error ? h('span.act', '▲ ') : null, said(entry)), who,
		h('span.under', error ? 'error' : kind, hex && [' ', bytes(hex)], advice && [' ', shown(advice)]));
}

export function logPage(root, go) {
	let query = new URLSearchParams(), paused = false, boot = null;
	const entries = new Map(), body = h('section.card', { aria: 'Entries' }), empty = h('div'), place = h('div');
	const count = h('span.soft.count', { role: 'status' });
	const kind = select('Kind', [['', 'all kinds'], ...kinds.map((one) => [one])], '', () => set('kind', kind.value));
	const find = h('input', { type: 'search', placeholder: 'Find', aria: 'Find in the log',
		oninput: () => set('find', find.value) });
	const pause = toggle('Pause', () => { paused = !paused; press(pause, paused); draw(); }, 'pause');
	const files = [file('/log.jsonl', 'harald-log.jsonl', 'JSON Lines'), file('/log.csv', 'harald-log.csv', 'CSV'),
		file('/script', 'script.yaml', 'Script for harald run')];
	fill(root, h('.single', h('.pagehead', h('h1', 'Log'), count),
		h('.bar', h('label.field.grow', icon('search'), find), kind, pause, files), place, body, empty));
	function set(key, value) {
		if (value) query.set(key, value); else query.delete(key);
		go('/log' + (query.size ? '?' + query : ''), true);
	}
	function fits(entry) {
		const wanted = query.get('kind'), text = query.get('find')?.toLowerCase();
		if (wanted && (wanted === 'error' ? !entry.error : entry.kind !== wanted)) return false;
		const all = [entry.text, entry.name, entry.characteristic, entry.characteristicName, entry.hex];
		return !text || all.some((one) => one?.toLowerCase().includes(text));
	}
	const lines = new WeakMap();
	const line = (entry) => lines.get(entry) ?? lines.set(entry, logLine(entry)).get(entry);
	const render = framed(() => {
		const list = [...entries.values()].filter(fits).slice(-200).reverse();
		if (!body.contains(document.activeElement)) body.replaceChildren(...list.map(line));
		body.hidden = !list.length;
		setText(count, `${list.length} of ${entries.size}`);
		fill(empty, list.length ? [] : entries.size
			? blank('search', 'No entry fits', `${entries.size} entries are in the log. The filter hides all of them.`,
				h('a.button.main', { href: '/log' }, 'Show all'))
			: blank('log', 'The log is empty', 'Connect a device or read a value to add entries.'));
	});
	const draw = () => { if (!paused) render(); };
	function take(entry) {
		entries.set(entry.sequence, entry);
		if (entries.size > 1000) entries.delete(entries.keys().next().value);
		draw();
	}
	const load = () => act(null, place, async () => {
		const answer = await get('/log?limit=1000');
		entries.clear();
		answer.entries.forEach(take);
		if (answer.dropped) fill(place, h('p.soft', `${answer.dropped} older entries were dropped.`));
	}).then(draw);
	load();
	return {
		ends: [on('log', take), on('missed', load), on('hello', (hello) => {
			if (hello.boot !== boot) load();
			boot = hello.boot;
		})],
		update(_, parameters) {
			query = parameters;
			kind.value = query.get('kind') ?? '';
			if (document.activeElement !== find) find.value = query.get('find') ?? '';
			draw();
		},
	};
}
