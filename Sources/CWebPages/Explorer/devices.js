// Devices: the live list, the search, and what is beside it.
import { at, blank, checkbox, counted, elements, end, every, framed, h, icon, keyed, later, loading, press, problem,
	redo, select, setText, toggle } from '../shared/dom.js';
import { get } from '../shared/api.js';
import { devices, scanSwitch, store, watch } from './store.js';
import { deviceRow } from './row.js';
import { devicePage } from './device.js';
import { overview } from './overview.js';
import { comparePage } from './compare.js';

const sorts = { found: 'as found', rssi: 'nearest', name: 'by name', lastSeen: 'last heard', interval: 'fastest' };
const keys = { name: (one) => one.title.toLowerCase(), rssi: (one) => -(one.rssi ?? -999),
	lastSeen: (one) => -Date.parse(one.lastSeen), interval: (one) => one.interval ?? 1e9 };
const chips = { 'rssi:-70': 'near', named: 'with a name', connectable: 'connectable', beacon: 'beacons',
	favourite: '★ favourites' };
const groups = { linked: 'Connected', favourite: 'Favourites', range: 'In range', silent: 'Not heard for 30 s' };

function groupOf({ connection, favourite, lastSeen }) {
	if (connection && connection !== 'disconnected') return 'linked';
	if (favourite) return 'favourite';
	return Date.now() - Date.parse(lastSeen) > 30000 && store.state?.scanning ? 'silent' : 'range';
}

