// A device: what it is, its values, its link, what it advertises, and its log.
import { able, act, at, blank, button, checkbox, counted, elements, every, fill, fold, h, icon, loading, note,
	openDialog, plain, press, problem, redo, relabel, save, scroll, setText, shown, soft } from '../shared/dom.js';
import { get, post, put, remove } from '../shared/api.js';
import { on } from '../shared/stream.js';
import { Plot } from '../shared/plot.js';
import { devices, isReadOnly, notLinked, radioFault, showState, store, watch } from './store.js';
import { bars, drawGlyph, drawName, kindOf, metres, quantities, setBars, short } from './row.js';
import { big, dBm, upper } from './value.js';
import { advertisingCard } from './advertising.js';
import { Attribute, shortUUID } from './attribute.js';
import { linkFacts, linkReason, pairing, tuning } from './link.js';
import { saveNumbers, seriesOf } from './numbers.js';
import { logLine } from './log.js';

const actions = { connected: 'Disconnect', connecting: 'Cancel', reconnecting: 'Stop trying',
	disconnecting: 'Disconnecting' };
const old = 'last known values; connect to go on';
// What matters to nobody comes last.
const late = { 1800: 3, 1801: 4, '180A': 2, '180F': 1 };
const isRead = (one) => one.hex || one.locked || !one.properties?.includes('read');

