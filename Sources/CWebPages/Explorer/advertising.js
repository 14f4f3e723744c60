// What a device advertises: changed bytes, and its packets.
import { card, clock, copy, fill, fold, h, icon, saveTable, scroll, setText, shown, spaced, time } from '../shared/dom.js';
import { minus, phrase, upper, usual } from './value.js';
import { timeline } from './timeline.js';

const names = { advertisement: 'Advertisement', scanResponse: 'Scan response', merged: 'Advertisement and scan response' };
const short = { advertisement: 'ADV', scanResponse: 'SCAN_RSP', merged: 'merged' };

/** Bytes of which those that differ from `before` are marked. */
function marked(hex, before) {
	const list = hex.match(/../g) ?? [], old = before?.match(/../g);
	return h('span.bytes', list.map((one, i) => [i ? ' ' : '', old && old[i] !== one ? h('mark', one) : one]));
}

export function advertisingCard() {
	const body = h('div'), packets = h('div'), count = h('span.soft');
	let history = [];
	const raw = copy('Copy raw', '', () => ['advertisement', 'scanResponse', 'merged'].map((part) => history.findLast((one) => one.part === part)?.hex).filter(Boolean).map(spaced).join('\n'));
	const csv = h('button.quiet', { onclick: () => saveTable('advertising', [['time', 'part', 'rssi', 'bytes'], ...history.map((one) => [one.time, one.part, one.rssi ?? '', one.hex])]) }, icon('save'), 'Packets as CSV');
	const element = card('radio', 'What it advertises', body, fold('', ['Packets, changed bytes marked ', count], packets));
	element.firstChild.append(raw, csv);
	return {
		element,
		draw(device) {
			history = device.history ?? [];
			const fields = device.fields ?? [];
			if (!body.contains(document.activeElement)) fill(body, device.merged ? h('.note', 'This platform merges advertisements and scan responses. Their own bytes are not known, and intervals are estimates.') : null,
				(device.values ?? []).filter((one) => one.parts?.length).map((one) => h('dl', h('.ad', h('dt', shown(one.title)), h('dd.parts', one.parts.map((part) => h('div', h('span.label', upper(part.name)), h('b', shown(phrase(usual(part)))))))))),
				Object.entries(names).map(([part, name]) => {
					const some = fields.filter((one) => one.part === part), last = history.findLast((one) => one.part === part);
					return some.length || last ? [h('h3', name, ' ', h('span.soft.small', !last ? '' : last.hex ? `${last.hex.length / 2} bytes` : 'empty')), h('dl', some.map((one) => h('.ad', h('dt', shown(one.name)), h('dd', h('b', shown(one.value.replace(/: ([0-9A-F]{2} ?)+$/, ''))), h('span.bytes', spaced(one.hex)), one.changed ? h('span.soft.small', ' changed ', time(one.changed)) : null))))] : null;
				}), fields.length ? null : h('p.soft', 'The advertisement is empty.'));
			if (packets.matches(':focus-within')) return;
			setText(count, `(${history.length}, every ${device.interval ? Math.round(device.interval * 1000) + ' ms' : '…'})`);
			const before = {}, lines = history.map((one) => {
				const last = before[one.part];
				before[one.part] = one;
				return h('li', h('.entry', h('span.soft', clock(one.time)), h('span', h('b', short[one.part]), last ? h('span.soft', ` +${Date.parse(one.time) - Date.parse(last.time)} ms`) : ''), h('span', one.rssi === null ? '' : `${minus(one.rssi)} dBm`), marked(one.hex, last?.hex)));
			});
			fill(packets, timeline([{ name: 'packets', history }], 5), scroll('Packets', h('ul.entries', lines.reverse())));
		},
	};
}
