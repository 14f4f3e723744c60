// Plots of values over time.
import { clock, elements, fill, framed, h, press, quoted, relabel, row, saveTable, scroll, set, setText, soft, svg,
	toggle } from './dom.js';

const left = 48, right = 12, top = 8, bottom = 22, kept = 20000;
const dashes = ['', '7 4', '1 5', '9 3 2 3'];
const ranges = [[10, '10 s'], [60, '1 min'], [600, '10 min'], [Infinity, 'All']];
const minus = (text) => String(text).replace('-', '−');
export const round = (value) => Number.isFinite(value) ? minus(Number(value.toPrecision(5))) : 'no value';
const clamp = (value, low, high) => Math.max(low, Math.min(high, value));
const numbers = (points) => points.map((one) => one[1]).filter(Number.isFinite);
const lowest = (values) => values.reduce((a, b) => Math.min(a, b), Infinity);
const highest = (values) => values.reduce((a, b) => Math.max(a, b), -Infinity);

/** Round steps that divide a range into about `count` parts, and their digits after the point. */
function ticks(low, high, count) {
	const power = 10 ** Math.floor(Math.log10((high - low) / count)), values = [];
	const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= (high - low) / count);
	for (let value = Math.ceil(low / step) * step; value <= high; value += step) {
		values.push(Number(value.toPrecision(12)));
	}
	return [values, Math.max(0, -Math.floor(Math.log10(step)))];
}

const place = (x, y) => `${x.toFixed(1)} ${y.toFixed(1)}`;
const dotAt = (x, y) => `M${place(x, y)}h.01`;
/** The path of points [[time, value], ...]; a value that is no number, or a pause longer than `gap`, is a gap. */
function path(points, x, y, gap) {
	let text = '', before = -Infinity;
	for (const [time, value] of points) {
		const at = Number.isFinite(value) && place(x(time), y(value));
		if (at) text += time - before <= gap ? 'L' + at : `M${at}h.1`;
		before = at ? time : -Infinity;
	}
	return text;
}
const isWhole = (path) => path.includes('L') && path.indexOf('M', 1) < 0;

/** The points that a drawing of this width shows: the lowest and the highest of each column of pixels. */
function thinned(points, width) {
	if (points.length < width * 3) return points;
	const size = points.length / width;
	return Array.from({ length: width }, (_, i) => {
		const some = points.slice(i * size, (i + 1) * size).sort((a, b) => a[1] - b[1]);
		return [some[0], some.at(-1)].sort((a, b) => a[0] - b[0]);
	}).flat();
}

/** A small line without axes: its `element`, and `draw(points)`, which returns its range. */
export function sparkline() {
	const line = svg('path'), area = svg('path', { class: 'area' }), dot = svg('path', { class: 'dot' });
	const element = svg('svg', { class: 'spark', viewBox: '0 0 92 26', 'aria-hidden': 'true' }, area, line, dot);
	return { element, draw(points) {
		const values = points.map((one) => one[1]), low = lowest(values), high = highest(values);
		const room = Math.max(8, high - low), start = points[0]?.[0], last = points.at(-1);
		const span = Math.max(1, last?.[0] - start);
		const x = (t) => (t - start) / span * 84 + 2, y = (v) => 22 - (v - low + (room - high + low) / 2) / room * 18;
		const d = path(points, x, y, 30000);
		set(line, { d });
		set(area, { d: isWhole(d) ? `${d}V26H2z` : '' });
		set(dot, { d: last ? dotAt(x(last[0]), y(last[1])) : '' });
		return last ? [low, high] : null;
	} };
}

export class Plot {
	/** A pause of more than `gap` milliseconds breaks the line; `least` is the smallest range of the axis. */
	constructor({ title, label = title, unit = '', seconds = 60, gap = 5000, least = 0, kind = '' }) {
		Object.assign(this, { title, label, unit, gap, least, series: [], until: null, point: null });
		this.draw = framed(() => this.render());
		this.svg = svg('svg', { class: 'drawing', role: 'img', 'aria-label': label, tabindex: 0 });
		[this.legend, this.output, this.heads, this.table] = elements('.legend output tr tbody');
		const table = h('table', h('thead', this.heads), this.table);
		this.details = h('details', { ontoggle: () => this.fillTable() }, h('summary', 'Table'),
			scroll(`${label}, values`, table));
		this.picks = ranges.map(([value, text]) => toggle(text, () => this.range(value), '',
			{ aria: `${text}: ${label}` }));
		const tool = (text, onclick) => h('button.quiet', { aria: `${text}: ${label}`, onclick }, text);
		this.pause = tool('Pause', () => this.move(this.until === null ? this.end() : null));
		this.tools = h('.tools', h('b', title, title && unit ? soft(`, ${unit}`) : null), h('.segments', this.picks),
			this.pause, tool('CSV', () => this.save()));
		const name = 'figure.plot' + (kind && '.' + kind);
		this.element = h(name, this.tools, this.legend, this.svg, h('.notes', this.output, this.details));
		const listen = (name, listener) => this.svg.addEventListener(name, listener);
		listen('pointermove', (event) => this.hover(event));
		listen('pointerleave', () => { this.point = null; this.draw(); });
		listen('keydown', (event) => this.key(event));
		this.observer = new ResizeObserver(this.draw);
		this.observer.observe(this.svg);
		this.range(seconds);
	}

