// Plots of values over time.
import { clock, fill, h, quoted, relabel, row, saveTable, scroll, setText, svg } from './dom.js';

const left = 48, right = 12, top = 8, bottom = 22, kept = 20000;
const dashes = ['', '7 4', '1 5', '9 3 2 3'];
const ranges = [[10, '10 s'], [60, '1 min'], [600, '10 min'], [Infinity, 'All']];
export const round = (value) => !Number.isFinite(value) ? 'no value' : String(Number(value.toPrecision(5))).replace('-', '−');

/** Round steps that divide a range into about `count` parts. */
function ticks(low, high, count) {
	const power = 10 ** Math.floor(Math.log10((high - low) / count));
	const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= (high - low) / count);
	const values = [];
	for (let value = Math.ceil(low / step) * step; value <= high; value += step) values.push(Number(value.toPrecision(12)));
	return [values, Math.max(0, -Math.floor(Math.log10(step)))];
}

/** The path of points [[time, value], ...]; a value that is no number, or a pause longer than `gap`, is a gap. */
function path(points, x, y, gap) {
	let text = '', before = -Infinity;
	for (const [time, value] of points) {
		if (!Number.isFinite(value)) { before = -Infinity; continue; }
		text += `${time - before <= gap ? 'L' : 'M'}${x(time).toFixed(1)} ${y(value).toFixed(1)}${time - before <= gap ? '' : 'h.1'}`;
		before = time;
	}
	return text;
}

/** The points that a drawing of this width shows: the lowest and the highest of each column of pixels. */
function thinned(points, width) {
	if (points.length < width * 3) return points;
	const size = points.length / width;
	return Array.from({ length: width }, (_, i) => points.slice(i * size, (i + 1) * size).sort((a, b) => a[1] - b[1])).flatMap((some) => [some[0], some.at(-1)].sort((a, b) => a[0] - b[0]));
}

/** A small line without axes: its `element`, and `draw(points)`, which returns its range. */
export function sparkline() {
	const line = svg('path'), area = svg('path', { class: 'area' }), dot = svg('path', { class: 'dot' });
	return {
		element: svg('svg', { class: 'spark', viewBox: '0 0 92 26', 'aria-hidden': 'true' }, area, line, dot),
		draw(points) {
			const values = points.map((one) => one[1]);
			const low = Math.min(...values), high = Math.max(...values), room = Math.max(8, high - low);
			const start = points[0]?.[0], span = Math.max(1, points.at(-1)?.[0] - start);
			const x = (t) => (t - start) / span * 84 + 2, y = (v) => 22 - (v - low + (room - high + low) / 2) / room * 18;
			const text = path(points, x, y, 30000);
			line.setAttribute('d', text);
			area.setAttribute('d', text.includes('L') && text.indexOf('M', 1) < 0 ? `${text}V26H2z` : '');
			dot.setAttribute('d', points.length ? `M${x(points.at(-1)[0]).toFixed(1)} ${y(values.at(-1)).toFixed(1)}h.01` : '');
			return points.length ? [low, high] : null;
		},
	};
}

export class Plot {
	/** `seconds` are shown; a pause of more than `gap` milliseconds breaks the line; `least` is the smallest range of the axis. */
	constructor({ title, label = title, unit = '', seconds = 60, gap = 5000, least = 0, kind = '' }) {
		Object.assign(this, { title, label, unit, seconds, gap, least, series: [], until: null, point: null, frame: 0 });
		this.svg = svg('svg', { class: 'drawing', role: 'img', 'aria-label': label, tabindex: 0 });
		this.legend = h('.legend');
		this.output = h('output');
		this.heads = h('tr');
		this.table = h('tbody');
		this.details = h('details', { ontoggle: () => this.fillTable() }, h('summary', 'Table'), scroll(`${label}, values`, h('table', h('thead', this.heads), this.table)));
		this.picks = ranges.map(([value, text]) => h('button', { aria: `${text}: ${label}`, onclick: () => this.range(value) }, text));
		this.pause = h('button.quiet', { aria: `Pause: ${label}`, onclick: () => this.move(this.until === null ? this.end() : null) }, 'Pause');
		const tool = (text, action) => h('button.quiet', { aria: `${text}: ${label}`, onclick: action }, text);
		this.tools = h('.tools', h('b', title, title && unit ? h('span.soft', `, ${unit}`) : null), h('.segments', this.picks), this.pause, tool('CSV', () => this.save()), tool('Larger', (event) => { this.element.classList.toggle('tall'); relabel(event.target, this.element.classList.contains('tall') ? 'Smaller' : 'Larger'); this.draw(); }));
		this.element = h('figure.plot', this.tools, this.legend, this.svg, h('.notes', this.output, this.details));
		if (kind) this.element.classList.add(kind);
		const listen = (name, listener) => this.svg.addEventListener(name, listener);
		listen('pointermove', (event) => this.hover(event));
		listen('pointerleave', () => { this.point = null; this.draw(); });
		listen('keydown', (event) => this.key(event));
		this.observer = new ResizeObserver(() => this.draw());
		this.observer.observe(this.svg);
		this.range(seconds);
	}

