// SensorTags: every tag in range, its sensors with switches, periods and calibration, live values and plots.
import { act, at, bar, button, checkbox, facts, fill, h, plain, problem, setName, setText, shown, time, words } from '../shared/dom.js';
import { get, post } from '../shared/api.js';
import { on, ready } from '../shared/stream.js';
import { Plot } from '../shared/plot.js';
import { devices, setState, showState, store, watch } from './store.js';
import { listRow } from './devices.js';
import { fieldsOf, isNumber } from './attribute.js';

const order = ['keys', 'temperature', 'accelerometer', 'magnetometer', 'gyroscope', 'movement', 'humidity', 'barometer', 'light'];
const isOpen = (tag) => !!tag && tag.state !== 'disconnected';

function format(value) {
	if (typeof value === 'boolean') return value ? 'pressed' : 'released';
	return isNumber(value) ? value.toFixed(Math.abs(value) >= 100 ? 1 : 2) : String(value || 'none');
}

export function sensorTagsPage(root) {
	let tags = new Map(), chosen = null, panel = null, failure = null, loaded = false, waiting = 0;
	const rows = new Map(), list = h('ul.rows'), empty = h('.empty'), place = h('.pad');
	const scan = button('Stop scanning', place, async () => setState(await post('/scan', { active: !store.state?.scanning })));
	const detail = h('section.detail', { aria: 'SensorTag' });
	const split = h('.split', h('section.list', { aria: 'SensorTags' }, bar(h('h1', 'SensorTags'), scan), place, list, empty), detail);
	root.append(split);

	const path = (id) => at('sensortags', id) + (isOpen(tags.get(id)) ? '/disconnect' : '/connect');
	function draw() {
		setText(scan, store.state?.scanning === false ? 'Start scanning' : 'Stop scanning');
		for (const [id, row] of rows) if (!tags.has(id)) { row.item.remove(); rows.delete(id); }
		for (const [id, tag] of tags) {
			if (!rows.has(id)) {
				const failed = h('.pad'), connect = button('Connect', failed, async () => take(await post(path(id))));
				const row = listRow(connect);
				row.item = h('li', row.link, h('.bar.pad', connect), failed);
				rows.set(id, row);
				list.append(row.item);
			}
			const { draw, more: [connect] } = rows.get(id);
			draw({ ...tag, name: tag.name || 'no name', state: tag.pairing ? 'pairing' : tag.state, rssiHistory: devices.get(id)?.rssiHistory }, `· ${tag.model ?? ''} ${tag.address ?? ''}`, at('sensortags', id), id === chosen);
			setText(connect, isOpen(tag) ? 'Disconnect' : 'Connect');
			connect.setAttribute('aria-label', `${connect.textContent} ${plain(tag.name)}`);
		}
		fill(empty, failure ? problem(failure) : !loaded ? 'Loading the list …' : tags.size ? [] : ['No SensorTag yet. Press the button on the side of a tag: it then advertises for some minutes. CC2541 and CC2650 are supported. ',
			store.state?.air ? h('a', { href: '/air' }, 'Put a simulated SensorTag on the air') : null]);
		panel?.take(tags.get(chosen));
	}

	function take(tag) { tags.set(tag.id, { ...tags.get(tag.id), ...tag }); draw(); }

	async function load() {
		try {
			await ready;
			tags = new Map((await get('/sensortags')).tags.map((one) => [one.id, one]));
			failure = null;
			loaded = true;
		} catch (error) { failure = error; }
		showDetail();
		draw();
	}
	const soon = () => { clearTimeout(waiting); waiting = setTimeout(load, 300); };

	function showDetail() {
		split.classList.toggle('open', !!chosen);
		if (panel && panel.id === chosen) return;
		panel?.close();
		panel = null;
		if (chosen && tags.has(chosen)) panel = tagPanel(detail, chosen, take, async () => take(await post(path(chosen))));
		else fill(detail, h('a.back', { href: '/sensortags' }, '‹ SensorTags'), h('.empty', chosen ? 'This SensorTag is not in range. The page continues when it is found.' : 'Select a SensorTag to see its sensors.'));
	}

	const ends = [on('log', (entry) => { if (entry.kind === 'sensortag') soon(); }), on('hello', load), on('missed', load),
		on('value', (value) => { if (value.id === chosen && value.sensor) panel?.show(value.sensor, { time: value.time, fields: value.reading }, true); }),
		on('pairing', ({ device, closed }) => { if (tags.has(device)) take({ id: device, pairing: !closed }); }),
		on('connection', (link) => {
			const tag = tags.get(link.id);
			if (!tag) return;
			if (link.id === chosen) panel?.linkChanged(link, tag.state);
			take({ id: link.id, state: link.state, rssi: link.rssi ?? tag.rssi });
			soon();
		}),
		watch((kind, id) => {
			if (tags.has(id)) take({ id, rssi: devices.get(id)?.rssi ?? tags.get(id).rssi });
			if (kind === 'devices' && [...devices.values()].some((one) => one.sensorTag && !tags.has(one.id))) soon();
			if (kind === 'state') draw();
		})];
	load();
	return {
		update([id]) { chosen = id ?? null; showDetail(); draw(); },
		close() { ends.forEach((end) => end()); panel?.close(); clearTimeout(waiting); },
	};
}