export function devicesPage(root, go) {
	/** `allowed`: the identifiers that the search lets through; null without a search. */
	let query = new URLSearchParams(), chosen = [], detail = null, shownKey = null, allowed = null, failure = null,
		asked = 0;
	let dirty = new Set(), isWhole = false, order = null;
	const [place, empty, list] = elements('div div ul.rows'), scan = scanSwitch(place);
	const count = h('span.soft.count', { role: 'status' });
	const search = h('input', { type: 'search', placeholder: 'Name, company, service …', aria: 'Search devices',
		autocomplete: 'off', spellcheck: 'false', oninput: later(200, () => set('q', search.value.trim())) });
	const said = () => (query.get('q') ?? '').split(/\s+/).filter(Boolean);
	const picks = Object.entries(chips).map(([value, text]) => toggle(text, () => {
		const words = said(), others = words.filter((one) => one !== value);
		set('q', (others.length < words.length ? others : [...words, value]).join(' '));
	}, '', { value }));
	/** Sorts the list once more; then rows keep their places. */
	function sortBy(key) {
		order = null;
		menu.open = false;
		if (key) set('sort', key === 'found' ? '' : key); else drawAll();
	}
	const sort = select('Sort', Object.entries(sorts), '', () => sortBy(sort.value));
	const [compact, compactLabel] = checkbox('Compact rows', () => {
		localStorage.setItem('harald-compact', compact.checked ? '1' : '');
		lay();
	}, !!localStorage.getItem('harald-compact'));
	const menu = h('details.menu', h('summary.button.icon', { aria: 'View' }, icon('more')),
		h('div', h('label', 'Sort', sort),
		h('button', { onclick: () => sortBy() }, icon('turn'), 'Sort again'), compactLabel,
		h('a', { href: '/devices?plot=nearest' }, icon('chart'), 'Compare …')));
	const detailPart = h('section.detail', { aria: 'Device', tabindex: -1 });
	const skip = (event) => { event.preventDefault(); detailPart.focus(); };
	const sortKey = h('button', { hidden: true, 'data-key': 's', onclick: () => sortBy('rssi') });
	sortKey.checkVisibility = () => true;
	const listPart = h('section.list', { aria: 'Devices' },
		h('.listhead', h('.pagehead', h('h1', 'Devices'), count, scan.parts, menu),
			h('label.field', icon('search'), search),
			h('.picks', picks), place), h('a.skip', { href: '#', onclick: skip }, 'Skip the list'), list, empty,
				sortKey);
	const split = h('.split', listPart, detailPart);
	root.append(split);

	function set(key, value) {
		if (value) query.set(key, value); else query.delete(key);
		go(address(chosen), true);
	}
	const address = (rest) => at('devices', ...rest) + (query.size ? '?' + query : '');
	function lay() {
		split.classList.toggle('compact', compact.checked);
		split.classList.toggle('open', chosen.length > 0 || query.has('plot'));
	}

	async function filter() {
		const number = ++asked, text = query.get('q');
		let ids = null, error = null;
		try {
			const found = text && await get('/devices?' + new URLSearchParams({ filter: text }));
			if (found) ids = new Set(found.devices.map((one) => one.id));
		} catch (one) { error = one; ids = new Set(); }
		if (number !== asked) return;
		[allowed, failure] = [ids, error];
		drawAll();
	}
	const filterSoon = later(500, filter);

	// Rows that nobody sees are empty: a thousand devices cost no more than those on the screen.
	const sight = new IntersectionObserver((entries) => {
		for (const { target, isIntersecting } of entries) {
			if (!target.isConnected) { sight.unobserve(target); continue; }
			entryOf(target.dataset.id).isVisible = isIntersecting;
			drawRow(target.dataset.id);
		}
	}, { scrollMargin: '300px' });
	const entryOf = (id) => list.cards?.get(id);

	function drawRow(id) {
		const device = devices.get(id), entry = entryOf(id);
		if (!device || !entry?.isVisible) return;
		if (!entry.row) { entry.row = deviceRow(); entry.element.append(entry.row.link); }
		entry.row.draw(device, address([id]), chosen[0] === id);
		entry.row.link.classList.toggle('quiet', groupOf(device) === 'silent');
	}
	function makeItem(id) {
		if (id in groups) return { element: h('li.grouphead', h('span', groups[id]), h('span')) };
		const element = h('li.device', { 'data-id': id });
		sight.observe(element);
		return { element };
	}

	/** The devices in the order of the list: rows keep their places until the list is sorted again. */
	function sorted() {
		const all = [...devices.values()].filter((one) => !allowed || allowed.has(one.id)),
			key = keys[query.get('sort')];
		if (!key) return all;
		const compare = (a, b) => a < b ? -1 : a > b ? 1 : 0;
		order ??= new Map(all.toSorted((a, b) => compare(key(a), key(b))).map((one, i) => [one.id, i]));
		return all.sort((a, b) => (order.get(a.id) ?? 1e9) - (order.get(b.id) ?? 1e9));
	}

	function drawAll() {
		const all = sorted(), parts = Object.groupBy(all, groupOf), focused = document.activeElement;
		const names = Object.keys(groups).filter((name) => parts[name]);
		keyed(list, names.flatMap((name) => [name, ...parts[name].map((one) => one.id)]), makeItem);
		for (const name of names) setText(entryOf(name).element.lastChild, parts[name].length);
		for (const { id } of all) drawRow(id);
		// A row that moves loses the focus.
		if (list.contains(focused)) focused.focus({ preventScroll: true });
		setText(count, all.length < devices.size ? `${all.length} of ${devices.size}` : all.length);
		scan.draw();
		redo(empty, [failure?.message, all.length && 1, store.loaded, devices.size, store.state?.scanning], () =>
			failure ? problem(failure) : all.length ? [] : nothing());
	}

	function nothing() {
		if (!store.loaded) return h('.empty', loading('The list of devices is loading.'));
		if (devices.size) {
			return blank('search', 'No device fits the search',
				`It hides ${counted(devices.size, 'device')} in range.`,
				h('a.button.main', { href: '/devices' }, 'Show all'));
		}
		return blank('radio', 'Nothing in range yet', store.state?.scanning === false ? 'The scan is paused.'
			: 'Devices that advertise appear here. Switch a device on, or move it closer. '
				+ 'Many stop when a phone is connected to them.',
		store.state?.air && h('a.button', { href: '/air' }, icon('flask'), 'Put a device on the air'));
	}

	// Frames set the pace, not events: many changes are drawn at once.
	const render = framed(() => {
		if (isWhole) drawAll(); else dirty.forEach(drawRow);
		if (isWhole) detail?.refresh?.();
		dirty = new Set();
		isWhole = false;
	});

	function showDetail() {
		end(detail);
		lay();
		if (chosen.length) detail = devicePage(detailPart, chosen[0], chosen[1], address([]));
		else if (query.has('plot')) detail = comparePage(detailPart, query.get('plot'),
			(ids) => set('plot', ids.join()));
		else detail = overview(detailPart);
		if (chosen.length && matchMedia('(max-width: 860px)').matches) document.getElementById('main').scrollTop = 0;
	}

	return {
		update(rest, parameters) {
			query = parameters;
			chosen = rest;
			if (document.activeElement !== search) search.value = query.get('q') ?? '';
			for (const pick of picks) press(pick, said().includes(pick.value));
			sort.value = query.get('sort') ?? 'found';
			lay();
			filter();
			const key = JSON.stringify([chosen, query.get('plot')]);
			if (key !== shownKey) { shownKey = key; showDetail(); }
		},
		ends: [() => end(detail), () => sight.disconnect(),
			// Who looks at the list finds each row where it was.
			every(5000, () => { if (!listPart.matches(':hover, :focus-within')) drawAll(); }),
			watch((kind, id) => {
				if (kind === 'device') dirty.add(id); else isWhole = true;
				if (kind === 'devices' && query.has('q')) filterSoon();
				render();
			})],
	};
}
