// Numbers of all devices, for plots: what they send and advertise, since the page was opened.
import { at, quoted, saveTable } from '../shared/dom.js';
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
			const full = isTaken && name && group ? `${title} (${group})` : title;
			series.set(key, { id, unit, points: [], title: full });
		}
		const { points } = series.get(key);
		if (points.at(-1)?.[0] >= stamp) continue;
		points.push([stamp, number]);
		if (points.length > kept()) points.splice(0, 100);
		for (const listener of listeners) listener(key, stamp, number);
	}
}
function take(value) {
	const { id, cause, characteristic, time, name, handle } = value;
	if (cause !== 'write') keep(id, partsOf(value, characteristic) ?? [], Date.parse(time), name ?? characteristic,
		handle);
}
on('value', take);
on('device', ({ id, gone, measurements, lastSeen }) => {
	if (gone) for (const [key] of seriesOf(id)) series.delete(key);
	if (measurements?.length) keep(id, measurements.map(usual), Date.parse(lastSeen));
});

/** Reads what the server has kept of a series, for a page that was opened later. */
export async function fetchSeries(key) {
	const [id, handle] = key.split('~');
	if (!handle) return;
	const { values } = await get(at('devices', id, 'attributes', handle, 'values')).catch(() => ({ values: [] }));
	const before = [...series].filter(([name]) => name.startsWith(`${id}~${handle}~`));
	for (const [name] of before) series.delete(name);
	values.forEach(take);
	// What the page knows and the server does not: older values, and one that came meanwhile.
	for (const [name, { points, ...rest }] of before) {
		const all = new Map([...points, ...series.get(name)?.points ?? []]);
		series.set(name, { ...rest, points: [...all].sort((a, b) => a[0] - b[0]) });
	}
}

export function saveNumbers(id, name) {
	const lines = seriesOf(id).flatMap(([, { title, unit, points }]) =>
		points.map(([time, number]) => [new Date(time).toISOString(), quoted(title), number, unit]));
	saveTable(name, [['time', 'value', 'number', 'unit'], ...lines.sort((a, b) => a[0] < b[0] ? -1 : 1)]);
}
