// The link to a connected device: its facts, pairing, parameters and PHY.
import { bar, button, facts, fill, h, icon, openDialog, relabel } from '../shared/dom.js';
import { get, post } from '../shared/api.js';
import { bars, metres, setBars } from './row.js';
import { levels } from './bonds.js';
import { minus } from './value.js';

export function linkFacts(link, distance) {
	const { phy, parameters } = link, strength = bars();
	setBars(strength, link.rssi);
	return facts([['Signal', link.rssi && [strength, `${minus(link.rssi)} dBm`]], ['Distance', distance && metres(distance.metres)], ['Interval', parameters && `${parameters.interval} ms`], ['MTU', link.mtu], ['PHY', phy && (phy.transmit === phy.receive ? phy.transmit : `${phy.transmit}, ${phy.receive}`)],
		['Security', [icon(link.security === 'none' ? 'unlock' : 'lock', 's'), link.security === 'none' ? 'open' : levels[link.security] ?? link.security]], ['Bond', link.bonded ? 'stored' : 'none'], ['Viewers', link.viewers]]);
}

export function pairing(path, place, took) {
	const level = h('select', { aria: 'Level of the pairing' }, Object.entries(levels).map(([value, text]) => h('option', { value }, text)));
	const pair = button('Pair', place, async () => { await post(path + '/pair', { level: level.value }); took(await get(path + '/connection')); }, '', 'lock');
	pair.dataset.key = 'p';
	return { pair, level, draw(link) { relabel(pair, link.bonded ? 'Pair again' : 'Pair'); pair.hidden = link.state !== 'connected'; level.disabled = pair.hidden; } };
}

export function tuning(path, link, took) {
	const result = h('div');
	const field = (label, value) => { const input = h('input', { type: 'number', value, min: 0, step: 'any' }); return [h('label', label, input), () => Number(input.value)]; };
	const { interval = 30, latency = 0, supervisionTimeout = 5000 } = link.parameters ?? {};
	const fields = [field('Shortest interval, ms', interval), field('Longest interval, ms', interval), field('Latency, events', latency), field('Timeout, ms', supervisionTimeout)];
	const phy = h('select', { aria: 'PHY' }, ['1M', '2M', 'coded'].map((one) => h('option', { selected: link.phy?.transmit === one }, one)));
	const dialog = openDialog('Connection parameters and PHY', h('.fields', fields.map((one) => one[0])), bar(button('Request', result, async () => {
		const [minimumInterval, maximumInterval, latency, supervisionTimeout] = fields.map((one) => one[1]());
		took(await post(path + '/parameters', { minimumInterval, maximumInterval, latency, supervisionTimeout }));
		fill(result, h('span.good', '✓ changed'));
	}, '', '', 'button.main'), h('button', { onclick: () => dialog.close() }, 'Close')), bar(h('label', 'PHY ', phy), button('Change PHY', result, async () => { took(await post(path + '/phy', { transmit: [phy.value], receive: [phy.value] })); fill(result, h('span.good', '✓ changed')); })), result);
}
