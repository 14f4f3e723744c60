// Plots over days and over the hours of a day: lines or ranges with limits, a legend, and the same values as a table.
import { h, known, row, scroll, shown, svg } from '../shared/dom.js';
import { instant, moment, month, period, shortDate, wall } from './format.js';
import { number, t } from './language.js';

const table = (heads, body) => h('table', h('thead', h('tr', heads.map((one) => h('th', { scope: 'col' }, one)))), body);

const height = 220, left = 44, right = 40, top = 10, bottom = 24;
const minute = 60000, hour = 60 * minute, day = 24 * hour;
const paper = 680;

/** Round steps that divide a range into at most `count` parts, and their decimals. */
function steps(low, high, count) {
	const power = 10 ** Math.floor(Math.log10((high - low) / count));
	const parts = [1, 2, 2.5, 5, 10], part = parts.find((one) => one * power >= (high - low) / count - 1e-9 * power) ?? 10, step = part * power;
	const digits = Math.max(0, (part === 2.5 ? 1 : 0) - Math.floor(Math.log10(step) + 1e-9));
	const values = [];
	for (let value = Math.ceil(low / step) * step; value <= high; value += step) values.push([value, number(value, digits)]);
	return values;
}

const spans = [5, 15, 30, 60, 120, 180, 360, 720].map((one) => one * minute).concat([1, 2, 4, 7, 14].map((one) => one * day));
const months = [1, 2, 3, 6, 12, 24, 60, 120], meanMonth = 30.44 * day;

/** The marks of a time axis, at round wall times of the hub's zone. */
function timeMarks(from, to, count) {
	const step = spans.find((one) => (to - from) / one <= count);
	if (!step) return monthMarks(from, to, count);
	const marks = [];
	for (let one = Math.ceil(wall(from) / step) * step; instant(one) <= to; one += step) {
		const place = instant(one), minutes = Math.floor(one % day / minute);
		const name = step >= day || !minutes ? shortDate(place) : `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, '0')}`;
		if (place >= from) marks.push([place, name]);
	}
	return marks;
}

/** The marks of a time axis at the beginnings of months. */
function monthMarks(from, to, count) {
	const step = months.find((one) => (to - from) / (one * meanMonth) <= count) ?? months.at(-1);
	const first = new Date(wall(from)), marks = [];
	for (let number = Math.floor((first.getUTCFullYear() * 12 + first.getUTCMonth()) / step) * step; ; number += step) {
		const place = instant(Date.UTC(Math.floor(number / 12), number % 12));
		if (place > to) return marks;
		if (place >= from) marks.push([place, month(place)]);
	}
}

/** The axes of a plot, with the places of its values. */
function frame(width, values, from, to, marks) {
	let low = Math.min(...values), high = Math.max(...values);
	const room = (high - low) * 0.08 || Math.abs(low) * 0.05 || 1;
	low -= room;
	high += room;
	const x = (one) => left + (one - from) / (to - from || 1) * (width - left - right);
	const y = (one) => top + (high - one) / (high - low) * (height - top - bottom);
	const parts = [];
	for (const [value, text] of steps(low, high, 6)) {
		parts.push(svg('line', { class: 'grid', x1: left, x2: width - right, y1: y(value), y2: y(value) }), svg('text', { x: left - 6, y: y(value) + 4, 'text-anchor': 'end' }, text));
	}
	for (const [place, text] of marks) parts.push(svg('line', { class: 'grid', x1: x(place), x2: x(place), y1: height - bottom, y2: height - bottom + 4 }), svg('text', { x: x(place), y: height - 6, 'text-anchor': 'middle' }, text));
	return { x, y, parts };
}

/** Limits as lines, with their values in the margin, where they cover neither data nor each other. */
function limitLines(limits, y, width) {
	const sorted = [...limits].sort((a, b) => b.value - a.value), places = [];
	for (const one of sorted) places.push(Math.max(y(one.value) + 4, (places.at(-1) ?? -Infinity) + 12));
	// Those at the bottom are moved up.
	for (let i = places.length - 1, last = height - bottom; i >= 0; i--) { places[i] = Math.min(places[i], last); last = places[i] - 12; }
	return sorted.flatMap((one, i) => [
		svg('line', { class: `border b${one.line ?? ''}`, x1: left, x2: width - right, y1: y(one.value), y2: y(one.value) }),
		svg('text', { class: 'limit', x: width - right + 4, y: places[i] }, one.text ?? number(one.value)),
	]);
}

