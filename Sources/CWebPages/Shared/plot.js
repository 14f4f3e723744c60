// Plots of values over time: axes with units, gaps, a band of reference, zoom, keyboard, and a table of the same
// values.
import { clock, fill, h, row, scroll, setText, svg } from './dom.js';

const left = 52, right = 8, top = 8, bottom = 24;
const dashes = ['', '6 3', '2 2', '8 3 2 3'];
const round = (value) => value === null ? 'no value' : String(Number(value.toPrecision(5)));

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

/** A small line without axes: its `element`, and `draw(points)`. */
export function sparkline() {
	const line = svg('path');
	return {
		element: svg('svg', { class: 'spark c0', viewBox: '0 0 80 20', 'aria-hidden': 'true' }, line),
		draw(points) {
			const values = points.map((one) => one[1]);
			const low = Math.min(...values), high = Math.max(...values, low + 4);
			const start = points[0]?.[0], span = Math.max(1, points.at(-1)?.[0] - start);
			line.setAttribute('d', path(points, (t) => (t - start) / span * 78 + 1, (v) => 18 - (v - low) / (high - low) * 16, 30000));
		},
	};
}

export class Plot {
	/** `seconds` are shown; a pause of more than `gap` milliseconds breaks the line; `band` is the range of reference. */
	constructor({ title, label = title, unit = '', seconds = 60, gap = 5000, band = null }) {
		Object.assign(this, { title, unit, seconds, gap, band, series: [], until: null, point: null, frame: 0 });
		this.svg = svg('svg', { role: 'img', tabindex: 0, 'aria-label': `${label}. Arrow keys move along the values, plus and minus zoom.` });
		this.legend = h('.legend');
		this.output = h('output');
		this.heads = h('tr');
		this.table = h('tbody');
		this.details = h('details', { ontoggle: () => this.fillTable() }, h('summary', 'Values as a table'), scroll(`${label}, values`, h('table', h('thead', this.heads), this.table)));
		this.live = h('button.link', { type: 'button', hidden: true, onclick: () => this.move(null) }, 'back to now');
		const zoom = (text, what, factor) => h('button', { type: 'button', aria: `${what}: ${label}`, onclick: () => this.zoom(factor) }, text);
		this.element = h('figure.plot', h('figcaption.bar', h('b', title), h('span.soft', unit), zoom('+', 'Zoom in', 0.5), zoom('−', 'Zoom out', 2), this.live), this.svg, this.legend, this.output, this.details);
		const listen = (name, listener) => this.svg.addEventListener(name, listener);
		listen('pointermove', (event) => this.hover(event));
		listen('pointerdown', (event) => { this.drag = [event.clientX, this.end()]; });
		listen('pointerup', () => { this.drag = null; });
		listen('pointerleave', () => { this.drag = this.point = null; this.draw(); });
		listen('keydown', (event) => this.key(event));
		this.observer = new ResizeObserver(() => this.draw());
		this.observer.observe(this.svg);
	}

	/** Adds a line and returns its number. */
	add(name, points = []) {
		this.series.push({ name, points });
		fill(this.legend, this.series.length > 1 ? this.series.map((one, i) => h(`span.swatch.c${i % 8}`, one.name)) : []);
		fill(this.heads, ['Time', ...this.series.map((one) => `${one.name} ${this.unit}`)].map((one) => h('th', { scope: 'col' }, one)));
		this.draw();
		return this.series.length - 1;
	}

	/** Adds a value to a line; 2,000 are kept. */
	push(number, time, value) {
		const points = this.series[number]?.points;
		if (!points || points.at(-1)?.[0] === time) return;
		points.push([time, value]);
		if (points.length > 2000) points.shift();
		this.draw();
	}

	set(number, points) { this.series[number].points = [...points]; this.draw(); }

	end() { return this.until ?? (Math.max(0, ...this.series.map((one) => one.points.at(-1)?.[0] ?? 0)) || Date.now()); }

	zoom(factor) { this.seconds = Math.min(86400, Math.max(2, this.seconds * factor)); this.draw(); }

	/** Shows the time until `end`; with null it follows the newest value. */
	move(end) { this.until = end; this.live.hidden = end === null; this.draw(); }

