// The sensors of a SensorTag as tiles: switch, values, plot, period.
import { act, at, button, clock, facts, fill, h, icon, relabel, setText, shown, time } from '../shared/dom.js';
import { post } from '../shared/api.js';
import { Plot } from '../shared/plot.js';
import { showState, store } from './store.js';
import { big, isNumber, unitOf } from './value.js';

const order = ['temperature', 'humidity', 'barometer', 'light', 'accelerometer', 'movement', 'gyroscope', 'magnetometer', 'keys'];
const names = { barometer: 'Air pressure' };
const icons = { temperature: 'thermo', humidity: 'drop', barometer: 'gauge', light: 'sun', accelerometer: 'move', movement: 'move', gyroscope: 'turn', magnetometer: 'compass', keys: 'keys' };
const least = { '°C': 2, '%': 10, hPa: 4, g: 0.5, µT: 20, '°/s': 10 };
/** Axes share a plot: acceleration x, y, z; and so do values of one unit. */
const groupOf = (part) => /^(.*) ([xyz])$/.exec(part.name)?.[1] ?? (part.unit || part.name);

function tile(id, { sensor, minimumPeriod, maximumPeriod, calibratable }, taken) {
	const result = h('div'), seconds = h('span'), calibrated = h('span.good.small'), values = h('.parts'), plots = h('div'), off = h('.soft.small'), keys = h('.keys');
	const send = async (body, more = '') => taken(await post(at('sensortags', id, 'sensors', sensor) + more, body));
	const title = names[sensor] ?? sensor[0].toUpperCase() + sensor.slice(1);
	const isOn = h('input', { type: 'checkbox', role: 'switch', aria: `${title} on`, onchange: async () => { await act(isOn, result, () => send({ on: isOn.checked })); taken({ id }); } });
	const period = h('input', { type: 'range', min: minimumPeriod ?? 0, max: maximumPeriod ?? 1, step: 0.01, aria: `Period of the ${sensor}`, oninput: () => setText(seconds, `${Number(period.value).toFixed(1)} s`), onchange: () => act(null, result, () => send({ period: Number(period.value) })) });
	const calibrate = calibratable ? button('Calibrate', result, () => send(undefined, '/calibrate'), `the ${sensor}`, 'button', 'compass') : null;
	const element = h('section.card.tile', { aria: sensor }, h('.cardhead', icon(icons[sensor] ?? 'chip'), h('h2', title), sensor === 'keys' ? null : h('span.switch', isOn, h('span'))), values, keys, plots, off, result, calibrate ? h('.bar', calibrate, calibrated) : null, minimumPeriod ? h('.period', 'every', period, seconds) : null);
	const cells = new Map(), lines = new Map();
	let last = null;
	return {
		element, isOn,
		draw(state, isConnected) {
			isOn.checked = state.on;
			element.classList.toggle('off', !state.on || !isConnected);
			if (document.activeElement !== period) { period.value = state.period; setText(seconds, state.period ? `${state.period.toFixed(1)} s` : ''); }
			setText(calibrated, state.calibrated ? '✓ calibrated' : '');
			setText(off, state.on && isConnected ? last ? '' : 'Waiting for the first value.' : last ? `Off. These are the values of ${clock(last).slice(0, 8)}.` : 'Off. Switch it on to see values.');
			for (const control of [isOn, period, calibrate]) if (control) control.disabled = !isConnected || store.state?.readOnly || (control === calibrate && !state.on);
			if (state.reading && !cells.size && state.reading.parts) this.show({ time: state.reading.time, parts: state.reading.parts });
		},
		show({ time: when, parts = [] }, isLive) {
			last = Date.parse(when) || Date.now();
			if (isLive) setText(off, '');
			for (const part of parts) {
				if (!cells.has(part.name)) {
					const cell = h('div');
					cells.set(part.name, cell);
					(sensor === 'keys' ? keys : values).append(cell);
				}
				const short = groupOf(part) === part.name || part.unit === groupOf(part) ? part.name : part.name.slice(-1);
				if (sensor === 'keys') { const isDown = part.text === 'yes' || part.text === 'true' || part.number === 1; cells.get(part.name).classList.toggle('down', isDown); fill(cells.get(part.name), h('span.label', part.name), isDown ? 'pressed' : 'released'); continue; }
				const axes = parts.filter((one) => isNumber(one) && groupOf(one) === groupOf(part));
				fill(cells.get(part.name), parts.length > 1 ? h(`span.label${axes.length > 1 ? `.swatch.c${axes.indexOf(part)}` : ''}`, short) : null, big(rounded(part), 'mid'));
				// What comes with the quantity of the sensor, such as a temperature, has no plot.
				if (isNumber(part) && unitOf(part) === unitOf(parts.find(isNumber))) line(part, short);
			}
		},
		close() { for (const one of lines.values()) one.close?.(); },
	};
	function line(part, short) {
		const group = `plot ${groupOf(part)}`, unit = unitOf(part);
		if (!lines.has(group)) { const plot = new Plot({ title: '', label: `${sensor}, ${groupOf(part)}`, unit, gap: 6000, least: least[unit], kind: 'low' }); lines.set(group, plot); plots.append(plot.element); }
		const plot = lines.get(group);
		if (!lines.has(part.name)) lines.set(part.name, plot.add(short));
		plot.push(lines.get(part.name), last, part.number);
	}
}
/** A number with the digits that a person reads. */
const rounded = (part) => isNumber(part) ? { ...part, text: part.number.toFixed(Math.abs(part.number) >= 100 ? 1 : 2) } : part;

