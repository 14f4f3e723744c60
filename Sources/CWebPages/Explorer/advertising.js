// What a device advertises: changed bytes, and its packets.
import { bytes, card, clock, copy, fill, fold, h, icon, saveTable, scroll, setText, shown, small, soft, spaced,
	time } from '../shared/dom.js';
import { dBm, phrase, upper, usual } from './value.js';
import { timeline } from './timeline.js';

const names = { advertisement: 'Advertisement', scanResponse: 'Scan response',
	merged: 'Advertisement and scan response' };
const short = { advertisement: 'ADV', scanResponse: 'SCAN_RSP', merged: 'merged' };
const merged = 'This platform merges advertisements and scan responses. '
	+ 'Their own bytes are not known, and intervals are estimates.';

/** Bytes of which those that differ from `before` are marked. */
function marked(hex, before) {
	const list = hex.match(/../g) ?? [], old = before?.match(/../g);
	return h('span.bytes', list.map((one, i) => [i ? ' ' : '', old && old[i] !== one ? h('mark', one) : one]));
}

const value = (one) => h('dl', h('.ad', h('dt', shown(one.title)), h('dd.parts',
	one.parts.map((part) => h('div', h('span.label', upper(part.name)), h('b', shown(phrase(usual(part)))))))));
// The bytes have a place of their own.
const field = (one) => h('.ad', h('dt', shown(one.name)),
	h('dd', h('b', shown(one.value.replace(/: ([0-9A-F]{2} ?)+$/, ''))),
	bytes(one.hex), one.changed ? small(' changed ', time(one.changed)) : null));

export function advertisingCard() {
	const body = h('div'), packets = h('div'), count = soft();
	let history = [];
	const last = (part) => history.findLast((one) => one.part === part);
	const raw = copy('Copy raw', '', () =>
		Object.keys(names).map((part) => last(part)?.hex).filter(Boolean).map(spaced).join('\n'));
	const csv = h('button.quiet', { onclick: () => saveTable('advertising', [['time', 'part', 'rssi', 'bytes'],
		...history.map((one) => [one.time, one.part, one.rssi ?? '', one.hex])]) }, icon('save'), 'Packets as CSV');
	const element = card('radio', 'What it advertises', body,
		fold('', h('span', 'Packets, changed bytes marked ', count), packets));
	element.firstChild.append(raw, csv);

	function draw(device) {
		history = device.history ?? [];
		const { fields = [], values } = device;
		const parts = Object.entries(names).map(([part, name]) => {
			const some = fields.filter((one) => one.part === part);
			const hex = last(part)?.hex ?? (some.length ? null : undefined);
			if (hex === undefined) return null;
			const size = hex ? `${hex.length / 2} bytes` : hex === '' ? 'empty' : '';
			return [h('h3', name, ' ', small(size)), h('dl', some.map(field))];
		});
		if (!body.contains(document.activeElement)) fill(body, device.merged && h('.note', merged),
			(values ?? []).filter((one) => one.parts?.length).map(value), parts,
			fields.length ? null : h('p.soft', 'The advertisement is empty.'));
		if (packets.matches(':focus-within')) return;
		const every = device.interval ? `${Math.round(device.interval * 1000)} ms` : '…';
		setText(count, `(${history.length}, every ${every})`);
		const before = {}, lines = history.map((one) => {
			const old = before[one.part], pause = old && soft(` +${Date.parse(one.time) - Date.parse(old.time)} ms`);
			before[one.part] = one;
			return h('li', h('.entry', soft(clock(one.time)), h('span', h('b', short[one.part]), pause),
				h('span', one.rssi === null ? '' : dBm(one.rssi)), marked(one.hex, old?.hex)));
		});
		const list = scroll('Packets', h('ul.entries', lines.reverse()));
		fill(packets, timeline([{ name: 'packets', history }], 5), list);
	}
	return { element, draw };
}
