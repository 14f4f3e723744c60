// Plots over days: lines or ranges with borders, and the same values as a table.
import { h, row, scroll, svg, table } from '../shared/dom.js';

const width = 720, height = 220, left = 48, right = 28, top = 10, bottom = 24;
const round = (value) => String(Number(value.toPrecision(4)));

function steps(low, high, count) {
	const power = 10 ** Math.floor(Math.log10((high - low) / count));
	const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= (high - low) / count);
	const values = [];
	for (let value = Math.ceil(low / step) * step; value <= high; value += step) values.push(Number(value.toPrecision(12)));
	return values;
}

function frame(label, unit, values, from, to, names) {
	let low = Math.min(...values), high = Math.max(...values);
	const room = (high - low) * 0.08 || Math.abs(low) * 0.05 || 1;
	low -= room;
	high += room;
	const x = (one) => left + (one - from) / (to - from || 1) * (width - left - right);
	const y = (one) => top + (high - one) / (high - low) * (height - top - bottom);
	const parts = [];
	for (const value of steps(low, high, 4)) {
		parts.push(svg('line', { class: 'grid', x1: left, x2: width - right, y1: y(value), y2: y(value) }), svg('text', { x: left - 6, y: y(value) + 4, 'text-anchor': 'end' }, round(value)));
	}
	for (const [place, text] of names) parts.push(svg('text', { x: x(place), y: height - 6, 'text-anchor': 'middle' }, text));
	const drawing = svg('svg', { role: 'img', viewBox: `0 0 ${width} ${height}`, 'aria-label': `${label} in ${unit}` });
	return { x, y, low, high, parts, drawing };
}

/** Borders with their names, each name below the one before it. */
function lines(borders, y, low, high) {
	let last = 0;
	const visible = borders.filter(([value]) => value >= low && value <= high);
	return visible.sort((a, b) => b[0] - a[0]).flatMap(([value, name]) => {
		last = Math.max(y(value) - 3, last + 12);
		const line = svg('line', { class: 'border', x1: left, x2: width - right, y1: y(value), y2: y(value) });
		return [line, svg('text', { x: width - right, y: last, 'text-anchor': 'end' }, name)];
	});
}

const figure = (label, unit, drawing, heads, rows) => h('figure.chart', h('figcaption', h('b', label), ' ', h('span.soft', unit)), drawing,
	h('details.noprint', h('summary', 'Values as a table'), scroll(`${label}, values`, table(heads, h('tbody', rows)))));

/** Lines over time: `series` are [name, [[time, value], ...]], `borders` are [value, name]. */
export function timeline(label, unit, series, borders = []) {
	const points = series.flatMap((one) => one[1]);
	if (!points.length) return h('p.soft', `No ${label.toLowerCase()} in this period.`);
	const from = Math.min(...points.map((one) => one[0])), to = Math.max(...points.map((one) => one[0]), from + 86400000);
	const days = [];
	for (let i = 0; i <= 4; i++) { const place = from + (to - from) * i / 4; days.push([place, new Date(place).toLocaleDateString(undefined, { day: 'numeric', month: 'short' })]); }
	const { x, y, low, high, parts, drawing } = frame(label, unit, [...points.map((one) => one[1]), ...borders.map((one) => one[0])], from, to, days);
	parts.push(...lines(borders, y, low, high));
	series.forEach(([, list], i) => {
		const sorted = [...list].sort((a, b) => a[0] - b[0]);
		parts.push(svg('path', { class: `line${i}`, d: sorted.map((one, n) => `${n ? 'L' : 'M'}${x(one[0]).toFixed(1)} ${y(one[1]).toFixed(1)}`).join('') }));
		if (sorted.length < 200) for (const one of sorted) parts.push(svg('circle', { class: `dot${i}`, r: 2.5, cx: x(one[0]), cy: y(one[1]) }));
	});
	drawing.append(...parts);
	const times = [...new Set(points.map((one) => one[0]))].sort((a, b) => b - a).slice(0, 300);
	const rows = times.map((time) => row(new Date(time).toLocaleString(), ...series.map(([, list]) => { const found = list.find((one) => one[0] === time); return found ? round(found[1]) : ''; })));
	return figure(series.length > 1 ? `${label}: ${series.map((one) => one[0]).join(', ')}` : label, unit, drawing, ['Time', ...series.map((one) => one[0])], rows);
}

const part = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];

/** Values by the hour of the day: median, and the range from the 10th to the 90th percentile. */
export function byHour(label, unit, points, borders = []) {
	const hours = Array.from({ length: 24 }, () => []);
	for (const [time, value] of points) hours[new Date(time).getHours()].push(value);
	const known = hours.map((list, hour) => ({ hour, list: list.sort((a, b) => a - b) })).filter((one) => one.list.length);
	if (!known.length) return h('p.soft', `No ${label.toLowerCase()} in this period.`);
	const rows = known.map(({ hour, list }) => ({ hour, low: part(list, 0.1), middle: part(list, 0.5), high: part(list, 0.9), count: list.length }));
	const { x, y, low, high, parts, drawing } = frame(label, unit, [...rows.flatMap((one) => [one.low, one.high]), ...borders.map((one) => one[0])], 0, 23, [0, 6, 12, 18, 23].map((one) => [one, `${one}:00`]));
	const edge = (name) => rows.map((one) => `${x(one.hour).toFixed(1)} ${y(one[name]).toFixed(1)}`);
	parts.unshift(svg('path', { class: 'range', d: `M${[...edge('high'), ...edge('low').reverse()].join('L')}Z` }));
	parts.push(...lines(borders, y, low, high));
	parts.push(svg('path', { class: 'line0', d: 'M' + edge('middle').join('L') }));
	drawing.append(...parts);
	return figure(`${label} by hour: median, 10th to 90th percentile`, unit, drawing, ['Hour', '10th', 'median', '90th', 'values'], rows.map((one) => row(`${one.hour}:00`, round(one.low), round(one.middle), round(one.high), one.count)));
}
