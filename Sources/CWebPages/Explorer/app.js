// The frame of the pages: navigation, addresses, the state of the connection and of the radio.
import { button, fill, h, problem, shown } from '../shared/dom.js';
import { post } from '../shared/api.js';
import { on, startStream, streamState } from '../shared/stream.js';
import { setState, store, watch } from './store.js';
import { devicesPage } from './devices.js';
import { sensorTagsPage } from './sensortags.js';
import { airPage } from './air.js';
import { capturePage } from './capture.js';
import { bondsPage } from './bonds.js';
import { logPage } from './log.js';
import './pairing.js';

const pages = [['/devices', 'Devices', devicesPage], ['/sensortags', 'SensorTags', sensorTagsPage], ['/air', 'Air', airPage], ['/bonds', 'Bonds', bondsPage], ['/capture', 'Capture', capturePage], ['/log', 'Log', logPage]];
const radioWords = { poweredOff: 'The radio is off.', unauthorized: 'Bluetooth is not permitted.', unsupported: 'There is no Bluetooth adapter.', resetting: 'The radio is restarting.' };
const nav = document.getElementById('nav'), page = document.getElementById('page'), banner = document.getElementById('banner');
let current = null;

/** Goes to an address of these pages. */
function go(address, replace) {
	history[replace ? 'replaceState' : 'pushState'](null, '', address);
	show();
}

function show() {
	const path = location.pathname === '/' ? '/devices' : location.pathname;
	const [base, title, make] = pages.find(([one]) => path === one || path.startsWith(one + '/')) ?? pages[0];
	const rest = path.slice(base.length).split('/').filter(Boolean).map(decodeURIComponent);
	document.title = `${title} – Harald`;
	for (const link of nav.querySelectorAll('a')) {
		if (link.getAttribute('href') === base) link.setAttribute('aria-current', 'page'); else link.removeAttribute('aria-current');
	}
	// The same page with another choice stays, so that a list keeps its place.
	if (current?.base !== base) {
		current?.close();
		page.replaceChildren();
		current = { base, ...make(page, go) };
	}
	current.update(rest, new URLSearchParams(location.search));
}

addEventListener('popstate', show);
document.addEventListener('click', (event) => {
	const link = event.target.closest?.('a[href]');
	if (!link || event.button || event.metaKey || event.ctrlKey || event.shiftKey || link.target || link.origin !== location.origin) return;
	if (link.pathname.startsWith('/api/') || link.getAttribute('href').startsWith('#')) return;
	event.preventDefault();
	go(link.pathname + link.search);
});

const foot = h('.foot');
fill(nav, h('b', 'Harald'), pages.map(([path, title]) => h('a', { href: path }, title)), foot);

function showBanner() {
	const parts = [], state = streamState(), radio = store.state?.radio;
	if (state === 'lost') parts.push(h('div', h('span.warn', '▲ The server does not respond.'), ' The page shows old data. It continues when the program is running again.'));
	if (state === 'login') parts.push(h('div', h('span.warn', '▲ Logged out.'), ' Open the URL that the program printed, or ', h('a', { href: '/', target: '_self' }, 'log in'), '.'));
	if (store.error && state === 'live') parts.push(problem(store.error));
	if (radio && radioWords[radio.state]) {
		const place = h('div');
		parts.push(h('div', h('span.bad', `■ ${radioWords[radio.state]}`), shown(radio.reason), ' ', shown(radio.advice), radio.canPowerOn ? button('Switch the radio on', place, async () => setState(await post('/radio', { powered: true }))) : null, place));
	}
	if (store.state?.readOnly) parts.push(h('div', '◇ Read-only: this server does not write, pair, capture or change the air.'));
	fill(banner, parts);
	if (store.state) fill(foot, [store.state.adapter.uri, store.state.adapter.address, `version ${store.state.version}`].map((one) => h('div', shown(one))));
}
on('state', showBanner);
watch((kind) => { if (kind === 'state') showBanner(); });

startStream();
show();
