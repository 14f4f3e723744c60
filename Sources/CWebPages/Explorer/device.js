// Device: what it advertises, the session, the tree of attributes, and its log.
import { at, bar, button, bytes, checkbox, clock, facts, file, fill, h, plain, problem, row, scroll, setName, setText, shown, table, time } from '../shared/dom.js';
import { get, post, put } from '../shared/api.js';
import { on, ready } from '../shared/stream.js';
import { Plot } from '../shared/plot.js';
import { devices, showState, store, watch } from './store.js';
import { Attribute } from './attribute.js';
import { levels } from './bonds.js';
import { logCells } from './log.js';

const lastKnown = 'These are the last known values. Connect to read and write.';
const security = { none: 'not encrypted', ...levels };

export function devicePage(root, id, handle, backAddress) {
	const path = at('devices', id);
	let device = {}, link = {}, attributes = new Map(), closed = false;
	const [place, reason, session, advertising, tree] = [0, 0, 0, 0, 0].map(() => h('div'));
	const hint = h('span.soft'), title = h('h1'), state = h('span'), log = h('tbody'), entries = new Set();
	const isOpen = () => ['connected', 'connecting', 'reconnecting'].includes(link.state);
	const [again, againLabel] = checkbox('reconnect a lost link');
	const connect = button('Connect', place, async () => setLink(await (isOpen() ? post(path + '/disconnect') : post(path + '/connect', { reconnect: again.checked }))), undefined, 'button.main');
	const favourite = button('☆ Favourite', place, async () => take(await put(path + '/favourite', { favourite: !device.favourite })));
	const rssi = new Plot({ title: 'RSSI', unit: 'dBm', gap: 15000 });
	rssi.add('RSSI');
	fill(root, h('a.back', { href: backAddress }, '‹ Devices'), title, bar(state, connect, againLabel, favourite), reason, place, session, tree, h('h2', 'Signal'), rssi.element, h('h2', 'Advertising'), advertising,
		h('details.service', h('summary', 'Log of this device'), scroll('Log of this device', table(['Time', 'Kind', 'Event', 'Bytes'], log))));

	function take(value) {
		Object.assign(device, value);
		setName(title, device.name);
		document.title = `${plain(device.name || 'no name')} – Harald`;
		favourite.setAttribute('aria-pressed', !!device.favourite);
		setText(favourite, device.favourite ? '★ Favourite' : '☆ Favourite');
		if (value.link) setLink(value.link);
	}

	function setLink(value) {
		const before = link.state;
		link = value;
		showState(state, link.state);
		setText(connect, { connected: 'Disconnect', connecting: 'Cancel', reconnecting: 'Stop trying', disconnecting: 'Disconnecting' }[link.state] ?? 'Connect');
		const silent = device.connectable === false && !isOpen();
		connect.disabled = link.state === 'disconnecting' || silent;
		again.disabled = isOpen();
		if (link.reconnect) again.checked = true;
		const why = link.reason ? [link.reason, link.advice].filter(Boolean).join(' ') : silent ? 'This device is not connectable; it only advertises.' : '';
		if (reason.dataset.text !== why) { reason.dataset.text = why; fill(reason, why ? h(link.reason ? '.problem' : '.note', { role: 'status' }, shown(why)) : []); }
		drawSession();
		if (before && before !== link.state && link.state === 'connected') loadTree();
		if (before === 'connected' && link.state !== before) setText(hint, lastKnown);
	}

	const sessionFacts = h('dl.facts'), result = h('div');
	const level = h('select', Object.entries(levels).map(([value, text]) => h('option', { value }, text)));
	const pair = button('Pair', result, async () => { await post(path + '/pair', { level: level.value }); setLink(await get(path + '/connection')); });
	const protection = h('span', pair, ' ', h('label', 'level ', level));
	function drawSession() {
		if (link.state !== 'connected') { fill(session); return; }
		const { phy, parameters } = link;
		fill(sessionFacts, facts([['Connected', time(link.since)], ['MTU', link.mtu], ['RSSI', link.rssi && `${link.rssi} dBm`], ['PHY', phy && (phy.transmit === phy.receive ? phy.transmit : `${phy.transmit} out, ${phy.receive} in`)],
			['Interval', parameters && `${parameters.interval} ms`], ['Security', security[link.security] ?? link.security], ['Bond', link.bonded ? 'stored' : 'none'], ['Viewers', link.viewers]]));
		setText(pair, link.bonded ? 'Pair again' : 'Pair');
		protection.hidden = store.state?.readOnly;
		// Controls keep their place, because a person may be about to press one.
		if (!session.firstChild) fill(session, sessionFacts, bar(protection, file(`${path}/clone`, 'device.yaml', 'Save as a device file')), result, h('details', h('summary', 'Connection parameters and PHY'), tuning(result)));
	}

	function tuning(result) {
		const field = (label, value) => { const input = h('input', { type: 'number', value, min: 0, step: 'any', size: 6 }); return [h('label', label, ' ', input), () => Number(input.value)]; };
		const { interval = 30, latency = 0, supervisionTimeout = 5000 } = link.parameters ?? {};
		const fields = [field('Interval from (ms)', interval), field('to (ms)', interval), field('Latency', latency), field('Timeout (ms)', supervisionTimeout)];
		const phy = h('select', { aria: 'PHY' }, ['1M', '2M', 'coded'].map((one) => h('option', { selected: link.phy?.transmit === one }, one)));
		return [bar(fields.map((one) => one[0]), button('Request', result, async () => {
			const [minimumInterval, maximumInterval, latency, supervisionTimeout] = fields.map((one) => one[1]());
			setLink(await post(path + '/parameters', { minimumInterval, maximumInterval, latency, supervisionTimeout }));
		})), bar(phy, button('Change PHY', result, async () => setLink(await post(path + '/phy', { transmit: [phy.value], receive: [phy.value] }))))];
	}

	function drawAdvertising({ fields = [], history = [], beacons = [], address, company, interval, advertisements, distance, lastSeen }) {
		const isOpen = advertising.querySelector('details')?.open;
		fill(advertising, h('dl.facts', facts([['Address', address], ['Company', company && shown(company)], ['Interval', interval ? `${Math.round(interval * 1000)} ms` : 'not yet measured'], ['Advertisements', advertisements],
			['Distance', distance && `about ${distance.metres.toFixed(1)} m (${distance.from.toFixed(1)} to ${distance.to.toFixed(1)})`], ['Last seen', time(lastSeen)]])),
		beacons.map(({ kind, ...one }) => h('.note', h('b', kind), Object.entries(one).map(([key, value]) => [` ${key} `, h('b', shown(value ?? 'unknown'))]))),
		fields.length ? table(['Field', 'Value', 'Bytes', 'Changed'], h('tbody', fields.map((one) => row(shown(one.name), shown(one.value), bytes(one.hex), time(one.changed))))) : null,
		h('details', { open: isOpen }, h('summary', `The last ${history.length} advertisements`), scroll('Advertisements', table(['Time', 'RSSI', 'Bytes'], h('tbody', history.reverse().map((one) => row(clock(one.time), `${one.rssi} dBm`, bytes(one.hex))))))));
	}

	/** The strength that was heard last; of a connected device it is read over the link. */
	function strength(known) {
		rssi.push(0, ...known?.rssiHistory.at(-1) ?? []);
		if (link.state !== 'connected' || !known?.rssi || link.rssi === known.rssi) return;
		link.rssi = known.rssi;
		drawSession();
	}

	async function loadTree() {
		const isConnected = link.state === 'connected';
		if (device.connectable === false && !isConnected) return;
		// Only a link that there was once has shown the services.
		if (!isConnected && !link.reason) { fill(tree, h('p.soft', 'Connect to see services and values.')); return; }
		try {
			const answer = await get(path + '/tree');
			if (!closed) drawTree(answer);
		} catch (error) {
			fill(tree, isConnected ? problem(error) : h('p.soft', 'Connect to see services and values.'));
		}
	}

	function drawTree({ services }) {
		for (const one of attributes.values()) one.close();
		attributes = new Map();
		const result = h('div');
		setText(hint, link.state === 'connected' ? '' : lastKnown);
		fill(tree, h('h2', 'Services'), bar(button('Read all values', result, async () => drawTree(await post(path + '/read'))), hint), result,
			services.map(({ name, uuid, primary, characteristics }) => h('details.service', { open: true }, h('summary', shown(name ?? uuid), ' ', h('span.bytes', name ? uuid : ''), primary === false ? ' (secondary)' : ''),
				characteristics.map((one) => { const part = new Attribute(id, one); attributes.set(one.handle, part); return part.element; }))));
		attributes.get(Number(handle))?.choose();
	}

	function addLog(entry) {
		if (entry.device !== id || entries.has(entry.sequence)) return;
		entries.add(entry.sequence);
		log.prepend(row(...logCells(entry)));
		if (log.rows.length > 200) log.lastChild.remove();
	}

	async function load(isWhole = true) {
		try {
			await ready;
			const full = await get(path);
			if (closed) return;
			take(full);
			if (!advertising.querySelector('.scroll:focus')) drawAdvertising(full);
			if (!isWhole) return;
			fill(place);
			rssi.set(0, full.rssiHistory ?? []);
			if (!attributes.size) loadTree();
			(await get(`/log?limit=200&device=${encodeURIComponent(id)}`)).entries.forEach(addLog);
		} catch (error) { if (!closed && isWhole) fill(place, problem(error)); }
	}
	const timer = setInterval(() => document.hidden || load(false), 5000);
	const ends = [on('connection', (one) => { if (one.id === id) setLink(one); }), on('value', (one) => { if (one.id === id) attributes.get(one.handle)?.take(one, true); }),
		on('log', addLog), on('missed', load), on('hello', () => load()), watch((kind, which) => { if (which === id) strength(devices.get(id)); })];
	take({ ...devices.get(id) });
	// Until it is known how the device is connected, nothing is said and nothing can be pressed.
	if (device.connection) setLink({ state: device.connection }); else connect.disabled = true;
	load();
	return { close() { closed = true; clearInterval(timer); ends.forEach((end) => end()); rssi.close(); for (const one of attributes.values()) one.close(); } };
}