	add(name, points = [], unit = this.unit) {
		this.series.push({ name, points, unit });
		const heads = ['Time', ...this.series.map((one) => `${one.name} ${one.unit}`)];
		const axes = this.isMixed() ? soft('The scale is that of the first line. Each unit has its own.') : null;
		const names = this.series.map((one, i) => h(`span.swatch.c${i % 4}`, one.name));
		fill(this.legend, this.isAlone() ? [] : names, axes);
		fill(this.heads, heads.map((one) => h('th', { scope: 'col' }, one)));
		this.draw();
	}

	isAlone() { return this.series.length < 2; }
	isMixed() { return new Set(this.series.map((one) => one.unit)).size > 1; }

	push(number, time, value) {
		const points = this.series[number]?.points;
		if (!points || points.at(-1)?.[0] === time) return;
		points.push([time, value]);
		if (points.length > kept) points.splice(0, kept / 10);
		if (this.until === null) this.draw();
	}

	/** Takes the points that the server has of a line; older ones, which it no longer has, stay. */
	set(number, points) {
		const one = this.series[number], first = points[0]?.[0] ?? Infinity;
		one.points = [...one.points.filter(([time]) => time < first), ...points];
		this.draw();
	}

	newest() { return highest(this.series.map((one) => one.points.at(-1)?.[0] ?? 0).concat(0)) || Date.now(); }
	oldest() { return lowest(this.series.map((one) => one.points[0]?.[0] ?? Infinity)); }
	end() { return this.until ?? this.newest(); }
	/** The time shown, in milliseconds: no more than there is. */
	span() { return Math.min(this.seconds * 1000, Math.max(5000, this.end() - Math.min(this.oldest(), this.end()))); }

	range(seconds) {
		this.seconds = seconds;
		ranges.forEach(([value], i) => press(this.picks[i], value === seconds));
		this.draw();
	}

	/** Shows the time until `end`; with null it follows the newest value. */
	move(end) {
		this.until = end;
		relabel(this.pause, end === null ? 'Pause' : 'Go on');
		this.pause.classList.toggle('on', end !== null);
		this.draw();
	}

	key(event) {
		const { key } = event, step = { ArrowLeft: -1, ArrowRight: 1, '+': -1, '-': 1 }[key];
		if (key === '+' || key === '-') {
			this.range(ranges[clamp(ranges.findIndex(([one]) => one === this.seconds) + step, 0, 3)][0]);
		} else if (key === 'Escape') {
			this.point = null;
			this.move(null);
		} else if (step && this.visible(0).length) {
			const points = this.visible(0), last = points.length - 1;
			const place = this.point === null ? last : points.findIndex((one) => one[0] >= this.point) + step;
			this.point = points[clamp(place, 0, last)][0];
			this.move(place < 0 ? this.end() - this.span() / 4 : this.end());
		} else return;
		event.preventDefault();
		event.stopPropagation();
	}

	hover({ clientX }) {
		const box = this.svg.getBoundingClientRect(), width = Math.max(1, box.width - left - right);
		this.point = this.end() - (box.right - right - clientX) * this.span() / width;
		this.draw();
	}

	visible(number) {
		const end = this.end(), start = end - this.span();
		return (this.series[number]?.points ?? []).filter(([time]) => time >= start && time <= end);
	}

	limits(points) {
		const values = numbers(points), low = lowest(values), high = highest(values), size = high - low;
		if (!values.length) return [0, 1];
		const room = Math.max(size * 0.08, (this.least - size) / 2, size ? 0 : Math.abs(low) * 0.05 || 1);
		return [low - room, high + room];
	}

