// The sensors of a SensorTag as tiles: switch, values, plot, period.
import { able, act, at, blank, button, card, clock, counted, elements, facts, fill, h, icon, redo, relabel, set,
	setText, shown, small, soft, svg } from '../shared/dom.js';
import { post } from '../shared/api.js';
import { plots } from './attribute.js';
import { isReadOnly, notLinked, showState } from './store.js';
import { linkReason } from './link.js';
import { saveNumbers } from './numbers.js';
import { big, isNumber, minus, neat, upper, usual } from './value.js';

const icons = { temperature: 'thermo', humidity: 'drop', barometer: 'gauge', light: 'sun', accelerometer: 'move',
	movement: 'move', gyroscope: 'turn', magnetometer: 'compass', keys: 'keys' };
const order = Object.keys(icons);
/** Axes have a name in common: acceleration x, y, z. */
const axis = (part) => /^(?:.* )?([xyz])$/i.exec(part.name)?.[1].toLowerCase();
const moment = (stamp) => clock(stamp).slice(0, 8);
const labelled = (name, ...content) => h('div', h('span.label', name), content);

function tile(id, { sensor, minimumPeriod, maximumPeriod, calibratable }, taken, turned) {
	const [result, place, pressed, seconds, calibrated, off, values, keys]
		= elements('div div div span span.good.small .soft.small .parts .keys');
	const isKeys = sensor === 'keys';
	const title = sensor === 'barometer' ? 'Air pressure' : upper(sensor);
	const send = async (body, more = '') => taken(await post(at('sensortags', id, 'sensors', sensor) + more, body));
	const showPeriod = (value) => setText(seconds, value ? `${Number(value).toFixed(1)} s` : '');
	const isOn = h('input', { type: 'checkbox', role: 'switch', aria: `${title} on`, onchange: async () => {
		await act(isOn, result, () => send({ on: isOn.checked }));
		taken({ id });
	} });
	const period = h('input', { type: 'range', min: minimumPeriod ?? 0, max: maximumPeriod ?? 1, step: 0.01,
		aria: `Period of the ${sensor}`, oninput: () => showPeriod(period.value),
		onchange: () => act(null, result, () => send({ period: Number(period.value) })) });
	const calibrate = calibratable
		? button('Calibrate', result, () => send(undefined, '/calibrate'), `the ${sensor}`, 'compass') : null;
	const head = h('.cardhead', icon(icons[sensor] ?? 'chip'), h('h2', title),
		isKeys ? null : h('span.switch', isOn, h('span')));
	const element = h('section.card.tile', { aria: sensor }, head, values, keys, place, pressed, off, result,
		calibrate && h('.bar', calibrate, calibrated), minimumPeriod ? h('.period', 'every', period, seconds) : null);
	const cells = new Map(), lines = plots(place, sensor, 'low'), presses = [];
	let last = null;

	function draw(state, isConnected) {
		const isActive = state.on && isConnected;
		isOn.checked = state.on;
		element.classList.toggle('off', !isActive);
		if (document.activeElement !== period) { period.value = state.period; showPeriod(state.period); }
		setText(calibrated, state.calibrated ? '✓ calibrated' : '');
		const waits = isKeys ? 'Press a key of the tag.' : 'Waiting for the first value.';
		const old = last ? `Off. These are the values of ${moment(last)}.` : 'Off. Switch it on to see values.';
		setText(off, !isActive ? old : last ? '' : waits);
		const why = !isConnected ? notLinked : isReadOnly() ? 'This server only reads.' : '';
		for (const one of [isOn, period]) able(one, why);
		if (calibrate) able(calibrate, why || (state.on ? '' : 'Switch the sensor on first.'));
		if (state.reading?.parts && !cells.size) show(state.reading);
	}
	function show({ time: when, parts = [] }, isLive) {
		last = Date.parse(when) || Date.now();
		if (isLive) setText(off, '');
		const all = parts.map(usual), unit = all.find(isNumber)?.unit;
		for (const part of all) {
			if (!cells.has(part.name)) {
				cells.set(part.name, h('div'));
				// A sensor of several quantities names each before its axes.
				if (axis(part) === 'x' && part.name.length > 1) values.append(h('.group',
					upper(part.name.slice(0, -2))));
				(isKeys ? keys : values).append(cells.get(part.name));
			}
			const cell = cells.get(part.name);
			if (isKeys) { showKey(cell, part); continue; }
			const same = all.filter((one) => isNumber(one) && one.unit === part.unit), name = axis(part) ?? part.name;
			const swatch = same.length > 1 ? `.swatch.c${same.indexOf(part) % 4}` : '';
			values.classList.toggle('axes', !!axis(part));
			// What comes with the quantity of the sensor, such as a temperature, has no plot.
			const isMain = isNumber(part) && part.unit === unit || axis(part);
			fill(cell, parts.length > 1 ? h(`span.label${swatch}`, name) : null,
				isMain ? big(part, 'mid') : h('b', shown(neat(part)), ' ', part.unit));
			if (!isMain || !isNumber(part)) continue;
			lines.push({ ...part, name }, last, true);
			if (part.unit === 'g') turned.take(axis(part), part.number);
		}
	}
	function showKey(cell, part) {
		const isDown = part.text === 'yes' || part.number === 1, isNew = isDown && !cell.classList.contains('down');
		cell.classList.toggle('down', isDown);
		fill(cell, h('span.label', part.name), isDown ? 'pressed' : 'released');
		if (!isNew) return;
		presses.push(last);
		fill(pressed, small(`${counted(presses.length, 'press', 'presses')}, the last at ${moment(last)}.`));
	}
	return { element, draw, show, close: lines.close };
}

