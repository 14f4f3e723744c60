// The frame of the pages: navigation, addresses, banners.
import { button, end, fill, h, icon, loading, problem, setCurrent, setSilence, shown, soft } from '../shared/dom.js';
import { post } from '../shared/api.js';
import { on, startStream, streamState } from '../shared/stream.js';
import { isReadOnly, radioFault, setState, store, watch } from './store.js';
import { startKeys } from './keyboard.js';
import { devicesPage } from './devices.js';
import { sensorTagsPage } from './sensortags.js';
import { airPage } from './air.js';
import { capturePage } from './capture.js';
import { bondsPage } from './bonds.js';
import { logPage } from './log.js';
import './pairing.js';

const pages = { devices: [devicesPage, 'Devices'], sensortags: [sensorTagsPage, 'SensorTags'], air: [airPage, 'Air'],
	log: [logPage, 'Log'], bonds: [bondsPage, 'Bonds'], capture: [capturePage, 'Capture'] };
const [page, banner, more, foot] = ['page', 'banner', 'more', 'foot'].map((one) => document.getElementById(one));
let current = null, lost = null;

function go(address, replace) {
	history[replace ? 'replaceState' : 'pushState'](null, '', address);
	show();
}

function show() {
	const [name = 'devices', ...rest] = location.pathname.split('/').filter(Boolean).map(decodeURIComponent);
	const [make, title] = pages[name] ?? pages.devices, base = '/' + name;
	document.title = `${title} – Harald`;
	for (const link of document.querySelectorAll('#nav a[href], #more a[href]')) {
		setCurrent(link, link.getAttribute('href') === base && !link.classList.contains('brand'));
	}
	setCurrent(document.querySelector('#nav .more'), base === '/bonds' || base === '/capture');
	// The same page with another choice stays, so that a list keeps its place.
	if (current?.base !== base) {
		end(current);
		page.replaceChildren();
		current = { base, ...make(page, go) };
	}
	current.update?.(rest, new URLSearchParams(location.search));
}

addEventListener('popstate', show);
document.addEventListener('click', (event) => {
	const { target } = event, opens = target.closest?.('[data-opens]')?.dataset.opens;
	if (opens || target.closest?.('[data-closes]') || target === more) document.querySelector('dialog[open]')?.close();
	if (opens) document.getElementById(opens).showModal();
	for (const menu of document.querySelectorAll('.menu[open]')) if (!menu.contains(target)) menu.open = false;
	const link = target.closest?.('a[href]'), isSpecial = event.button || event.metaKey || event.ctrlKey
		|| event.shiftKey;
	if (!link || isSpecial || link.target || link.download || link.origin !== location.origin) return;
	if (link.pathname.startsWith('/api/') || link.getAttribute('href').startsWith('#')) return;
	event.preventDefault();
	more.close();
	go(link.pathname + link.search);
});

const line = (kind, name, what, ...rest) =>
	h(`.bannerline.${kind}`, icon(name), h('span', what, ' ', soft(rest)));

function showBanner() {
	const parts = [], state = streamState(), { radio, adapter, version } = store.state ?? {};
	lost = state === 'lost' ? lost ?? new Date() : null;
	if (lost) parts.push(line('act', 'stop', silences.lost, 'The page shows the state of ',
		`${lost.toTimeString().slice(0, 8)} and goes on when the program is running again.`));
	if (state === 'login') parts.push(line('watch', 'warn', 'Logged out.', 'Open the URL that the program printed, or ',
		h('a', { href: '/', target: '_self' }, 'log in'), '.'));
	if (store.error && state === 'live') parts.push(problem(store.error));
	if (radioFault()) {
		const place = h('div'), off = line('watch', 'warn', radioFault(), shown(radio.reason), ' ',
			shown(radio.advice));
		const power = async () => setState(await post('/radio', { powered: true }));
		if (radio.canPowerOn && !isReadOnly()) off.append(button('Switch on', place, power, '', '', 'button.main'));
		parts.push(off, place);
	}
	if (isReadOnly()) {
		parts.push(line('info', 'eye', 'Read only.', 'This server does not write, pair, capture or change the air.'));
	}
	fill(banner, parts);
	if (adapter) fill(foot, shown(adapter.uri.replace(/^virtual:.*/, 'virtual')), h('div', shown(`Harald ${version}`)));
}
const silences = { lost: 'The server does not respond.', login: 'You are logged out.' };
on('state', (state) => { setSilence(silences[state] ?? ''); showBanner(); });
watch((kind) => { if (kind === 'state') showBanner(); });

startKeys(go);
startStream();
// What the server allows decides what a page shows; the lists need not wait for it.
if (/^\/(devices|log)?$/.test(location.pathname)) show();
else { const stop = watch((kind) => { if (kind === 'state') { stop(); show(); } }); }
setTimeout(() => { if (!current) fill(page, h('.single', loading('The page is loading.'))); }, 300);
