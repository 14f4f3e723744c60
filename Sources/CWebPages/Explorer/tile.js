// The sensors of a SensorTag as tiles: switch, values, plot, period.
import { act, at, blank, button, card, clock, counted, facts, fill, h, icon, redo, relabel, setText, shown, svg, time } from '../shared/dom.js';
import { post } from '../shared/api.js';
import { plots } from './attribute.js';
import { showState, store } from './store.js';
import { saveNumbers } from './numbers.js';
import { big, isNumber, minus, neat, upper, usual } from './value.js';

const order = ['temperature', 'humidity', 'barometer', 'light', 'accelerometer', 'movement', 'gyroscope', 'magnetometer', 'keys'];
const names = { barometer: 'Air pressure' };
const icons = { temperature: 'thermo', humidity: 'drop', barometer: 'gauge', light: 'sun', accelerometer: 'move', movement: 'move', gyroscope: 'turn', magnetometer: 'compass', keys: 'keys' };
/** Axes have a name in common: acceleration x, y, z. */
const axis = (part) => /^(?:.* )?([xyz])$/.exec(part.name)?.[1];

function tile(id, { sensor, minimumPeriod, maximumPeriod, calibratable }, taken, turned) {
	const [result, place, pressed] = [0, 0, 0].map(() => h('div')), seconds = h('span'), calibrated = h('span.good.small'), values = h('.parts'), off = h('.soft.small'), keys = h('.keys'), isKeys = sensor === 'keys';
	const send = async (body, more = '') => taken(await post(at('sensortags', id, 'sensors', sensor) + more, body));
	const title = names[sensor] ?? upper(sensor);
	const isOn = h('input', { type: 'checkbox', role: 'switch', aria: `${title} on`, onchange: async () => { await act(isOn, result, () => send({ on: isOn.checked })); taken({ id }); } });
	const period = h('input', { type: 'range', min: minimumPeriod ?? 0, max: maximumPeriod ?? 1, step: 0.01, aria: `Period of the ${sensor}`, oninput: () => setText(seconds, `${Number(period.value).toFixed(1)} s`), onchange: () => act(null, result, () => send({ period: Number(period.value) })) });
	const calibrate = calibratable ? button('Calibrate', result, () => send(undefined, '/calibrate'), `the ${sensor}`, 'compass') : null;
	const element = h('section.card.tile', { aria: sensor }, h('.cardhead', icon(icons[sensor] ?? 'chip'), h('h2', title), isKeys ? null : h('span.switch', isOn, h('span'))), values, keys, place, pressed, off, result, calibrate ? h('.bar', calibrate, calibrated) : null, minimumPeriod ? h('.period', 'every', period, seconds) : null);
	const cells = new Map(), lines = plots(place, sensor, 'low'), presses = [];
	let last = null;
	return {
		element, isOn,
		draw(state, isConnected) {
			isOn.checked = state.on;
			element.classList.toggle('off', !state.on || !isConnected);
			if (document.activeElement !== period) { period.value = state.period; setText(seconds, state.period ? `${state.period.toFixed(1)} s` : ''); }
			setText(calibrated, state.calibrated ? '✓ calibrated' : '');
			setText(off, state.on && isConnected ? last ? '' : isKeys ? 'Press a key of the tag.' : 'Waiting for the first value.' : last ? `Off. These are the values of ${clock(last).slice(0, 8)}.` : 'Off. Switch it on to see values.');
			for (const control of [isOn, period, calibrate]) if (control) control.disabled = !isConnected || store.state?.readOnly || (control === calibrate && !state.on);
			if (state.reading && !cells.size && state.reading.parts) this.show({ time: state.reading.time, parts: state.reading.parts });
		},
		show({ time: when, parts = [] }, isLive) {
			last = Date.parse(when) || Date.now();
			if (isLive) setText(off, '');
			const all = parts.map(usual), unit = all.find(isNumber)?.unit;
			for (const part of all) {
				if (!cells.has(part.name)) {
					const cell = h('div');
					cells.set(part.name, cell);
					(isKeys ? keys : values).append(cell);
				}
				const cell = cells.get(part.name), same = all.filter((one) => isNumber(one) && one.unit === part.unit), short = axis(part) ?? part.name;
				if (isKeys) { key(cell, part); continue; }
				values.classList.toggle('axes', !!axis(part));
				// What comes with the quantity of the sensor, such as a temperature, has no plot.
				const isMain = isNumber(part) && part.unit === unit || axis(part);
				fill(cell, parts.length > 1 ? h(`span.label${same.length > 1 ? `.swatch.c${same.indexOf(part) % 4}` : ''}`, short) : null, isMain ? big(part, 'mid') : h('b', shown(neat(part)), ' ', part.unit));
				if (isMain && isNumber(part)) { lines.push({ ...part, name: short }, last, true); if (part.unit === 'g') turned.take(part); }
			}
		},
		close() { lines.close(); },
	};
	/** A key, and when it was pressed. */
	function key(cell, part) {
		const isDown = part.text === 'yes' || part.number === 1, was = cell.classList.contains('down');
		cell.classList.toggle('down', isDown);
		fill(cell, h('span.label', part.name), isDown ? 'pressed' : 'released');
		if (isDown && !was) { presses.push(last); setText(pressed, `${counted(presses.length, 'press', 'presses')}, the last at ${clock(last).slice(0, 8)}.`); pressed.className = 'soft small'; }
	}
}

