// A timeline of the packets of one or several devices.
import { h, small, svg } from '../shared/dom.js';

/** Draws the packets of the last `seconds`: [{name, history}]; scan responses have another colour and are lower. */
export function timeline(devices, seconds) {
	const at = (packet) => Date.parse(packet.time), end = Math.max(0, ...devices.flatMap((one) => one.history.map(at)));
	const lane = (name, content) => devices.length > 1 ? h('.lane', h('span.under', name), content)
		: h('.lane.alone', content);
	const draw = (packet) => {
		const isResponse = packet.part === 'scanResponse',
			x = `${((1 - (end - at(packet)) / seconds / 1000) * 99).toFixed(2)}%`;
		const [y, height] = isResponse ? [16, 10] : [4, 22];
		return svg('rect', { class: isResponse ? 'response' : '', x, y, width: 2.5, height });
	};
	const lanes = devices.map(({ name, history }) => {
		const some = history.filter((one) => end - at(one) < seconds * 1000);
		const label = `${name}: ${some.length} packets in ${seconds} seconds`;
		return lane(name, svg('svg', { role: 'img', 'aria-label': label }, ...some.map(draw)));
	});
	return h('div', lanes, lane('', h('span.under.ends', h('span', `−${seconds} s`), h('span', 'now'))),
		small(h('span.c0', '▮'), ' advertisement ', h('span.c1', '▮'), ' scan response'));
}
