// The link to a connected device: its facts, pairing, parameters and PHY.
import { able, button, facts, fill, h, icon, note, openDialog, relabel, select, shown, time } from '../shared/dom.js';
import { get, post } from '../shared/api.js';
import { bars, metres, setBars } from './row.js';
import { levels } from './bonds.js';
import { notLinked } from './store.js';
import { dBm } from './value.js';

export function linkFacts({ phy, parameters, rssi, mtu, security, bonded, viewers }, distance) {
	const strength = bars(), isOpen = security === 'none';
	setBars(strength, rssi);
	return facts([['Signal', rssi && [strength, dBm(rssi)]], ['Distance', distance && metres(distance.metres)],
		['Interval', parameters && `${parameters.interval} ms`], ['MTU', mtu],
		['PHY', phy && [...new Set([phy.transmit, phy.receive])].join(', ')],
		['Security', [icon(isOpen ? 'unlock' : 'lock', 's'), isOpen ? 'open' : levels[security] ?? security]],
		['Bond', bonded ? 'stored' : 'none'], ['Viewers', viewers]]);
}

/** A phrase of the server as a sentence. */
const sentence = (text) => text ? [shown(text[0].toUpperCase() + text.slice(1)), '. '] : null;

/** Why there is no link; null if nobody needs to know. */
export function linkReason({ reason, advice, attempt, state, since }) {
	const isAgain = state === 'reconnecting', [, lost, what] = /^(the link ended: )?(.*)$/s.exec(reason ?? '');
	if (!reason && !isAgain) return state === 'connecting' && advice ? note(sentence(advice)) : null;
	const head = isAgain || lost ? 'Connection lost ' : state === 'disconnected' ? 'Not connected ' : '';
	return h(isAgain ? '.note' : '.problem', { role: 'status' }, h('b', head), time(since), '. ', sentence(what),
		isAgain ? `Trying again${attempt ? `, attempt ${attempt}` : ''}.` : sentence(advice));
}

export function pairing(path, place, took) {
	const level = select('Level of the pairing', Object.entries(levels));
	const pair = button('Pair', place, async () => {
		await post(path + '/pair', { level: level.value });
		took(await get(path + '/connection'));
	}, '', 'lock');
	pair.dataset.key = 'p';
	return { pair, level, draw(link) {
		relabel(pair, link.bonded ? 'Pair again' : 'Pair');
		pair.hidden = link.state !== 'connected';
		able(level, pair.hidden ? notLinked : '');
	} };
}

export function tuning(path, link, took) {
	const result = h('div'), { interval = 30, latency = 0, supervisionTimeout = 5000 } = link.parameters ?? {};
	const values = { minimumInterval: ['Shortest interval, ms', interval],
		maximumInterval: ['Longest interval, ms', interval],
		latency: ['Latency, events', latency], supervisionTimeout: ['Timeout, ms', supervisionTimeout] };
	const inputs = Object.entries(values).map(([name, [label, value]]) =>
		[name, label, h('input', { type: 'number', value, min: 0, step: 'any' })]);
	const phy = select('PHY', [['1M'], ['2M'], ['coded']], link.phy?.transmit);
	const request = (text, more, body, kind) => button(text, result, async () => {
		took(await post(path + more, body()));
		fill(result, h('span.good', '✓ changed'));
	}, '', '', kind);
	const parameters = () => Object.fromEntries(inputs.map(([name, , input]) => [name, Number(input.value)]));
	const dialog = openDialog('Connection parameters and PHY',
		h('.fields', inputs.map(([, label, input]) => h('label', label, input))),
		h('.bar', request('Request', '/parameters', parameters, 'button.main'),
			h('button', { onclick: () => dialog.close() }, 'Close')),
		h('.bar', h('label', 'PHY ', phy),
			request('Change PHY', '/phy', () => ({ transmit: [phy.value], receive: [phy.value] }))), result);
}