/** The position of the tag, from the direction of gravity. */
function position() {
	const drawing = svg('svg', { class: 'position', viewBox: '-60 -44 120 88', role: 'img' }), values = h('.parts');
	const element = card('box', 'Position', drawing, values), gravity = {};
	element.classList.add('tile');
	element.hidden = true;
	function take(axis, number) {
		gravity[axis] = number;
		const { x, y, z } = gravity;
		if (!Number.isFinite(x + y + z)) return;
		element.hidden = false;
		const roll = Math.atan2(y, z), pitch = Math.atan2(-x, Math.hypot(y, z));
		const degrees = (angle) => `${minus(Math.round(angle * 180 / Math.PI))}°`;
		const turn = (a, b, angle) => [a * Math.cos(angle) - b * Math.sin(angle),
			a * Math.sin(angle) + b * Math.cos(angle)];
		// The board, turned and seen from above its front edge.
		const point = ([a, b, c]) => {
			const [u, w] = turn(b, c, roll), [q, p] = turn(w, a, pitch);
			return `${(0.8 * p - 0.6 * u).toFixed(1)} ${(0.4 * p + 0.45 * u - 0.8 * q).toFixed(1)}`;
		};
		const face = (height) => [[-34, -22], [34, -22], [34, 22], [-34, 22]].map((one) => point([...one, height]));
		const low = face(-4), high = face(4), edges = low.map((one, i) => `M${one}L${high[i]}`).join('');
		const normal = `M${point([0, 0, 4])}L${point([0, 0, 30])}`;
		drawing.replaceChildren(svg('path', { class: 'area', d: `M${high.join('L')}z` }),
			svg('path', { d: `M${low.join('L')}zM${high.join('L')}z${edges}${normal}` }));
		const isFlat = Math.abs(z) > 0.7 * Math.hypot(x, y, z),
			side = !isFlat ? 'on its edge' : z > 0 ? 'face up' : 'face down';
		set(drawing, { 'aria-label': `The tag is ${side}.` });
		const facts = { roll: degrees(roll), pitch: degrees(pitch), side };
		fill(values, Object.entries(facts).map(([key, text]) => labelled(key, h('b', text))));
	}
	return { element, take };
}

/** A tag that was connected as a device, so that its sensors are not known. */
export const isBare = (tag) => tag.state === 'connected' && !tag.sensors?.length;

export function tagPanel(root, id, taken, toggle) {
	let tag = {};
	const sections = new Map(), [alert, place, tiles, information] = elements('div div .tiles div'),
		turned = position();
	root.className = 'stack';
	const state = h('span'), text = soft();
	const connect = button('Connect', place, async () => { fill(alert); await toggle(); }, '', 'plug');
	connect.dataset.key = 'c';
	const allOn = button('All on', place, async () => {
		for (const { sensor, on } of tag.sensors) {
			if (!on) taken(await post(at('sensortags', id, 'sensors', sensor), { on: true }));
		}
	}, '', 'play');
	const csv = h('button', { onclick: () => saveNumbers(id, 'sensortag') }, icon('save'), 'CSV');
	const all = h('a.button', { href: at('devices', id) }, icon('log'), 'All services');
	fill(root, h('.bar', state, text, h('span.grow'), allOn, csv, all, connect), alert, place, tiles, information);
	const known = (all) => card('info', 'Device information', h('dl.facts', facts(
		Object.entries(all).filter(([, text]) => text).map(([key, text]) => [upper(key), shown(text)]))));
	return {
		id,
		show(sensor, reading, isLive) { sections.get(sensor)?.show(reading, isLive); },
		take(value) {
			if (!value) return;
			tag = value;
			const isConnected = tag.state === 'connected', isClosed = tag.state === 'disconnected',
				made = sections.size;
			const sensors = tag.sensors ?? [];
			showState(state, tag.pairing ? 'pairing' : tag.state);
			setText(text, [tag.model, tag.address].filter(Boolean).join(' · '));
			relabel(connect, isBare(tag) ? 'Show the sensors' : isClosed ? 'Connect' : isConnected ? 'Disconnect'
				: 'Cancel');
			connect.classList.toggle('main', isClosed || isBare(tag));
			csv.hidden = !isConnected || isBare(tag);
			allOn.hidden = !isConnected || isReadOnly() || sensors.every((one) => one.on);
			for (const one of sensors.toSorted((a, b) => order.indexOf(a.sensor) - order.indexOf(b.sensor))) {
				if (!sections.has(one.sensor)) {
					sections.set(one.sensor, tile(id, one, taken, turned));
					tiles.append(sections.get(one.sensor).element);
				}
				sections.get(one.sensor).draw(one, isConnected);
			}
			if (sections.size > made) tiles.append(turned.element);
			if (!isConnected) for (const one of sections.values()) one.draw({ on: false }, false);
			redo(information, tag.information, () => tag.information ? known(tag.information) : []);
			if (sections.size) tiles.querySelector('.blank')?.remove();
			else redo(tiles, isBare(tag), () => blank('chip',
				isBare(tag) ? 'The tag is connected, its sensors are not read yet' : 'Connect to see the sensors',
				'Temperature, humidity, pressure, movement, light and keys: tiles that are switched on and off.'));
		},
		/** Says why a link ended that nobody here ended. */
		linkChanged(link, before) {
			if (link.state === 'connected') fill(alert);
			else if (before === 'connected') fill(alert, linkReason(link));
		},
		ends: [() => { for (const one of sections.values()) one.close(); }],
	};
}