export function devicePage(root, id, handle, backAddress) {
	const path = at('devices', id), writes = !isReadOnly();
	let device = {}, link = {}, attributes = new Map(), closed = false, isMissing = false;
	const [place, reason, values, log, tree, about, title, state, mark, hint, strip]
		= elements('div div div div .stack .facts-line h1 span span span.soft dl.strip');
	const entries = new Set(), isConnected = () => link.state === 'connected';
	const isOpen = () => ['connected', 'connecting', 'reconnecting'].includes(link.state);
	/** Who cancelled an attempt knows it. */
	const cancelled = (error) => { if (error.problem?.type !== '/problems/cancelled') throw error; return link; };
	const [again, againLabel] = checkbox('Reconnect a lost link', null, false);
	const connect = button('Connect', place, async () => {
		const isEnd = isOpen(), body = { reconnect: again.checked };
		setLink(await (isEnd ? post(path + '/disconnect') : post(path + '/connect', body).catch(cancelled)));
		if (isEnd && isConnected()) fill(place, note(`The link stays: ${counted(link.viewers, 'other viewer')} of this `
			+ 'server, a page or a program, has it open.'));
	}, '', 'plug');
	connect.dataset.key = 'c';
	const like = async () => take(await put(path + '/favourite', { favourite: !device.favourite }));
	const favourite = button('', place, like, 'Favourite', 'star', 'button.icon');
	favourite.dataset.key = 'f';
	const pair = pairing(path, place, setLink);
	const item = (text, name, action) =>
		able(h('button', { onclick: () => { menu.open = false; act(null, place, action); } }, icon(name), text));
	const forget = item('Forget the bond', 'key', async () => {
		await remove(at('bonds', id));
		fill(place, note('✓ The bond is forgotten here. Forget it on the device too before you pair again.'));
	});
	const bonded = h('span', forget);
	async function clone() {
		const { name } = await post('/air/devices', { clone: id });
		fill(place, note('✓ ', shown(name), ' is on the air. ', h('a', { href: '/air' }, 'Open the laboratory')));
	}
	const tune = item('Parameters and PHY …', 'gauge', async () => tuning(path, link, setLink));
	const menu = h('details.menu', h('summary.button.icon', { aria: 'More for this device' }, icon('more')), h('div',
		writes && item('Name it …', 'pen', askName),
		h('a', { href: `/devices?plot=${id}` }, icon('chart'), 'Compare with others'),
		item('Save as a device file', 'save', async () => save('device.yaml', await get(path + '/clone'),
			'application/yaml')),
		h('button', { onclick: () => saveNumbers(id, 'numbers') }, icon('save'), 'Save its numbers as CSV'),
		writes && store.state?.air && item('Put a clone on the air', 'flask', clone),
		writes && tune, againLabel,
		writes && [h('label', 'Pair ', pair.level), bonded]));
	const rssi = new Plot({ title: 'Signal', unit: 'dBm', gap: 15000, least: 28 });
	rssi.add('Signal');
	const strengthNow = h('b'), strengthBars = bars();
	fill(rssi.tools.firstChild, 'Signal');
	rssi.tools.firstChild.after(strengthBars, strengthNow);
	const advertising = advertisingCard();
	const back = h('a.back', { href: backAddress }, icon('back'), 'Devices');
	const whole = [back, h('header.hero', mark, h('div', title, h('.facts-line', state, about)),
		h('.do', favourite, writes && pair.pair, connect, menu)), reason, place, strip, values, tree,
	h('section.card.pad', { aria: 'Signal' }, rssi.element), advertising.element,
	fold('.card', h('h2', 'Log of this device'), scroll('Log of this device', log))];
	fill(root, whole);

	function take(value) {
		Object.assign(device, value);
		drawGlyph(mark, device.kind, isConnected(), 'big');
		drawName(title, device);
		document.title = `${plain(device.title ?? 'Device')} – Harald`;
		const { alias, name, company, address } = device;
		const said = [alias && name, kindOf(device), company && short(company), address].filter(Boolean);
		redo(about, said, () => said.map((one) => h(one === address ? 'span.mono' : 'span', shown(one))));
		press(favourite, device.favourite);
		if (value.link) setLink(value.link);
		drawValues();
	}

	/** What an advertisement says, where no link says more. */
	function drawValues() {
		strip.hidden = !isConnected();
		values.hidden = !strip.hidden;
		const { distance, interval, advertisements } = device, list = quantities(device);
		if (!strip.hidden) { fill(strip, linkFacts(link, distance)); return; }
		if (distance) {
			const range = [...new Set([distance.from, distance.to].map(metres))].join(' to ');
			list.push({ name: 'distance', text: metres(distance.metres), more: `${range}, estimated` });
		}
		if (interval) list.push({ name: 'advertises every', text: String(Math.round(interval * 1000)), unit: 'ms',
			more: `${advertisements.toLocaleString()} heard` });
		const value = (one) => h('div', h('span.label', upper(one.name)), big(one, ''),
			one.more && h('.soft.small', one.more));
		fill(values, list.length ? h('.values', list.map(value)) : []);
	}

	function setLink(value) {
		const before = link.state, isSilent = device.connectable === false;
		link = value;
		showState(state, link.state);
		mark.firstChild.classList.toggle('linked', isConnected());
		relabel(connect, actions[link.state] ?? 'Connect');
		connect.classList.toggle('main', !isOpen());
		able(connect, link.state === 'disconnecting' ? 'The link is ending.' : isOpen() ? ''
			: isSilent ? 'The device only advertises.' : radioFault());
		able(again, isOpen() ? 'Choose this before you connect.' : '');
		able(tune, isConnected() ? '' : notLinked);
		if (link.reconnect) again.checked = true;
		pair.draw(link);
		forget.hidden = !link.bonded;
		// Who is paired seldom pairs again: the button moves into the menu.
		if (writes && link.bonded !== bonded.contains(pair.pair)) {
			if (link.bonded) bonded.append(pair.pair); else favourite.after(pair.pair);
		}
		const { reason: why, advice, attempt, state: phase } = link, isMute = isSilent && !isOpen();
		redo(reason, [why, advice, attempt, phase, isMute], () => linkReason(link)
			?? (isMute ? note('This device is not connectable; it only advertises.') : []));
		drawValues();
		drawLinked();
		if (before && before !== link.state && isConnected()) loadTree(true);
		if (before === 'connected' && !isConnected()) setText(hint, old);
	}

	/** Without a link the values are old, and what needs one cannot be pressed. */
	function drawLinked() {
		tree.classList.toggle('stale', !isConnected());
		const all = tree.querySelectorAll(':is(.do, .sectionhead, .descriptor) > button:not(.turn)');
		for (const one of all) able(one, isConnected() ? '' : notLinked);
		for (const one of attributes.values()) one.setConnected(isConnected());
	}

	async function askName() {
		const result = h('div'), { alias, title } = device;
		const input = h('input', { value: alias ?? '', maxlength: 80, aria: 'Name', placeholder: title, size: 28 });
		const keep = async (alias) => { take(await put(path + '/alias', { alias })); dialog.close(); };
		const onsubmit = (event) => { event.preventDefault(); act(null, result, () => keep(input.value)); };
		const dialog = openDialog('Name this device', h('form', { onsubmit },
			h('p.soft', 'The name is kept on this computer.'), h('label.field', input), h('.bar',
				able(h('button.main', { type: 'submit' }, 'Keep')),
					alias && button('Remove the name', result, () => keep(null)),
				h('button', { onclick: () => dialog.close() }, 'Cancel')), result));
	}

	/** The strength that was heard last; of a connected device it is read over the link. */
	function strength(now) {
		if (!now) return;
		take(now);
		rssi.push(0, ...now.rssiHistory?.at(-1) ?? []);
		setBars(strengthBars, now.rssi);
		setText(strengthNow, now.rssi ? dBm(now.rssi) : '');
		if (isConnected() && now.rssi && link.rssi !== now.rssi) { link.rssi = now.rssi; drawValues(); }
	}

	async function loadTree(isNew) {
		if (device.connectable === false && !isConnected()) return;
		// Only a link that there was once has shown the services.
		if (!isConnected() && !link.reason) { fill(tree); return; }
		const wait = h('section.card.pad', loading('Discovering the services.'));
		const timer = setTimeout(() => { if (!attributes.size) fill(tree, wait); }, 300);
		try {
			const answer = await get(path + '/tree');
			clearTimeout(timer);
			if (closed) return;
			drawTree(answer);
			// Values that need no pairing are read, those that are known are kept.
			if (!isConnected() || !isNew && answer.services.every((one) => one.characteristics.every(isRead))) return;
			const full = await post(path + '/read', { pairing: false });
			if (!closed) drawTree(full);
		} catch (error) {
			clearTimeout(timer);
			if (!closed) fill(tree, isConnected() ? problem(error) : []);
		}
	}

	function drawTree({ services }) {
		const all = services.flatMap((one) => one.characteristics), result = h('div');
		setText(hint, isConnected() ? `${services.length} services, ${all.length} values` : old);
		if (attributes.size && all.every((one) => attributes.has(one.handle))) {
			// The same attributes: new values go into the rows that are there.
			for (const one of all) attributes.get(one.handle).update(one);
			drawLinked();
			return;
		}
		for (const one of attributes.values()) one.close();
		attributes = new Map(all.map((one) => [one.handle, new Attribute(id, one)]));
		const readAll = button('Read all', result, async () => drawTree(await post(path + '/read')), '', 'read');
		readAll.dataset.key = 'R';
		const receiveAll = button('Receive all', result, async () => {
			for (const one of attributes.values()) await one.receive();
		}, '', 'bell');
		// Numbers that are received, else those that are known.
		const together = h('a.button', { href: '', onclick: () => {
			const plot = seriesOf(id).slice(0, 4).map(([key]) => key).join() || id;
			together.href = '/devices?' + new URLSearchParams({ plot });
		} }, icon('chart'), 'Compare');
		const service = ({ name, uuid, primary, characteristics }) => h('details.card.service',
			{ open: !['1800', '1801'].includes(uuid) },
			h('summary', h('span.turn', icon('right', 's')), h('span.title', h('h2', shown(upper(name ?? uuid))), ' ',
				name && h('span.mono.soft', { title: uuid }, shortUUID(uuid)), primary === false && soft(' secondary')),
			soft(counted(characteristics.length, 'value'))),
			characteristics.map((one) => attributes.get(one.handle).element));
		const sorted = services.toSorted((a, b) => (late[a.uuid] ?? 0) - (late[b.uuid] ?? 0));
		// The sensors of a tag are off until they are switched on, which its other page does.
		const sensors = device.sensorTag && h('a.button', { href: at('sensortags', id) }, icon('chip'), 'Sensors');
		fill(tree, h('.sectionhead', h('h2', 'Services'), hint, sensors, together, readAll, receiveAll), result,
			sorted.map(service));
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
			const full = await get(path);
			if (closed) return;
			take(full);
			advertising.draw(full);
			if (!isWhole) return;
			fill(place);
			rssi.set(0, full.rssiHistory ?? []);
			strength(full);
			if (!attributes.size) loadTree();
			(await get(`/log?${new URLSearchParams({ limit: 200, device: id })}`)).entries.forEach(addLog);
		} catch (error) {
			if (closed || !isWhole) return;
			isMissing = error.problem?.status === 404;
			if (!isMissing) { fill(place, problem(error)); return; }
			const all = h('a.button', { href: '/devices' }, 'All devices');
			fill(root, back, blank('search', 'This device is not in range',
				'The page shows it as soon as it is heard.', all));
		}
	}
	const ends = [every(5000, () => load(false)), on('log', addLog), on('missed hello', () => load()),
		on('connection', (one) => { if (one.id === id) setLink(one); }),
		on('value', (one) => { if (one.id === id) attributes.get(one.handle)?.take(one, true); }),
		watch((kind, which) => {
			if (which === id) strength(devices.get(id));
			else if (kind === 'state' && link.state) setLink(link);
		}),
		() => { closed = true; rssi.close(); for (const one of attributes.values()) one.close(); }];
	take({ ...devices.get(id) });
	// Until the connection is known, nothing is said and nothing can be pressed.
	if (device.connection) setLink({ state: device.connection });
	else able(connect, 'The state of the link is not known yet.');
	load();
	return { ends, refresh() {
		if (!isMissing || !devices.has(id)) return;
		isMissing = false;
		fill(root, whole);
		load();
	} };
}
