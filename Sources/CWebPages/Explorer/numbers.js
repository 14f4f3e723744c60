// Numbers of all devices, for plots: what they send and advertise, since the page was opened.
import { quoted, saveTable } from '../shared/dom.js';
import { get } from '../shared/api.js';
import { on } from '../shared/stream.js';
import { isNumber, partsOf, upper, usual } from './value.js';

const listeners = new Set();
/** How many points a series keeps: fewer if there are many series. */
const kept = () => Math.max(300, Math.min(20000, 400000 / series.size));
/** Series by key, which begins with the device's identifier: {id, title, unit, points}. */
export const series = new Map();
/** Calls `listener(key, time, number)` for each new number. */
export const hear = (listener) => { listeners.add(listener); return () => listeners.delete(listener); };
export const seriesOf = (id) => [...series].filter(([, one]) => one.id === id);

function keep(id, parts, stamp, group, handle = '') {
	for (const { name, unit, number } of parts.filter(isNumber)) {
		const key = [id, handle, name].join('~');
		if (!series.has(key)) {
			const title = upper(name || group), isTaken = seriesOf(id).some(([, other]) => other.title === title);
			series.set(key, { id, unit, points: [], title: isTaken && name && group ? `${title} (${group})` : title });
		}
		const one = series.get(key);
		if (one.points.at(-1)?.[0] >= stamp) continue;
		one.points.push([stamp, number]);
		if (one.points.length > kept()) one.points.splice(0, 100);
		for (const listener of listeners) listener(key, stamp, number);
	}
}
const take = (value) => value.cause !== 'write' && keep(value.id, partsOf(value, value.characteristic) ?? [], Date.parse(value.time), value.name ?? value.characteristic, value.handle);
on('value', take);
on('device', (device) => {
	if (device.gone) for (const [key] of seriesOf(device.id)) series.delete(key);
	if (device.measurements?.length) keep(device.id, device.measurements.map(usual), Date.parse(device.lastSeen));
});

/** Reads what the server has kept of a series, for a page that was opened later. */
export async function fetchSeries(key) {
	const [id, handle] = key.split('~');
	if (!handle) return;
	const { values } = await get(`/devices/${encodeURIComponent(id)}/attributes/${handle}/values`).catch(() => ({ values: [] }));
	const before = [...series].filter(([name]) => name.startsWith(`${id}~${handle}~`));
	for (const [name] of before) series.delete(name);
	values.forEach(take);
	// What the page knows and the server does not: older values, and one that came meanwhile.
	for (const [name, { points: old, ...rest }] of before) {
		const points = series.get(name)?.points ?? [], [first, last] = [points[0]?.[0] ?? Infinity, points.at(-1)?.[0] ?? Infinity];
		series.set(name, { ...rest, points: [...old.filter(([time]) => time < first), ...points, ...old.filter(([time]) => time > last)] });
	}
}

/** Saves all numbers of a device. */
export const saveNumbers = (id, name) => saveTable(name, [['time', 'value', 'number', 'unit'], ...seriesOf(id).flatMap(([, { title, unit, points }]) => points.map(([time, number]) => [new Date(time).toISOString(), quoted(title), number, unit])).sort((a, b) => a[0] < b[0] ? -1 : 1)]);