/** The position of the tag, from the direction of gravity. */
function position() {
	const drawing = svg('svg', { class: 'position', viewBox: '-60 -44 120 88', role: 'img' }), values = h('.parts'), element = card('box', 'Position', drawing, values);
	element.classList.add('tile');
	element.hidden = true;
	const gravity = {};
	return { element, take({ name, number }) {
		gravity[axis({ name })] = number;
		const { x, y, z } = gravity;
		if (!Number.isFinite(x + y + z)) return;
		element.hidden = false;
		const roll = Math.atan2(y, z), pitch = Math.atan2(-x, Math.hypot(y, z)), degrees = (angle) => `${minus(Math.round(angle * 180 / Math.PI))}°`;
		// The board, turned and seen from above its front edge.
		const point = ([a, b, c]) => {
			const [u, w] = [b * Math.cos(roll) - c * Math.sin(roll), b * Math.sin(roll) + c * Math.cos(roll)], [p, q] = [a * Math.cos(pitch) + w * Math.sin(pitch), w * Math.cos(pitch) - a * Math.sin(pitch)];
			return `${(0.8 * p - 0.6 * u).toFixed(1)} ${(0.4 * p + 0.45 * u - 0.8 * q).toFixed(1)}`;
		};
		const face = (height) => [[-34, -22, height], [34, -22, height], [34, 22, height], [-34, 22, height]].map(point), [low, high] = [face(-4), face(4)];
		drawing.replaceChildren(svg('path', { class: 'area', d: `M${high.join('L')}z` }), svg('path', { d: `M${low.join('L')}zM${high.join('L')}z${low.map((one, i) => `M${one}L${high[i]}`).join('')}M${point([0, 0, 4])}L${point([0, 0, 30])}` }));
		const side = Math.abs(z) > 0.7 * Math.hypot(x, y, z) ? z > 0 ? 'face up' : 'face down' : 'on its edge';
		drawing.setAttribute('aria-label', `The tag is ${side}.`);
		fill(values, [['roll', degrees(roll)], ['pitch', degrees(pitch)], ['side', side]].map(([key, text]) => h('div', h('span.label', key), h('b', text))));
	} };
}

/** A tag that was connected as a device, so that its sensors are not known. */
export const isBare = (tag) => tag.state === 'connected' && !tag.sensors?.length;

export function tagPanel(root, id, taken, toggle) {
	let tag = {};
	const sections = new Map(), [alert, place, tiles, information] = [0, 0, 0, 0].map(() => h('div')), turned = position();
	tiles.className = 'tiles';
	root.className = 'stack';
	const state = h('span'), text = h('span.soft');
	const connect = button('Connect', place, async () => { fill(alert); await toggle(); }, '', 'plug');
	connect.dataset.key = 'c';
	const allOn = button('All on', place, async () => { for (const { sensor, on } of tag.sensors) if (!on) taken(await post(at('sensortags', id, 'sensors', sensor), { on: true })); }, '', 'play');
	const csv = h('button', { onclick: () => saveNumbers(id, 'sensortag') }, icon('save'), 'CSV');
	fill(root, h('.bar', state, text, h('span.grow'), allOn, csv, h('a.button', { href: at('devices', id) }, icon('log'), 'All services'), connect), alert, place, tiles, information);
	return {
		id,
		show(sensor, reading, isLive) { sections.get(sensor)?.show(reading, isLive); },
		take(value) {
			if (!value) return;
			tag = value;
			showState(state, tag.pairing ? 'pairing' : tag.state);
			setText(text, [tag.model, tag.address].filter(Boolean).join(' · '));
			relabel(connect, isBare(tag) ? 'Show the sensors' : { disconnected: 'Connect', connected: 'Disconnect' }[tag.state] ?? 'Cancel');
			connect.classList.toggle('main', tag.state === 'disconnected' || isBare(tag));
			const isConnected = tag.state === 'connected', made = sections.size;
			csv.hidden = !isConnected || isBare(tag);
			allOn.hidden = !isConnected || store.state?.readOnly || !(tag.sensors ?? []).some((one) => !one.on);
			for (const sensor of (tag.sensors ?? []).toSorted((a, b) => order.indexOf(a.sensor) - order.indexOf(b.sensor))) {
				if (!sections.has(sensor.sensor)) { sections.set(sensor.sensor, tile(id, sensor, taken, turned)); tiles.append(sections.get(sensor.sensor).element); }
				sections.get(sensor.sensor).draw(sensor, isConnected);
			}
			if (sections.size > made) tiles.append(turned.element);
			if (!isConnected) for (const one of sections.values()) one.draw({ on: false }, false);
			redo(information, tag.information, () => tag.information ? card('info', 'Device information', h('dl.facts', facts(Object.entries(tag.information).map(([key, one]) => [upper(key), one && shown(one)])))) : []);
			if (sections.size) tiles.querySelector('.blank')?.remove();
			else redo(tiles, isBare(tag), () => blank('chip', isBare(tag) ? 'The tag is connected, its sensors are not read yet' : 'Connect to see the sensors', 'Temperature, humidity, pressure, movement, light and keys, each as a tile that is switched on and off.'));
		},
		/** Says why a link ended that nobody here ended. */
		linkChanged(link, before) {
			if (link.state !== 'connected' && before === 'connected' && link.reason) fill(alert, h('.problem', { role: 'alert' }, h('b', 'Disconnected. '), shown(link.reason), ' ', shown(link.advice), ' ', time(link.since)));
			if (link.state === 'connected') fill(alert);
		},
		close() { for (const one of sections.values()) one.close(); },
	};
}
