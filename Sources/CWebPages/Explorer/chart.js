// One plot of numbers of several characteristics.
import { card, fill, h, plain } from '../shared/dom.js';
import { get } from '../shared/api.js';
import { Plot } from '../shared/plot.js';
import { isNumber, partsOf, unitOf } from './value.js';

export function chartCard() {
	const known = new Map(), shown = new Map(), place = h('div');
	let plot = null;
	const select = h('select', { aria: 'Add a number to the plot', onchange: () => { add(select.value); select.value = ''; } });
	const element = card('chart', 'Several values in one plot', place);
	element.hidden = true;
	element.firstChild.append(select);
	const offer = () => fill(select, h('option', { value: '' }, 'Add a number …'), [...known].filter(([key]) => !shown.has(key)).map(([key, one]) => h('option', { value: key }, plain(one.title))));

	async function add(key) {
		const one = known.get(key);
		if (!one || shown.has(key)) return;
		if (!plot) { plot = new Plot({ title: 'Values', label: 'Several values', gap: 15000, kind: 'tall' }); fill(place, plot.element); }
		const index = plot.add(one.title, [], one.unit);
		shown.set(key, index);
		offer();
		const { values } = await get(one.path + '/values').catch(() => ({ values: [] }));
		plot.set(index, values.flatMap((value) => (partsOf(value, one.uuid) ?? []).filter((part) => isNumber(part) && part.name === one.name).map((part) => [Date.parse(value.time), part.number])));
	}
	return {
		element,
		heard(attribute, name, unit, stamp, number) {
			const key = `${attribute.path} ${name}`;
			if (!known.has(key)) {
				known.set(key, { title: name && name !== attribute.label.toLowerCase() ? `${attribute.label}: ${name}` : attribute.label, unit: unitOf({ unit }), name, path: attribute.path, uuid: attribute.uuid });
				element.hidden = known.size < 2;
				offer();
			}
			if (shown.has(key)) plot.push(shown.get(key), stamp, number);
		},
		close() { plot?.close(); },
	};
}