export function tagPanel(root, id, taken, toggle) {
	let tag = {};
	const sections = new Map(), [alert, place, tiles, information] = [0, 0, 0, 0].map(() => h('div'));
	tiles.className = 'tiles';
	const state = h('span'), text = h('span.soft');
	const connect = button('Connect', place, async () => { fill(alert); await toggle(); }, undefined, 'button.main', 'plug');
	connect.dataset.key = 'c';
	const allOn = button('All on', place, async () => { for (const { sensor, on } of tag.sensors) if (!on) taken(await post(at('sensortags', id, 'sensors', sensor), { on: true })); }, undefined, 'button', 'play');
	fill(root, h('.bar', state, text, h('span.grow'), allOn, h('a.button', { href: at('devices', id) }, icon('log'), 'All services'), connect), alert, place, tiles, information);
	return {
		id,
		show(sensor, reading, isLive) { sections.get(sensor)?.show(reading, isLive); },
		take(value) {
			if (!value) return;
			tag = value;
			showState(state, tag.pairing ? 'pairing' : tag.state);
			setText(text, [tag.model, tag.address].filter(Boolean).join(' · '));
			relabel(connect, { disconnected: 'Connect', connected: 'Disconnect' }[tag.state] ?? 'Cancel');
			connect.classList.toggle('main', tag.state === 'disconnected');
			const isConnected = tag.state === 'connected';
			allOn.hidden = !isConnected || store.state?.readOnly || !(tag.sensors ?? []).some((one) => !one.on);
			for (const sensor of (tag.sensors ?? []).toSorted((a, b) => order.indexOf(a.sensor) - order.indexOf(b.sensor))) {
				if (!sections.has(sensor.sensor)) { sections.set(sensor.sensor, tile(id, sensor, taken)); tiles.append(sections.get(sensor.sensor).element); }
				sections.get(sensor.sensor).draw(sensor, isConnected);
			}
			if (!isConnected) for (const one of sections.values()) one.draw({ on: false }, false);
			if (!sections.size) fill(tiles, h('.blank', icon('chip'), h('h2', 'Connect to see the sensors'), '')); else tiles.querySelector('.blank')?.remove();
			fill(information, tag.information ? h('section.card.pad', h('h2', 'Device information'), h('dl.facts', facts(Object.entries(tag.information).map(([key, one]) => [key, one && shown(one)])))) : []);
		},
		/** Says why a link ended that nobody here ended. */
		linkChanged(link, before) {
			if (link.state !== 'connected' && before === 'connected' && link.reason) fill(alert, h('.problem', { role: 'alert' }, h('b', 'Disconnected. '), shown(link.reason), ' ', shown(link.advice), ' ', time(link.since)));
			if (link.state === 'connected') fill(alert);
		},
		close() { for (const one of sections.values()) one.close(); },
	};
}