	add(name, points = [], unit = this.unit) {
		this.series.push({ name, points, unit });
		fill(this.legend, this.series.length > 1 ? this.series.map((one, i) => h(`span.swatch.c${i % 4}`, one.name)) : []);
		fill(this.heads, ['Time', ...this.series.map((one) => `${one.name} ${one.unit}`)].map((one) => h('th', { scope: 'col' }, one)));
		this.draw();
		return this.series.length - 1;
	}

	/** Adds a value to a line; the newest 20,000 are kept. */
	push(number, time, value) {
		const points = this.series[number]?.points;
		if (!points || points.at(-1)?.[0] === time) return;
		points.push([time, value]);
		if (points.length > kept) points.splice(0, kept / 10);
		if (this.until === null) this.draw();
	}

	/** Takes the points that the server has of a line; older ones, which it no longer has, stay. */
	set(number, points) { const one = this.series[number], first = points[0]?.[0] ?? Infinity; one.points = [...one.points.filter(([time]) => time < first), ...points]; this.draw(); }

	newest() { return Math.max(0, ...this.series.map((one) => one.points.at(-1)?.[0] ?? 0)) || Date.now(); }
	oldest() { return Math.min(...this.series.map((one) => one.points[0]?.[0] ?? Infinity)); }
	end() { return this.until ?? this.newest(); }
	/** The time shown, in milliseconds: no more than there is. */
	span() { return Math.min(this.seconds * 1000, Math.max(5000, this.end() - Math.min(this.oldest(), this.end()))); }

	range(seconds) {
		this.seconds = seconds;
		ranges.forEach(([value], i) => this.picks[i].setAttribute('aria-pressed', value === seconds));
		this.draw();
	}

	/** Shows the time until `end`; with null it follows the newest value. */
	move(end) { this.until = end; relabel(this.pause, end === null ? 'Pause' : 'Go on'); this.pause.classList.toggle('on', end !== null); this.draw(); }

	key(event) {
		const { key } = event, points = this.visible(0), index = ranges.findIndex(([one]) => one === this.seconds);
		if (key === '+' || key === '-') this.range(ranges[Math.max(0, Math.min(3, index + (key === '+' ? -1 : 1)))][0]);
		else if (key === 'Escape') { this.point = null; this.move(null); } else if ((key === 'ArrowLeft' || key === 'ArrowRight') && points.length) {
			const place = this.point === null ? points.length - 1 : points.findIndex((one) => one[0] >= this.point) + (key === 'ArrowLeft' ? -1 : 1);
			this.point = points[Math.max(0, Math.min(points.length - 1, place))][0];
			this.move(place < 0 ? this.end() - this.span() / 4 : this.end());
		} else return;
		event.preventDefault();
		event.stopPropagation();
	}

	hover({ clientX }) {
		const box = this.svg.getBoundingClientRect();
		this.point = this.end() - (box.right - right - clientX) * this.span() / Math.max(1, box.width - left - right);
		this.draw();
	}

	visible(number) {
		const end = this.end(), start = end - this.span();
		return (this.series[number]?.points ?? []).filter(([time]) => time >= start && time <= end);
	}

	draw() { this.frame ||= requestAnimationFrame(() => { this.frame = 0; this.render(); }); }

	/** Lowest and highest value of an axis with some room. */
	limits(lists) {
		let low = Infinity, high = -Infinity;
		for (const list of lists) for (const [, value] of list) if (Number.isFinite(value)) { low = Math.min(low, value); high = Math.max(high, value); }
		if (low > high) return [0, 1];
		const room = Math.max((high - low) * 0.08, (this.least - high + low) / 2, high === low ? Math.abs(low) * 0.05 || 1 : 0);
		return [low - room, high + room];
	}