	key(event) {
		const { key } = event;
		const points = this.visible(0);
		if (key === '+' || key === '-') this.zoom(key === '+' ? 0.5 : 2);
		else if (key === 'Escape') { this.point = null; this.move(null); } else if ((key === 'ArrowLeft' || key === 'ArrowRight') && points.length) {
			const step = key === 'ArrowLeft' ? -1 : 1;
			const index = this.point === null ? points.length - 1 : points.findIndex((one) => one[0] >= this.point) + step;
			this.point = points[Math.max(0, Math.min(points.length - 1, index))][0];
			this.move(index < 0 ? this.end() - this.seconds * 250 : this.end());
		} else return;
		event.preventDefault();
	}

	hover({ clientX }) {
		const box = this.svg.getBoundingClientRect();
		const scale = this.seconds * 1000 / Math.max(1, box.width - left - right);
		if (this.drag && Math.abs(clientX - this.drag[0]) > 3) this.move(this.drag[1] - (clientX - this.drag[0]) * scale);
		else { this.point = this.end() - (box.right - right - clientX) * scale; this.draw(); }
	}

	visible(number) {
		const end = this.end();
		return (this.series[number]?.points ?? []).filter(([time]) => time >= end - this.seconds * 1000 && time <= end);
	}

	draw() { this.frame ||= requestAnimationFrame(() => { this.frame = 0; this.render(); }); }

	render() {
		const width = this.svg.clientWidth, height = this.svg.clientHeight;
		if (!width) return;
		const end = this.end(), start = end - this.seconds * 1000;
		const shown = this.series.map((_, i) => this.visible(i));
		const values = shown.flat().map((one) => one[1]).filter(Number.isFinite);
		let low = values.length ? Math.min(...values) : 0, high = values.length ? Math.max(...values) : 1;
		const room = (high - low) * 0.06 || Math.abs(low) * 0.05 || 1;
		low -= room;
		high += room;
		const x = (time) => left + (time - start) / (end - start) * (width - left - right);
		const y = (value) => top + (high - value) / (high - low) * (height - top - bottom);
		const parts = [];
		if (this.band) {
			const upper = y(Math.min(high, this.band[1])), lower = y(Math.max(low, this.band[0]));
			if (lower > upper) parts.push(svg('rect', { class: 'band', x: left, y: upper, width: width - left - right, height: lower - upper }));
		}
		const [levels, digits] = ticks(low, high, 4);
		for (const value of levels) {
			parts.push(svg('line', { class: 'grid', x1: left, x2: width - right, y1: y(value), y2: y(value) }), svg('text', { x: left - 6, y: y(value) + 4, 'text-anchor': 'end' }, value.toFixed(digits)));
		}
		for (const value of ticks(-this.seconds, 0, Math.max(2, Math.floor(width / 120)))[0]) {
			const text = !value && this.until === null ? 'now' : this.seconds > 300 ? `${round(value / 60)} min` : `${value} s`;
			parts.push(svg('text', { x: x(end + value * 1000), y: height - 6, 'text-anchor': value ? 'middle' : 'end' }, text));
		}
		shown.forEach((points, i) => parts.push(svg('path', { class: `c${i % 8}`, d: path(points, x, y, this.gap), 'stroke-dasharray': dashes[i % 4] })));
		const near = this.point === null ? [] : shown.map((points) => points.reduce((best, one) => best && Math.abs(best[0] - this.point) <= Math.abs(one[0] - this.point) ? best : one, null));
		const first = near.find(Boolean);
		if (first) parts.push(svg('line', { class: 'cursor', x1: x(first[0]), x2: x(first[0]), y1: top, y2: height - bottom }));
		const say = near.map((one, i) => one && `${this.series.length > 1 ? this.series[i].name + ' ' : ''}${round(one[1])} ${this.unit}`).filter(Boolean);
		this.svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
		this.svg.replaceChildren(...parts);
		setText(this.output, first ? `${clock(first[0])}: ${say.join(', ')}` : values.length ? '' : 'No value in this period.');
		if (performance.now() - (this.filled ?? 0) > 1000) this.fillTable();
	}

	fillTable() {
		if (!this.details.open) return;
		this.filled = performance.now();
		const rows = new Map();
		this.series.forEach((_, i) => { for (const [time, value] of this.visible(i)) rows.set(time, Object.assign(rows.get(time) ?? [], { [i]: value })); });
		const newest = [...rows].sort((a, b) => b[0] - a[0]).slice(0, 200);
		fill(this.table, newest.map(([time, list]) => row(clock(time), ...this.series.map((_, i) => list[i] === undefined ? '' : round(list[i])))));
	}

	close() { this.observer.disconnect(); cancelAnimationFrame(this.frame); }
}
