// A timeline of the packets of one or several devices.
import { h, svg } from '../shared/dom.js';

/** Draws the packets of the last `seconds`: [{name, history}]; scan responses have another colour and are lower. */
export function timeline(devices, seconds) {
	const at = (packet) => Date.parse(packet.time), end = Math.max(0, ...devices.flatMap((one) => one.history.map(at))), isAlone = devices.length === 1;
	const lanes = devices.map(({ name, history }) => {
		const some = history.filter((one) => end - at(one) < seconds * 1000);
		const drawing = svg('svg', { role: 'img', 'aria-label': `${name}: ${some.length} packets in ${seconds} seconds` }, ...some.map((one) => {
			const isResponse = one.part === 'scanResponse';
			return svg('rect', { class: isResponse ? 'response' : '', x: `${((1 - (end - at(one)) / seconds / 1000) * 99).toFixed(2)}%`, y: isResponse ? 16 : 4, width: 2.5, height: isResponse ? 10 : 22 });
		}));
		return h(`.lane${isAlone ? '.alone' : ''}`, isAlone ? null : h('span.under', name), drawing);
	});
	return h('div', lanes, h(`.lane${isAlone ? '.alone' : ''}`, h('span.under.ends', h('span', `−${seconds} s`), h('span', 'now'))), h('.soft.small', h('span.c0', '▮'), ' advertisement ', h('span.c1', '▮'), ' scan response'));
}