	render() {
		const width = this.svg.clientWidth, height = this.svg.clientHeight;
		if (!width) return;
		const span = this.span(), end = this.end(), start = end - span;
		const shown = this.series.map((_, i) => this.visible(i)), values = shown.flat().map((one) => one[1]).filter(Number.isFinite);
		// Lines of several units have an axis each; the first one is written.
		const isMixed = new Set(this.series.map((one) => one.unit)).size > 1;
		const axes = isMixed ? shown.map((one) => this.limits([one])) : [this.limits(shown)];
		const [low, high] = axes[0];
		const x = (time) => left + (time - start) / span * (width - left - right);
		const y = (value, [from, to] = axes[0]) => top + (to - value) / (to - from) * (height - top - bottom);
		const parts = [];
		const [levels, digits] = ticks(low, high, Math.max(3, Math.floor(height / 40)));
		for (const value of levels) parts.push(svg('line', { class: 'grid', x1: left, x2: width - right, y1: y(value), y2: y(value) }), svg('text', { x: left - 8, y: y(value) + 4, 'text-anchor': 'end' }, value.toFixed(digits).replace('-', '−')));
		const isLong = span > 300000, unit = isLong ? 60000 : 1000;
		for (const value of ticks(-span / unit, 0, Math.max(2, Math.floor(width / 140)))[0]) parts.push(svg('text', { x: x(end + value * unit), y: height - 4, 'text-anchor': value ? 'middle' : 'end' }, !value ? this.until === null ? 'now' : clock(end).slice(0, 8) : `${round(value)} ${isLong ? 'min' : 's'}`));
		shown.forEach((points, i) => {
			const axis = axes[isMixed ? i : 0], gap = Math.max(this.gap, span / width * 3), text = path(thinned(points, width), x, (value) => y(value, axis), gap);
			if (this.series.length === 1 && points.length > 1 && text.indexOf('M', 1) < 0) parts.push(svg('path', { class: 'area c0', d: `${text}V${height - bottom}H${x(points[0][0]).toFixed(1)}z` }));
			parts.push(svg('path', { class: `c${i % 4}`, d: text, 'stroke-dasharray': dashes[i % 4] }));
			const last = points.findLast((one) => Number.isFinite(one[1]));
			if (last) parts.push(svg('path', { class: `dot c${i % 4}`, d: `M${x(last[0]).toFixed(1)} ${y(last[1], axis).toFixed(1)}h.01` }));
		});
		const near = this.point === null ? [] : shown.map((points) => points.reduce((best, one) => best && Math.abs(best[0] - this.point) <= Math.abs(one[0] - this.point) ? best : one, null));
		const first = near.find(Boolean);
		if (first) parts.push(svg('line', { class: 'cursor', x1: x(first[0]), x2: x(first[0]), y1: top, y2: height - bottom }));
		const say = near.map((one, i) => one && `${this.series.length > 1 ? this.series[i].name + ' ' : ''}${round(one[1])} ${this.series[i].unit}`).filter(Boolean);
		this.svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
		this.svg.replaceChildren(...parts);
		const summary = this.summary(shown);
		this.svg.setAttribute('aria-label', `${this.label}. ${summary} Arrow keys move along the values, plus and minus change the range.`);
		setText(this.output, first ? `${clock(first[0])}: ${say.join(', ')}` : values.length ? summary : 'No value in this period.');
		if (performance.now() - (this.filled ?? 0) > 1000) this.fillTable();
	}

	summary(shown) {
		return shown.map((points, i) => {
			const values = points.map((one) => one[1]).filter(Number.isFinite);
			if (!values.length) return '';
			const mean = values.reduce((sum, one) => sum + one, 0) / values.length, name = this.series.length > 1 ? `${this.series[i].name}: ` : '';
			return `${name}min ${round(values.reduce((a, b) => Math.min(a, b)))}, mean ${round(Number(values.every(Number.isInteger) ? mean.toFixed(1) : mean.toPrecision(4)))}, max ${round(values.reduce((a, b) => Math.max(a, b)))} ${this.series[i].unit}.`;
		}).filter(Boolean).join(' ');
	}

	rows(lists) {
		const rows = new Map();
		lists.forEach((points, i) => { for (const [time, value] of points) rows.set(time, Object.assign(rows.get(time) ?? [], { [i]: value })); });
		return [...rows].sort((a, b) => b[0] - a[0]);
	}

	fillTable() {
		if (!this.details.open) return;
		this.filled = performance.now();
		fill(this.table, this.rows(this.series.map((_, i) => this.visible(i))).slice(0, 200).map(([time, list]) => row(clock(time), ...this.series.map((_, i) => list[i] === undefined ? '' : round(list[i])))));
	}

	save() {
		const lines = this.rows(this.series.map((one) => one.points)).reverse().map(([time, list]) => [new Date(time).toISOString(), ...this.series.map((_, i) => list[i] ?? '')]);
		saveTable(this.title.replace(/\W+/g, '-').toLowerCase() || 'values', [['time', ...this.series.map((one) => quoted(`${one.name} ${one.unit}`.trim()))], ...lines]);
	}

	close() { this.observer.disconnect(); cancelAnimationFrame(this.frame); }
}