/** A drawing with the width of its place, so that its text is legible on a phone. `draw(width)` returns its parts. */
function drawing(label, draw) {
	const element = svg('svg', { role: 'img', 'aria-label': label });
	let drawn = 0;
	const render = (width) => {
		const size = Math.round(Math.min(960, Math.max(280, width)));
		if (size === drawn) return;
		drawn = size;
		element.setAttribute('viewBox', `0 0 ${size} ${height}`);
		element.replaceChildren(...draw(size));
	};
	render(720);
	new ResizeObserver(() => { if (element.clientWidth) render(element.clientWidth); }).observe(element);
	element.addEventListener('redraw', ({ detail }) => render(detail || element.clientWidth));
	return element;
}
const redraw = (width) => { for (const one of document.querySelectorAll('.chart svg')) one.dispatchEvent(new CustomEvent('redraw', { detail: width })); };
addEventListener('beforeprint', () => redraw(paper));
addEventListener('afterprint', () => redraw(0));

const figure = (title, about, unit, plot, legend, heads, rows, rest = null) => h('figure.chart', h('figcaption', h('b', title), ' ', h('span.soft', `${unit}, ${about}`)), plot, h('.legend', legend),
	h('details.noprint', h('summary', t('plot.table')), scroll(t('plot.values', { title }), table(heads, h('tbody', rows)), rest ? h('p.soft', rest) : null)));

/** The number of times in a table of values. */
const mostRows = 300;

/** Lines over time: `series` are [name, [[time, value], ...]], `limits` are { value, line, name } with the number of
    the line; `targets` are { min, max, text }. */
export function timeline(label, unit, series, limits = [], targets = []) {
	const points = series.flatMap((one) => one[1]), times = points.map((one) => one[0]);
	if (!points.length) return h('p.soft', t('plot.none', { label }));
	const first = Math.min(...times), last = Math.max(...times), margin = Math.max((last - first) * 0.02, 10 * minute);
	// The axis does not reach into the future.
	const [from, to] = [first - margin, Math.max(last, Math.min(last + margin, Date.now()))];
	const plot = drawing(t('plot.in', { label, unit }), (width) => {
		const { x, y, parts } = frame(width, [...points.map((one) => one[1]), ...limits.map((one) => one.value), ...targets.flatMap((one) => [one.min, one.max]).filter(known)], from, to, timeMarks(from, to, Math.max(3, Math.floor(width / 100))));
		for (const { min, max } of targets) { const high = known(max) ? y(max) : top; parts.unshift(svg('rect', { class: 'target', x: left, width: width - left - right, y: high, height: (known(min) ? y(min) : height - bottom) - high })); }
		parts.push(...limitLines(limits, y, width));
		series.forEach(([, list], i) => {
			const sorted = [...list].sort((a, b) => a[0] - b[0]);
			parts.push(svg('path', { class: `line${i}`, d: sorted.map((one, n) => `${n ? 'L' : 'M'}${x(one[0]).toFixed(1)} ${y(one[1]).toFixed(1)}`).join('') }));
			if (sorted.length < 200) for (const one of sorted) parts.push(svg('circle', { class: `dot${i}`, r: 2.5, cx: x(one[0]), cy: y(one[1]) }));
		});
		return parts;
	});
	const legend = series.map(([name], i) => {
		const own = limits.filter((one) => one.line === i).sort((a, b) => a.value - b.value);
		return series.length > 1 || own.length ? h(`div.key.k${i}`, name, own.length ? t('plot.limits', { limits: own.map((one) => `${one.text ?? number(one.value)} ${one.name}`).join(', ') }) : '') : null;
	});
	legend.push(targets.map((one) => h('div.key.aim', shown(one.text))));
	const stamps = [...new Set(times)].sort((a, b) => b - a), tabled = stamps.slice(0, mostRows);
	const rows = tabled.flatMap((time) => {
		// Several readings may have the same time.
		const values = series.map(([, list]) => list.filter((one) => one[0] === time).map((one) => one[1]));
		return Array.from({ length: Math.max(...values.map((one) => one.length)) }, (_, i) => row(moment(time), ...values.map((one) => number(one[i] ?? ''))));
	});
	const rest = stamps.length - tabled.length;
	return figure(label, period(first, last), unit, plot, legend, [t('plot.time'), ...series.map((one) => one[0])], rows, rest ? t('plot.earlier', { count: rest }) : null);
}

