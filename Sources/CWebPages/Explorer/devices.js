// Devices: the live list, the search, and what is beside it.
import { at, blank, button, checkbox, fill, h, icon, loading, press, problem, setText } from '../shared/dom.js';
import { get } from '../shared/api.js';
import { devices, scanSwitch, store, watch } from './store.js';
import { deviceRow } from './row.js';
import { devicePage } from './device.js';
import { overview } from './overview.js';
import { comparePage } from './compare.js';

const sorts = { found: 'as found', rssi: 'nearest', name: 'by name', lastSeen: 'last heard', interval: 'fastest' };
const keys = { name: (one) => one.title.toLowerCase(), rssi: (one) => -(one.rssi ?? -999), lastSeen: (one) => -Date.parse(one.lastSeen), interval: (one) => one.interval ?? 1e9 };
const chips = [['rssi:-70', 'near'], ['named', 'with a name'], ['connectable', 'connectable'], ['beacon', 'beacons'], ['favourite', '★ favourites']];
const silence = 30000;

export function devicesPage(root, go) {
	let query = new URLSearchParams(), chosen = [], detail = null, shownKey = null;
	/** Identifiers that the search lets through; null without a search. */
	let allowed = null, failure = null, asked = 0, waiting = 0, later = 0, frame = 0, dirty = new Set(), isWhole = false, order = null;
	const rows = new Map(), heads = new Map();

	const count = h('span.soft.count', { role: 'status' }), list = h('ul.rows'), empty = h('div'), place = h('div'), scan = scanSwitch(place);
	const search = h('input', { type: 'search', placeholder: 'Name, company, service …', aria: 'Search devices', autocomplete: 'off', spellcheck: 'false', oninput: () => { clearTimeout(waiting); waiting = setTimeout(() => set('q', search.value.trim()), 200); } });
	const picks = chips.map(([word, text]) => h('button', { 'aria-pressed': 'false', 'data-word': word, onclick: () => { const words = said(); set('q', (words.includes(word) ? words.filter((one) => one !== word) : [...words, word]).join(' ')); } }, text));
	const sort = h('select', { aria: 'Sort', onchange: () => { order = null; menu.open = false; set('sort', sort.value === 'found' ? '' : sort.value); } }, Object.entries(sorts).map(([value, name]) => h('option', { value }, name)));
	const sortKey = h('button', { hidden: true, 'data-key': 's' });
	const [compact, compactLabel] = checkbox('Compact rows', () => { localStorage.setItem('harald-compact', compact.checked ? '1' : ''); lay(); }, !!localStorage.getItem('harald-compact'));
	const menu = h('details.menu', h('summary.button.icon', { aria: 'View' }, icon('more')), h('div', h('label', 'Sort', sort), h('button', { onclick: () => { order = null; menu.open = false; drawAll(); } }, icon('turn'), 'Sort again'), compactLabel, h('a', { href: '/devices?plot=nearest' }, icon('chart'), 'Compare …')));
	const detailPart = h('section.detail', { aria: 'Device', tabindex: -1 });
	const listPart = h('section.list', { aria: 'Devices' }, h('.listhead', h('.pagehead', h('h1', 'Devices'), count, scan.parts, menu), h('label.field', icon('search'), search), h('.picks', picks), place), h('a.skip', { href: '#', onclick: (event) => { event.preventDefault(); detailPart.focus(); } }, 'Skip the list'), list, empty);
	const split = h('.split', listPart, detailPart);
	root.append(split);

	const said = () => (query.get('q') ?? '').split(/\s+/).filter(Boolean);
	function set(key, value) { if (value) query.set(key, value); else query.delete(key); go(address(chosen), true); }
	const address = (rest) => at('devices', ...rest) + (query.size ? '?' + query : '');
	function lay() { split.classList.toggle('compact', compact.checked); split.classList.toggle('open', chosen.length > 0 || query.has('plot')); }

	async function filter() {
		const number = ++asked, text = query.get('q');
		let ids = null, error = null;
		if (text) {
			try { ids = new Set((await get('/devices?' + new URLSearchParams({ filter: text }))).devices.map((one) => one.id)); } catch (one) { error = one; ids = new Set(); }
		}
		if (number !== asked) return;
		[allowed, failure] = [ids, error];
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

	function drawRow(id) {
		const device = devices.get(id), entry = rows.get(id);
		if (!device || !entry?.isVisible) return;
		if (!entry.row) { entry.row = deviceRow(); entry.item.append(entry.row.link); }
		entry.row.draw(device, address([id]), chosen[0] === id);
		entry.row.link.classList.toggle('quiet', group(device) === 'silent');
	}

	const group = (device) => device.connection !== 'disconnected' && device.connection ? 'linked' : device.favourite ? 'favourite' : Date.now() - Date.parse(device.lastSeen) > silence && store.state?.scanning ? 'silent' : 'range';
	const titles = { linked: 'Connected', favourite: 'Favourites', range: 'In range', silent: 'Not heard for 30 s' };

	/** The devices in the order of the list: rows keep their places until the list is sorted again. */
	function sorted() {
		const all = [...devices.values()].filter((one) => !allowed || allowed.has(one.id)), key = keys[query.get('sort')];
		if (!key) return all;
		if (!order) order = new Map(all.toSorted((a, b) => { const x = key(a), y = key(b); return x < y ? -1 : x > y ? 1 : 0; }).map((one, i) => [one.id, i]));
		return all.sort((a, b) => (order.get(a.id) ?? 1e9) - (order.get(b.id) ?? 1e9));
	}

	function drawAll() {
		const all = sorted(), seen = new Set(all.map((one) => one.id)), groups = Object.groupBy(all, group);
		for (const [id, row] of rows) if (!seen.has(id)) { sight.unobserve(row.item); row.item.remove(); rows.delete(id); }
		let place = list.firstChild, focused = document.activeElement;
		const put = (item) => { if (item === place) place = place.nextSibling; else list.insertBefore(item, place); };
		for (const [name, title] of Object.entries(titles)) {
			const some = groups[name] ?? [];
			const head = heads.get(name) ?? h('li.grouphead', h('span', title), h('span'));
			heads.set(name, head);
			if (!some.length) { if (head === place) place = place.nextSibling; head.remove(); continue; }
			setText(head.lastChild, some.length);
			put(head);
			for (const { id } of some) {
				if (!rows.has(id)) {
					rows.set(id, { item: h('li.device', { 'data-id': id }) });
					sight.observe(rows.get(id).item);
				}
				drawRow(id);
				put(rows.get(id).item);
			}
		}
		// A row that moves loses the focus.
		if (list.contains(focused)) focused.focus({ preventScroll: true });
		const hidden = devices.size - all.length, isScanning = store.state?.scanning !== false;
		setText(count, hidden ? `${all.length} of ${devices.size}` : all.length);
		scan.draw();
		fill(empty, failure ? h('.pad', problem(failure)) : all.length ? [] : !store.loaded ? h('.empty', loading('The list of devices is loading.'))
			: hidden ? blank('search', 'No device fits the search', `${hidden} ${hidden === 1 ? 'device is' : 'devices are'} in range. The search hides all of them.`, h('a.button.main', { href: '/devices' }, 'Show all'))
				: blank('radio', 'Nothing in range yet', isScanning ? 'Devices that advertise appear here. Switch a device on, or move it closer. Many stop when a phone is connected to them.' : 'The scan is paused.', store.state?.air ? h('a.button', { href: '/air' }, icon('flask'), 'Put a device on the air') : null));
	}

	// Frames set the pace, not events: many changes are drawn at once.
	const stop = watch((kind, id) => {
		if (kind === 'device') dirty.add(id); else isWhole = true;
		if (kind === 'devices' && query.has('q')) { clearTimeout(later); later = setTimeout(filter, 500); }
		frame ||= requestAnimationFrame(() => {
			frame = 0;
			if (isWhole) drawAll(); else dirty.forEach(drawRow);
			if (isWhole) detail?.refresh?.();
			dirty = new Set();
			isWhole = false;
		});
	});
	// Who looks at the list finds each row where it was.
	const timer = setInterval(() => { if (!listPart.matches(':hover, :focus-within') && !document.hidden) drawAll(); }, 5000);

	function showDetail() {
		detail?.close();
		lay();
		if (chosen.length) detail = devicePage(detailPart, chosen[0], chosen[1], address([]));
		else if (query.has('plot')) detail = comparePage(detailPart, query.get('plot'), (ids) => set('plot', ids.join()));
		else detail = overview(detailPart, address);
		if (chosen.length && matchMedia('(max-width: 860px)').matches) document.getElementById('main').scrollTop = 0;
	}
	sortKey.addEventListener('click', () => { order = null; set('sort', 'rssi'); });
	listPart.append(sortKey);
	sortKey.checkVisibility = () => true;

	return {
		update(rest, parameters) {
			query = parameters;
			chosen = rest;
			if (document.activeElement !== search) search.value = query.get('q') ?? '';
			for (const pick of picks) press(pick, said().includes(pick.dataset.word));
			sort.value = query.get('sort') ?? 'found';
			lay();
			filter();
			const key = JSON.stringify([chosen, query.get('plot')]);
			if (key !== shownKey) { shownKey = key; showDetail(); }
		},
		close() { stop(); clearInterval(timer); sight.disconnect(); detail?.close(); cancelAnimationFrame(frame); },
	};
}
