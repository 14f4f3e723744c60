// Devices: the live list, its filters, and the plot of several devices' RSSI.
import { at, bar, checkbox, file, fill, h, plain, problem, setName, setText } from '../shared/dom.js';
import { get } from '../shared/api.js';
import { Plot, sparkline } from '../shared/plot.js';
import { devices, showState, store, watch } from './store.js';
import { devicePage } from './device.js';

const filters = [['name', 'Name', 'part of the name'], ['rssi', 'Minimum RSSI', '-80'], ['service', 'Service', 'name or UUID'], ['company', 'Company', 'name or number'], ['data', 'Data', '4C 00 02 15 *']];
const sorts = { found: 'found', name: 'name', rssi: 'RSSI', lastSeen: 'last seen', interval: 'interval' };
const keys = { name: (one) => (one.name ?? '\uffff').toLowerCase(), rssi: (one) => -(one.rssi ?? -999), lastSeen: (one) => -Date.parse(one.lastSeen), interval: (one) => one.interval ?? 1e9 };

/** A device in a list: `draw` shows it, and nothing moves. */
export function listRow(...more) {
	const name = h('span.name'), rssi = h('span.number'), state = h('span'), under = h('span'), spark = sparkline();
	const link = h('a.row', name, spark.element, rssi, h('span.under', state, ' ', under));
	return {
		link, more,
		draw(device, text, address, isChosen) {
			setName(name, device.name);
			setText(rssi, device.rssi ? `${device.rssi} dBm` : '');
			spark.draw(device.rssiHistory ?? []);
			showState(state, device.state ?? device.connection ?? 'disconnected');
			setText(under, text);
			if (link.getAttribute('href') !== address) link.setAttribute('href', address);
			if (isChosen) link.setAttribute('aria-current', 'true'); else link.removeAttribute('aria-current');
		},
	};
}