	render() {
		const width = this.svg.clientWidth, height = this.svg.clientHeight;
		if (!width) return;
		const span = this.span(), end = this.end(), start = end - span, parts = [];
		const shown = this.series.map((_, i) => this.visible(i));
		// Lines of several units have an axis each; the first one is written.
		const isMixed = this.isMixed();
		const axes = isMixed ? shown.map((one) => this.limits(one)) : [this.limits(shown.flat())],
			[low, high] = axes[0];
		const x = (time) => left + (time - start) / span * (width - left - right);
		const y = (value, [from, to] = axes[0]) => top + (to - value) / (to - from) * (height - top - bottom);
		const write = (text, x, y, anchor) => parts.push(svg('text', { x, y, 'text-anchor': anchor }, text));
		const line = (kind, x1, x2, y1, y2) => parts.push(svg('line', { class: kind, x1, x2, y1, y2 }));
		const [levels, digits] = ticks(low, high, Math.max(3, Math.floor(height / 40)));
		for (const value of levels) {
			line('grid', left, width - right, y(value), y(value));
			write(minus(value.toFixed(digits)), left - 8, y(value) + 4, 'end');
		}
		const isLong = span > 300000, unit = isLong ? 60000 : 1000,
			now = this.until === null ? 'now' : clock(end).slice(0, 8);
		for (const value of ticks(-span / unit, 0, Math.max(2, Math.floor(width / 140)))[0]) {
			const text = value ? `${round(value)} ${isLong ? 'min' : 's'}` : now;
			write(text, x(end + value * unit), height - 4, value ? 'middle' : 'end');
		}
		shown.forEach((points, i) => {
			const axis = axes[isMixed ? i : 0], color = `c${i % 4}`, draw = (kind, d, more) =>
				parts.push(svg('path', { class: `${kind} ${color}`, d, ...more }));
			const gap = Math.max(this.gap, span / width * 3),
				text = path(thinned(points, width), x, (value) => y(value, axis), gap);
			if (this.isAlone() && isWhole(text)) draw('area',
				`${text}V${height - bottom}H${x(points[0][0]).toFixed(1)}z`);
			draw('line', text, { 'stroke-dasharray': dashes[i % 4] });
			const last = points.findLast((one) => Number.isFinite(one[1]));
			if (last) draw('dot', dotAt(x(last[0]), y(last[1], axis)));
		});
		const distance = (one) => Math.abs(one[0] - this.point);
		const nearest = (points) => points.reduce((best, one) => best && distance(best) <= distance(one) ? best : one,
			null);
		const near = this.point === null ? [] : shown.map(nearest), first = near.find(Boolean);
		if (first) line('cursor', x(first[0]), x(first[0]), top, height - bottom);
		const value = (one, i) => one && `${this.prefix(i, ' ')}${round(one[1])} ${this.series[i].unit}`;
		const say = near.map(value).filter(Boolean);
		const summary = shown.map((points, i) => this.summary(points, i)).filter(Boolean).join(' ');
		const help = 'Arrow keys move along the values, plus and minus change the range.';
		set(this.svg, { viewBox: `0 0 ${width} ${height}`, 'aria-label': `${this.label}. ${summary} ${help}` });
		this.svg.replaceChildren(...parts);
		setText(this.output, first ? `${clock(first[0])}: ${say.join(', ')}` : summary || 'No value in this period.');
		if (performance.now() - (this.filled ?? 0) > 1000) this.fillTable();
	}

	prefix(number, end) { return this.isAlone() ? '' : this.series[number].name + end; }

	summary(points, number) {
		const values = numbers(points);
		if (!values.length) return '';
		const sum = values.reduce((sum, one) => sum + one, 0) / values.length;
		const mean = values.every(Number.isInteger) ? sum.toFixed(1) : sum.toPrecision(4);
		const [low, middle, high] = [lowest(values), Number(mean), highest(values)].map(round);
		return `${this.prefix(number, ': ')}min ${low}, mean ${middle}, max ${high} ${this.series[number].unit}.`;
	}

	/** Cells of a table, the newest first: a time and the value of each line. */
	rows(lists, when, show) {
		const rows = new Map(), none = lists.map(() => '');
		lists.forEach((points, i) => {
			for (const [time, value] of points) rows.set(time, (rows.get(time) ?? none).with(i, show(value)));
		});
		return [...rows].sort((a, b) => b[0] - a[0]).map(([time, cells]) => [when(time), ...cells]);
	}

	fillTable() {
		if (!this.details.open) return;
		this.filled = performance.now();
		const lines = this.rows(this.series.map((_, i) => this.visible(i)), clock, round);
		fill(this.table, lines.slice(0, 200).map((one) => row(...one)));
	}

	save() {
		const lines = this.rows(this.series.map((one) => one.points), (time) => new Date(time).toISOString(),
			(value) => value);
		const heads = ['time', ...this.series.map((one) => quoted(`${one.name} ${one.unit}`.trim()))];
		saveTable(this.title.replace(/\W+/g, '-').toLowerCase() || 'values', [heads, ...lines.reverse()]);
	}

	close() { this.observer.disconnect(); }
}