/** A quantile of sorted values, interpolated between the two nearest ones. */
export function quantile(sorted, share) {
	const place = share * (sorted.length - 1), below = Math.floor(place);
	const above = Math.min(below + 1, sorted.length - 1);
	return sorted[below] + (sorted[above] - sorted[below]) * (place - below);
}

/** The number of values of an hour from which percentiles are shown. */
const enough = 5;

/** Values by the hour of the day: median, and the range from the 10th to the 90th percentile. `limits` are { value,
    text }. */
export function byHour(label, unit, points, limits = []) {
	const hours = Array.from({ length: 24 }, () => []);
	for (const [time, value] of points) hours[Math.floor(wall(time) % day / hour)].push(value);
	const rows = hours.map((list, number) => ({ number, list: list.sort((a, b) => a - b) })).filter((one) => one.list.length)
		.map(({ number, list }) => ({ number, count: list.length, middle: quantile(list, 0.5), ...list.length >= enough ? { low: quantile(list, 0.1), high: quantile(list, 0.9) } : {} }));
	if (!rows.length) return h('p.soft', t('plot.none', { label }));
	/** Runs of successive hours. */
	const runs = (list) => list.reduce((all, one) => { if (all.at(-1)?.at(-1).number === one.number - 1) all.at(-1).push(one); else all.push([one]); return all; }, []);
	const wide = rows.filter((one) => one.low !== undefined);
	const plot = drawing(t('plot.byHourIn', { label, unit }), (width) => {
		const { x, y, parts } = frame(width, [...rows.map((one) => one.middle), ...wide.flatMap((one) => [one.low, one.high]), ...limits.map((one) => one.value)], 0, 24, [0, 6, 12, 18, 24].map((one) => [one, `${one}:00`]));
		const place = (one, name, shift = 0.5) => `${x(one.number + shift).toFixed(1)} ${y(one[name]).toFixed(1)}`;
		for (const run of runs(wide)) {
			// One hour alone is a bar.
			const upper = run.length > 1 ? run.map((one) => place(one, 'high')) : [place(run[0], 'high', 0.2), place(run[0], 'high', 0.8)];
			const lower = run.length > 1 ? run.map((one) => place(one, 'low')) : [place(run[0], 'low', 0.2), place(run[0], 'low', 0.8)];
			parts.unshift(svg('path', { class: 'range', d: `M${[...upper, ...lower.reverse()].join('L')}Z` }));
		}
		parts.push(...limitLines(limits, y, width));
		for (const run of runs(rows)) if (run.length > 1) parts.push(svg('path', { class: 'line0', d: 'M' + run.map((one) => place(one, 'middle')).join('L') }));
		for (const one of rows) parts.push(svg('circle', { class: 'dot0', r: 2.5, cx: x(one.number + 0.5), cy: y(one.middle) }));
		return parts;
	});
	const legend = [h('div.key.k0', t('plot.median')), h('div.key.band', t('plot.band', { count: enough })), limits.length ? h('div.key.target', t('plot.target', { from: limits[0]?.text, to: limits.at(-1)?.text, unit })) : null];
	const digits = unit === 'mmol/L' ? 2 : 1, shown = (value) => value === undefined ? '–' : number(Number(value.toFixed(digits)));
	const times = points.map((one) => one[0]), first = Math.min(...times), last = Math.max(...times);
	return figure(t('plot.byHour', { label }), `${t('count.values', { count: points.length })}, ${period(first, last)}`, unit, plot, legend, [t('plot.hour'), t('plot.tenth'), t('plot.middle'), t('plot.ninetieth'), t('plot.count')],
		rows.map((one) => row(`${one.number}:00`, shown(one.low), shown(one.middle), shown(one.high), one.count)));
}