export function devicesPage(root, go) {
	let query = new URLSearchParams(), chosen = [], detail = null, plot = null, plotted = [], shownKey = null;
	/** Identifiers that the server's filters let through; null without filters. */
	let allowed = null, failure = null, asked = 0, paused = false, waiting = 0, later = 0, frame = 0, dirty = new Set(), isWhole = false;
	const rows = new Map(), picked = new Set(), inputs = {};

	const count = h('span.soft', { role: 'status' }), list = h('ul.rows'), empty = h('.empty');
	for (const [key, , hint] of filters) inputs[key] = h('input', { type: 'search', size: 13, placeholder: hint, oninput: changed });
	const labels = filters.map(([key, label]) => h('label', label, h('br'), inputs[key]));
	for (const key of ['connectable', 'favourite']) { const [box, label] = checkbox(key, changed); inputs[key] = box; labels.push(label); }
	const summary = h('summary', 'Filters'), more = h('details.pad', summary, bar(labels));
	const quick = h('input', { type: 'search', placeholder: 'Find by name', aria: 'Find by name', oninput: () => { inputs.name.value = quick.value; changed(); } });
	const sort = h('select', { onchange: () => set('sort', sort.value === 'found' ? '' : sort.value) }, Object.entries(sorts).map(([value, name]) => h('option', { value }, name)));
	const pause = h('button', { 'aria-pressed': 'false', onclick: () => { paused = !paused; pause.setAttribute('aria-pressed', paused); drawAll(); } }, 'Pause');
	const compare = h('button', { onclick: () => { chosen = []; set('plot', [...picked].join() || 'nearest'); } }, 'Plot RSSI');
	const detailPart = h('section.detail', { aria: 'Device' });
	const split = h('.split', h('section.list', { aria: 'Devices' }, bar(h('h1', 'Devices'), count), bar(quick), more, bar(h('label', 'Sort ', sort), pause, compare, file('/rssi.csv', 'rssi.csv', 'RSSI as CSV')), list, empty), detailPart);
	root.append(split);

	function changed() {
		clearTimeout(waiting);
		waiting = setTimeout(() => {
			for (const [key, input] of Object.entries(inputs)) {
				const value = input.type === 'checkbox' ? input.checked && 'true' : input.value.trim();
				if (value) query.set(key, value); else query.delete(key);
			}
			go(address(chosen), true);
		}, 200);
	}
	function set(key, value) { if (value) query.set(key, value); else query.delete(key); go(address(chosen), key !== 'plot'); }
	const address = (rest) => at('devices', ...rest) + (query.size ? '?' + query : '');
	const used = () => Object.keys(inputs).filter((key) => query.has(key));

	async function filter() {
		const number = ++asked;
		failure = null;
		let ids = null;
		if (used().length) {
			try { ids = new Set((await get('/devices?' + new URLSearchParams(used().map((key) => [key, query.get(key)])))).devices.map((one) => one.id)); } catch (error) { failure = error; ids = new Set(); }
		}
		if (number !== asked) return;
		allowed = ids;
		drawAll();
	}

	// Rows that nobody sees are empty: a thousand devices cost no more than those on the screen.
	const sight = new IntersectionObserver((entries) => {
		for (const { target, isIntersecting } of entries) {
			const entry = rows.get(target.dataset.id);
			if (!entry) continue;
			entry.isVisible = isIntersecting;
			drawRow(target.dataset.id);
		}
	}, { scrollMargin: '300px' });

	function makeRow(id, item) {
		const box = h('input', { type: 'checkbox', onchange: () => { if (box.checked) picked.add(id); else picked.delete(id); setText(compare, picked.size ? `Plot RSSI of ${picked.size}` : 'Plot RSSI'); } });
		const row = listRow(box);
		item.append(box, row.link);
		return row;
	}

	function drawRow(id) {
		const device = devices.get(id), entry = rows.get(id);
		if (!device || !entry?.isVisible) return;
		const row = entry.row ??= makeRow(id, entry.item);
		const services = (device.serviceNames ?? []).map((name, i) => name ?? device.services[i]).slice(0, 3).join(', ');
		const text = [services, device.company, device.interval && `every ${Math.round(device.interval * 1000)} ms`, device.beacons?.[0]?.kind, device.connectable === false && 'not connectable', device.favourite && '★'].filter(Boolean).join(' · ') || device.address;
		row.draw(device, '· ' + plain(text), address([id]), chosen[0] === id);
		row.more[0].setAttribute('aria-label', `Plot ${plain(device.name ?? device.address)}`);
	}

	function drawAll() {
		const all = [...devices.values()].filter((one) => !allowed || allowed.has(one.id));
		const key = keys[query.get('sort')];
		if (key) all.sort((a, b) => { const x = key(a), y = key(b); return x < y ? -1 : x > y ? 1 : 0; });
		const seen = new Set(all.map((one) => one.id));
		for (const [id, row] of rows) if (!seen.has(id)) { row.item.remove(); rows.delete(id); }
		let place = list.firstChild;
		for (const { id } of all) {
			if (!rows.has(id)) {
				rows.set(id, { item: h('li.check', { 'data-id': id }) });
				sight.observe(rows.get(id).item);
			}
			const { item } = rows.get(id);
			drawRow(id);
			if (item === place) place = place.nextSibling; else list.insertBefore(item, place);
		}
		const hidden = devices.size - all.length;
		setText(count, `${all.length}${hidden ? `, ${hidden} hidden by filters` : ''}${paused ? ', paused' : ''}`);
		setText(summary, used().length ? `Filters: ${used().join(', ')}` : 'Filters');
		fill(empty, failure ? problem(failure) : all.length ? [] : !store.loaded ? 'Loading the list of devices …' : ['No device yet. ',
			hidden ? ['Filters hide ', hidden === 1 ? '1 device' : `${hidden} devices`, '. ', h('a', { href: '/devices' }, 'Show all')] : 'Switch a device on, or move it closer. Many devices advertise only while no phone is connected to them. ',
			store.state?.air && !hidden ? h('a', { href: '/air' }, 'Put a device on the air') : null]);
	}

	// Frames set the pace, not events: many changes are drawn at once.
	const stop = watch((kind, id) => {
		if (paused) return;
		if (kind === 'device') dirty.add(id); else isWhole = true;
		if (kind === 'devices' && used().length) { clearTimeout(later); later = setTimeout(filter, 500); }
		frame ||= requestAnimationFrame(() => {
			frame = 0;
			if (isWhole) drawAll(); else dirty.forEach(drawRow);
			if (isWhole && query.has('plot') && !plot) showDetail();
			for (const one of dirty) if (plotted.includes(one)) plot?.push(plotted.indexOf(one), ...devices.get(one)?.rssiHistory.at(-1) ?? []);
			dirty = new Set();
			isWhole = false;
		});
	});

	function showPlot() {
		plotted = query.get('plot').split(',').filter((id) => devices.has(id));
		if (!plotted.length) plotted = [...devices.values()].sort((a, b) => keys.rssi(a) - keys.rssi(b)).map((one) => one.id);
		plotted.length = Math.min(8, plotted.length);
		const mine = plot = new Plot({ title: 'RSSI', unit: 'dBm', gap: 15000 });
		fill(detailPart, h('a.back', { href: '/devices' }, '‹ Devices'), h('h1', 'RSSI of several devices'), plot.element, h('p.soft', 'Select other devices in the list. ', file(`/rssi.csv?${plotted.map((id) => 'device=' + id).join('&')}`, 'rssi.csv', 'Download as CSV')));
		plotted.forEach(async (id, i) => {
			plot.add(plain(devices.get(id).name ?? 'no name'), [...devices.get(id).rssiHistory]);
			const full = await get(at('devices', id)).catch(() => null);
			if (full && plot === mine) plot.set(i, full.rssiHistory);
		});
	}

	function showDetail() {
		detail?.close();
		plot?.close();
		detail = plot = null;
		split.classList.toggle('open', chosen.length > 0 || query.has('plot'));
		if (chosen.length) detail = devicePage(detailPart, chosen[0], chosen[1], address([]));
		else if (!query.has('plot')) fill(detailPart, h('.empty', 'Select a device to see its advertisements, to connect, and to read and write its values.'));
		else if (devices.size) showPlot();
	}

	return {
		update(rest, parameters) {
			query = parameters;
			chosen = rest;
			for (const [key, input] of [...Object.entries(inputs), ['name', quick]]) if (document.activeElement !== input) { if (input.type === 'checkbox') input.checked = query.has(key); else input.value = query.get(key) ?? ''; }
			if (used().some((key) => key !== 'name')) more.open = true;
			sort.value = query.get('sort') ?? 'found';
			filter();
			const key = JSON.stringify([chosen, query.get('plot')]);
			if (key !== shownKey) { shownKey = key; showDetail(); }
		},
		close() { stop(); sight.disconnect(); detail?.close(); plot?.close(); cancelAnimationFrame(frame); },
	};
}