function tagPanel(root, id, taken, toggle) {
	let tag = {};
	const sections = new Map(), [alert, place, sensors, information] = [0, 0, 0, 0].map(() => h('div'));
	const title = h('h1'), state = h('span');
	const connect = button('Connect', place, async () => { fill(alert); await toggle(); }, undefined, 'button.main');
	const allOn = button('Switch all on', place, async () => { for (const { sensor, on } of tag.sensors) if (!on) taken(await post(at('sensortags', id, 'sensors', sensor), { on: true })); });
	const rssi = new Plot({ title: 'RSSI', unit: 'dBm', gap: 15000 });
	rssi.add('RSSI', [...devices.get(id)?.rssiHistory ?? []]);
	fill(root, h('a.back', { href: '/sensortags' }, '‹ SensorTags'), title, bar(state, connect, allOn, h('a', { href: at('devices', id) }, 'all services')), alert, place, sensors, information, h('h2', 'Signal'), rssi.element);

	function section({ sensor, minimumPeriod, maximumPeriod, calibratable }) {
		const result = h('div'), seconds = h('span'), calibrated = h('span.good'), values = h('dl.facts'), plots = h('.plots');
		const send = async (body, more = '') => taken(await post(at('sensortags', id, 'sensors', sensor) + more, body));
		const [isOn, onLabel] = checkbox('on', async () => { await act(isOn, result, () => send({ on: isOn.checked })); taken({ id }); });
		const period = h('input', { type: 'range', min: minimumPeriod ?? 0, max: maximumPeriod ?? 1, step: 0.01, aria: `Period of the ${sensor}`,
			oninput: () => setText(seconds, `${Number(period.value).toFixed(2)} s`), onchange: () => act(null, result, () => send({ period: Number(period.value) })) });
		const calibrate = calibratable ? button('Calibrate', result, () => send(undefined, '/calibrate'), `the ${sensor}`) : null;
		sensors.append(h('section.service', { aria: sensor }, bar(h('h2', sensor[0].toUpperCase() + sensor.slice(1)), onLabel, minimumPeriod ? h('label', 'every ', period, ' ', seconds) : null, calibrate, calibrated), result, values, plots));
		return { isOn, period, seconds, calibrate, calibrated, values, plots, cells: new Map(), lines: new Map() };
	}

	/** Shows a reading. Axes of one quantity share a plot. */
	function show(sensor, reading, isLive) {
		const one = sections.get(sensor);
		if (!one) return;
		for (const [name, value, unit] of fieldsOf(reading.fields)) {
			if (!one.cells.has(name)) {
				one.cells.set(name, h('span.big'));
				one.values.append(...facts([[words(name), one.cells.get(name)]]));
			}
			setText(one.cells.get(name), `${format(value)}${unit && ' ' + unit}`, isLive);
			if (!isNumber(value)) continue;
			const group = name.replace(/[ .]?[xyz]$/i, '') || sensor, key = `plot ${group}`;
			if (!one.lines.has(key)) {
				const plot = new Plot({ title: words(group), label: `${sensor}, ${words(group)}`, unit, gap: 6000 });
				one.lines.set(key, plot);
				one.plots.append(plot.element);
			}
			const plot = one.lines.get(key);
			if (!one.lines.has(name)) one.lines.set(name, plot.add(name.slice(group.length) || words(name)));
			plot.push(one.lines.get(name), Date.parse(reading.time) || Date.now(), value);
		}
	}

	return {
		id, show,
		take(value) {
			if (!value) return;
			tag = value;
			setName(title, tag.name || 'no name', ' ', h('span.soft', tag.model ?? ''));
			showState(state, tag.pairing ? 'pairing' : tag.state);
			setText(connect, { disconnected: 'Connect', connected: 'Disconnect' }[tag.state] ?? 'Cancel');
			rssi.push(0, ...tag.state === 'connected' ? [] : devices.get(id)?.rssiHistory.at(-1) ?? []);
			const isConnected = tag.state === 'connected';
			allOn.hidden = !isConnected || store.state?.readOnly || !(tag.sensors ?? []).some((one) => !one.on);
			for (const sensor of (tag.sensors ?? []).toSorted((a, b) => order.indexOf(a.sensor) - order.indexOf(b.sensor))) {
				if (!sections.has(sensor.sensor)) sections.set(sensor.sensor, section(sensor));
				const one = sections.get(sensor.sensor);
				one.isOn.checked = sensor.on;
				if (document.activeElement !== one.period) { one.period.value = sensor.period; setText(one.seconds, sensor.period ? `${sensor.period.toFixed(2)} s` : ''); }
				setText(one.calibrated, sensor.calibrated ? '✓ calibrated' : '');
				if (sensor.reading && !one.cells.size) show(sensor.sensor, sensor.reading, false);
			}
			for (const one of sections.values()) for (const control of [one.isOn, one.period, one.calibrate]) if (control) control.disabled = !isConnected || (control === one.calibrate && !one.isOn.checked);
			if (!sections.size) setText(sensors, 'Connect to see the sensors.'); else if (sensors.firstChild.nodeType === 3) sensors.firstChild.remove();
			fill(information, tag.information ? [h('h2', 'Device information'), h('dl.facts', facts(Object.entries(tag.information).map(([key, one]) => [key, one && shown(one)])))] : []);
		},
		/** Says why a link ended that nobody here ended. */
		linkChanged(link, before) {
			if (link.state !== 'connected' && before === 'connected' && link.reason) fill(alert, h('.problem', { role: 'alert' }, h('b', 'Disconnected. '), shown(link.reason), ' ', shown(link.advice), ' ', time(link.since)));
			if (link.state === 'connected') fill(alert);
			if (link.rssi) rssi.push(0, Date.now(), link.rssi);
		},
		close() { rssi.close(); for (const one of sections.values()) for (const plot of one.lines.values()) plot.close?.(); },
	};
}
