// A device: what it is, its values, its link, what it advertises, and its log.
import { act, at, blank, button, checkbox, counted, fill, fold, h, icon, loading, openDialog, plain, press, problem, redo, relabel, save, scroll, setText, shown, time } from '../shared/dom.js';
import { get, post, put } from '../shared/api.js';
import { on, ready } from '../shared/stream.js';
import { Plot } from '../shared/plot.js';
import { devices, showState, store, watch } from './store.js';
import { bars, drawName, glyph, kindOf, metres, quantities, setBars, short } from './row.js';
import { big, minus, upper } from './value.js';
import { advertisingCard } from './advertising.js';
import { Attribute, shortUUID } from './attribute.js';
import { linkFacts, pairing, tuning } from './link.js';
import { seriesOf } from './numbers.js';
import { logLine } from './log.js';

/** A phrase of the server as a sentence. */
const sentence = (text) => text ? [shown(text[0].toUpperCase() + text.slice(1)), '. '] : null;

// What matters to nobody comes last.
const late = { 1800: 3, 1801: 4, '180A': 2, '180F': 1 };

export function devicePage(root, id, handle, backAddress) {
	const path = at('devices', id);
	let device = {}, link = {}, attributes = new Map(), closed = false, kind = null, isMissing = false;
	const [place, reason, values] = [0, 0, 0].map(() => h('div')), tree = h('.stack');
	const title = h('h1'), state = h('span'), about = h('.facts-line'), mark = h('span'), strip = h('dl.strip'), hint = h('span.soft'), log = h('div'), entries = new Set();
	const isOpen = () => ['connected', 'connecting', 'reconnecting'].includes(link.state);
	/** Who cancelled an attempt knows it. */
	const cancelled = (error) => { if (error.problem?.type !== '/problems/cancelled') throw error; return link; };
	const [again, againLabel] = checkbox('Reconnect a lost link', null, false);
	const connect = button('Connect', place, async () => setLink(await (isOpen() ? post(path + '/disconnect') : post(path + '/connect', { reconnect: again.checked }).catch(cancelled))), '', 'plug');
	connect.dataset.key = 'c';
	const favourite = button('', place, async () => take(await put(path + '/favourite', { favourite: !device.favourite })), 'Favourite', 'star', 'button.icon');
	favourite.dataset.key = 'f';
	const pair = pairing(path, place, (one) => setLink(one));
	const item = (text, name, action) => h('button', { onclick: () => { menu.open = false; action(); } }, icon(name), text), writes = !store.state?.readOnly, bonded = h('span');
	const clone = () => act(null, place, async () => { const one = await post('/air/devices', { clone: id }); fill(place, h('.note', { role: 'status' }, '✓ ', shown(one.name), ' is on the air. ', h('a', { href: '/air' }, 'Open the laboratory'))); });
	const menu = h('details.menu', h('summary.button.icon', { aria: 'More for this device' }, icon('more')), h('div', writes ? item('Name it …', 'pen', askName) : null, h('a', { href: `/devices?plot=${id}` }, icon('chart'), 'Compare with others'), item('Save as a device file', 'save', () => act(null, place, async () => save('device.yaml', await get(path + '/clone'), 'application/yaml'))),
		writes && store.state?.air ? item('Put a clone on the air', 'flask', clone) : null, writes ? item('Parameters and PHY …', 'gauge', () => tuning(path, link, setLink)) : null, againLabel, writes ? [h('label', 'Pair ', pair.level), bonded] : null));
	const rssi = new Plot({ title: 'Signal', unit: 'dBm', gap: 15000, least: 28 });
	rssi.add('Signal');
	fill(rssi.tools.firstChild, 'Signal');
	const strengthNow = h('b'), strengthBars = bars();
	rssi.tools.firstChild.after(strengthBars, strengthNow);
	const advertising = advertisingCard();
	const logCard = fold('.card', h('h2', 'Log of this device'), scroll('Log of this device', log));
	const back = h('a.back', { href: backAddress }, icon('back'), 'Devices'), whole = [back, h('header.hero', mark, h('div', title, h('.facts-line', state, about)), h('.do', favourite, writes ? pair.pair : null, connect, menu)), reason, place, strip, values, tree, h('section.card.pad', { aria: 'Signal' }, rssi.element), advertising.element, logCard];
	fill(root, whole);

	function take(value) {
		Object.assign(device, value);
		if (kind !== device.kind && device.kind) { kind = device.kind; fill(mark, glyph(kind, 'big')); }
		drawName(title, device);
		document.title = `${plain(device.title ?? 'Device')} – Harald`;
		const said = [device.alias && device.name, kindOf(device), device.company && short(device.company), device.address].filter(Boolean);
		redo(about, said, () => said.map((one) => h(one === device.address ? 'span.mono' : 'span', shown(one))));
		press(favourite, device.favourite);
		if (value.link) setLink(value.link);
		drawValues();
	}

	/** What an advertisement says, where no link says more. */
	function drawValues() {
		strip.hidden = link.state !== 'connected';
		values.hidden = !strip.hidden;
		if (!strip.hidden) { fill(strip, linkFacts(link, device.distance)); return; }
		const { distance, interval } = device, list = quantities(device);
		if (distance) list.push({ name: 'distance', text: metres(distance.metres), more: metres(distance.from) === metres(distance.to) ? 'estimated' : `${metres(distance.from)} to ${metres(distance.to)}, estimated` });
		if (interval) list.push({ name: 'advertises every', text: String(Math.round(interval * 1000)), unit: 'ms', more: `${device.advertisements.toLocaleString()} heard` });
		fill(values, list.length ? h('.values', list.map((one) => h('div', h('span.label', upper(one.name)), big(one, ''), one.more ? h('.soft.small', one.more) : null))) : []);
	}

	function setLink(value) {
		const before = link.state;
		link = value;
		showState(state, link.state);
		mark.firstChild?.classList.toggle('linked', link.state === 'connected');
		relabel(connect, { connected: 'Disconnect', connecting: 'Cancel', reconnecting: 'Stop trying', disconnecting: 'Disconnecting' }[link.state] ?? 'Connect');
		connect.classList.toggle('main', !isOpen());
		const silent = device.connectable === false && !isOpen();
		connect.disabled = link.state === 'disconnecting' || silent;
		again.disabled = isOpen();
		if (link.reconnect) again.checked = true;
		pair.draw(link);
		// Who is paired seldom pairs again: the button moves into the menu.
		if (writes && link.bonded !== bonded.contains(pair.pair)) if (link.bonded) bonded.append(pair.pair); else favourite.after(pair.pair);
		drawReason(silent);
		drawValues();
		drawLinked();
		if (before && before !== link.state && link.state === 'connected') loadTree(true);
		if (before === 'connected' && link.state !== before) setText(hint, 'last known values');
	}

	/** Without a link the values are old, and what needs one cannot be pressed. */
	function drawLinked() {
		const isConnected = link.state === 'connected';
		tree.classList.toggle('stale', !isConnected);
		for (const one of tree.querySelectorAll(':is(.do, .sectionhead, .descriptor) > button:not(.turn)')) one.disabled = !isConnected;
		for (const one of attributes.values()) one.setConnected(isConnected);
	}

	function drawReason(silent) {
		const { reason: why, advice, attempt, state: phase } = link, isAgain = phase === 'reconnecting', note = (text) => h('.note', { role: 'status' }, text);
		redo(reason, [why, advice, attempt, phase, silent], () => why || isAgain
			? h(isAgain ? '.note' : '.problem', { role: 'status' }, h('b', isAgain || /^the link ended/.test(why) ? 'Connection lost ' : phase === 'disconnected' ? 'Not connected ' : ''), time(link.since), '. ', sentence((why ?? '').replace(/^the link ended: /, '')), isAgain ? `Trying again${attempt ? `, attempt ${attempt}` : ''}.` : sentence(advice))
			: silent ? note('This device is not connectable; it only advertises.') : phase === 'connecting' && advice ? note(sentence(advice)) : []);
	}

	function askName() {
		const result = h('div'), input = h('input', { value: device.alias ?? '', maxlength: 80, aria: 'Name', placeholder: device.title, size: 28 });
		const keep = async (alias) => { take(await put(path + '/alias', { alias })); dialog.close(); };
		const dialog = openDialog('Name this device', h('form', { onsubmit: (event) => { event.preventDefault(); act(null, result, () => keep(input.value)); } }, h('p.soft', 'The name is kept on this computer.'), h('label.field', input), h('.bar', h('button.main', { type: 'submit' }, 'Keep'), device.alias ? button('Remove the name', result, () => keep(null)) : null, h('button', { onclick: () => dialog.close() }, 'Cancel')), result));
	}

	/** The strength that was heard last; of a connected device it is read over the link. */
	function strength(now) {
		if (!now) return;
		take(now);
		rssi.push(0, ...now.rssiHistory?.at(-1) ?? []);
		setBars(strengthBars, now.rssi);
		setText(strengthNow, now.rssi ? `${minus(now.rssi)} dBm` : '');
		if (link.state === 'connected' && now.rssi && link.rssi !== now.rssi) { link.rssi = now.rssi; drawValues(); }
	}

	async function loadTree(isNew) {
		const isConnected = link.state === 'connected';
		if (device.connectable === false && !isConnected) return;
		// Only a link that there was once has shown the services.
		if (!isConnected && !link.reason) { fill(tree); return; }
		const timer = setTimeout(() => { if (!attributes.size) fill(tree, h('section.card.pad', loading('Discovering the services.'))); }, 300);
		try {
			const answer = await get(path + '/tree');
			clearTimeout(timer);
			if (closed) return;
			drawTree(answer);
			// Values that need no pairing are read, those that are known are kept.
			if (isConnected && (isNew || answer.services.some((one) => one.characteristics.some((other) => !other.hex && !other.locked && other.properties?.includes('read'))))) { const full = await post(path + '/read', { pairing: false }); if (!closed) drawTree(full); }
		} catch (error) {
			clearTimeout(timer);
			if (!closed) fill(tree, link.state === 'connected' ? problem(error) : []);
		}
	}

	function drawTree({ services }) {
		setText(hint, link.state === 'connected' ? `${services.length} services, ${services.reduce((sum, one) => sum + one.characteristics.length, 0)} values` : 'last known values');
		const live = new Map([...attributes].map(([key, one]) => [key, one]));
		if (live.size && services.every((one) => one.characteristics.every((other) => live.has(other.handle)))) {
			// The same attributes: new values go into the rows that are there.
			for (const one of services.flatMap((service) => service.characteristics)) { const row = live.get(one.handle); row.own = !!one.own; row.showSubscription(); if (one.hex !== undefined && !row.isLive) row.take({ ...one, time: one.updated }); else if (one.locked && !row.last) row.lock(); }
			drawLinked();
			return;
		}
		for (const one of attributes.values()) one.close();
		attributes = new Map();
		const result = h('div');
		const readAll = button('Read all', result, async () => drawTree(await post(path + '/read')), '', 'read');
		readAll.dataset.key = 'R';
		const receiveAll = button('Receive all', result, async () => { for (const one of attributes.values()) await one.receive(); }, '', 'bell');
		// Numbers that are received, else those that are known.
		const together = h('a.button', { href: '', onclick: () => { const known = seriesOf(id); together.href = '/devices?' + new URLSearchParams({ plot: (known.length ? known.slice(0, 4).map(([key]) => key) : [id]).join() }); } }, icon('chart'), 'Compare');
		const order = services.toSorted((a, b) => (late[a.uuid] ?? 0) - (late[b.uuid] ?? 0));
		fill(tree, h('.sectionhead', h('h2', 'Services'), hint, together, readAll, receiveAll), result, order.map(({ name, uuid, primary, characteristics }) => h('details.card.service', { open: !['1800', '1801'].includes(uuid) }, h('summary', h('span.turn', icon('right', 's')), h('span.title', h('h2', shown(upper(name ?? uuid))), ' ', name ? h('span.mono.soft', { title: uuid }, shortUUID(uuid)) : null, primary === false ? h('span.soft', ' secondary') : null), h('span.soft', counted(characteristics.length, 'value'))),
			characteristics.map((one) => { const part = new Attribute(id, one); attributes.set(one.handle, part); return part.element; }))));
		drawLinked();
		attributes.get(Number(handle))?.choose();
	}

	function addLog(entry) {
		if (entry.device !== id || entries.has(entry.sequence)) return;
		entries.add(entry.sequence);
		log.prepend(logLine(entry, true));
		if (log.childElementCount > 200) log.lastChild.remove();
	}

	async function load(isWhole = true) {
		try {
			await ready;
			const full = await get(path);
			if (closed) return;
			take(full);
			advertising.draw(full);
			if (!isWhole) return;
			fill(place);
			rssi.set(0, full.rssiHistory ?? []);
			strength(full);
			if (!attributes.size) loadTree();
			(await get(`/log?limit=200&device=${encodeURIComponent(id)}`)).entries.forEach(addLog);
		} catch (error) {
			if (closed || !isWhole) return;
			if (error.problem?.status === 404) { isMissing = true; fill(root, back, blank('search', 'This device is not in range', 'The page shows it as soon as it is heard.', h('a.button', { href: '/devices' }, 'All devices'))); }
			else fill(place, problem(error));
		}
	}
	const timer = setInterval(() => document.hidden || load(false), 5000);
	const ends = [on('connection', (one) => { if (one.id === id) setLink(one); }), on('value', (one) => { if (one.id === id) attributes.get(one.handle)?.take(one, true); }),
		on('log', addLog), on('missed', () => load()), on('hello', () => load()), watch((kind, which) => { if (which === id) strength(devices.get(id)); })];
	take({ ...devices.get(id) });
	// Until the connection is known, nothing is said and nothing can be pressed.
	if (device.connection) setLink({ state: device.connection }); else connect.disabled = true;
	load();
	return { refresh() { if (isMissing && devices.has(id)) { isMissing = false; fill(root, whole); load(); } }, close() { closed = true; clearInterval(timer); ends.forEach((end) => end()); rssi.close(); for (const one of attributes.values()) one.close(); } };
}
