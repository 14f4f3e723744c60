// The pages of the health hub: the frame, who is logged in, and the list of people.
import { at, fill, fold, h, icon, known, plain, problem, shown } from '../shared/dom.js';
import { get } from '../shared/api.js';
import { birthDate, brief, cards, initials, kindName, levelIcon, levelNames, levelWord, measured, pill, readingText, setKinds, setZone, since, stateOf, test, zoneNote } from './format.js';
import { choose, language, languages, t } from './language.js';
import { devices, gateways, outboxes, paged, readingsPage, rules, unassigned } from './lists.js';
import { editPage, newPerson } from './edit.js';
import { personPage } from './person.js';
import { startPage, welcome } from './start.js';

const pages = [
	['/people', t('nav.people'), people, 'people'], ['/devices', t('nav.devices'), (content) => devices(content, may('editor'), () => show()), 'gauge'], ['/gateways', t('nav.gateways'), gateways, 'home'],
	['/unassigned', t('nav.unassigned'), (content) => unassigned(content, may('editor'), () => show()), 'inbox'], ['/outboxes', t('nav.outboxes'), (content) => outboxes(content, may('editor'), () => show()), 'send'], ['/rules', t('nav.rules'), rules, 'scale'],
];
const nav = document.getElementById('nav'), main = document.getElementById('main'), page = document.getElementById('page'), account = document.getElementById('account');
let turn = 0;

// A program before this one does not know the path; it refuses what the role does not include.
const sender = get('/session').then((one) => { setZone(one.timeZone); return one; }, () => null);
let session = null;
const kinds = get('/kinds').then(setKinds);
const roles = ['reader', 'editor', 'administrator'];
const may = (role) => !session || roles.indexOf(session.role) >= roles.indexOf(role);

/** Shows the page of the address. `top` is the position to scroll to; without it the position stays. */
async function show(top) {
	const mine = ++turn;
	const path = location.pathname === '/' ? '/people' : location.pathname;
	const [base, title, make] = pages.find(([one]) => path === one || path.startsWith(one + '/')) ?? pages[0];
	document.title = `${title} – ${t('hub.login.title')}`;
	for (const link of nav.querySelectorAll('a')) {
		if (link.getAttribute('href') === base) link.setAttribute('aria-current', 'page'); else link.removeAttribute('aria-current');
	}
	const content = h('.single');
	let name = null;
	try {
		session = await sender;
		await kinds;
		name = await make(content, path.slice(base.length).split('/').filter(Boolean).map(decodeURIComponent));
	} catch (error) {
		// The session has ended: the same address now shows the login form, which leads back here.
		if (error.problem?.status === 401) { location.reload(); return; }
		fill(content, problem(error));
	}
	// Who went on meanwhile sees the other page.
	if (mine !== turn) return;
	if (name) document.title = `${name} – ${t('hub.login.title')}`;
	runningHead(name);
	fill(page, content);
	if (!known(top)) return;
	main.scrollTop = top;
	page.focus({ preventScroll: true });
}

/** Prints the title and the number on each sheet of paper, so that loose sheets of two people are not mixed up. */
const head = new CSSStyleSheet();
document.adoptedStyleSheets = [head];
function runningHead(name) {
	const short = [...name ?? ''];
	if (short.length > 80) short.splice(79, short.length, '…');
	const text = short.map((one) => '"\\<>\n\r\f'.includes(one) ? `\\${one.codePointAt(0).toString(16)} ` : one).join('');
	head.replaceSync(name ? `@page { @top-left { content: "${text}" } @bottom-right { content: ${t('report.pageOf', { page: '" counter(page) "', pages: '" counter(pages) "' }).replace(/^|$/g, '"')} } }` : '');
}

// Each entry of the history has its position.
main.addEventListener('scrollend', () => history.replaceState({ top: main.scrollTop }, ''));
addEventListener('popstate', ({ state }) => show(state?.top ?? 0));
document.addEventListener('click', (event) => {
	const link = event.target.closest?.('a[href]');
	if (!link || event.button || event.metaKey || event.ctrlKey || event.shiftKey || link.target || link.origin !== location.origin) return;
	if (link.pathname.startsWith('/api/') || link.getAttribute('href').startsWith('#')) return;
	event.preventDefault();
	history.pushState(null, '', link.pathname);
	show(0);
});
document.getElementById('skip').textContent = t('nav.skip');
nav.setAttribute('aria-label', t('nav.pages'));
// On a phone, two pages stand behind More.
const more = h('button.more', { 'aria-expanded': 'false', onclick: () => more.setAttribute('aria-expanded', String(nav.classList.toggle('open'))) }, icon('more'), t('nav.more'));
const rare = ['/gateways', '/outboxes'];
fill(nav, h('b', icon('heart'), t('nav.hub')), pages.map(([path, title, , name]) => h(rare.includes(path) ? 'a.rare' : 'a', { href: path }, icon(name), title)), more, h('.foot', h('a', { href: '/docs/', target: '_blank' }, t('nav.documentation')), ' ', t('nav.purpose')));

/** Who is logged in. A form logs out, so that the server's redirection leads to the login page. */
const chooser = () => h('select', { aria: t('nav.language'), onchange: (event) => choose(event.target.value) }, languages.map(([code, name]) => h('option', { value: code, selected: code === language, lang: code }, name)));
const logOut = () => h('form', { method: 'post', action: '/logout' }, h('button', { type: 'submit' }, t('account.logOut')));
// An account that is bound to people sees their pages only.
sender.then((one) => { if (one?.people) for (const link of nav.querySelectorAll('a[href]')) link.hidden = !['/people', '/rules', '/docs/'].includes(link.getAttribute('href')); });
sender.then((one) => fill(account, one ? h('span', one.name ? [shown(one.name), ` (${t(`role.${one.role}`)})`] : t('account.all')) : null, chooser(), logOut()));

// The states of this many people are fetched, and sorted, together.
const part = 200;

async function people(content, [id, section]) {
	const rights = { mayEdit: may('editor'), again: () => show() };
	if (known(id)) return section === 'readings' ? readingsPage(content, id, rights) : section === 'start' ? startPage(content, id) : section === 'edit' ? editPage(content, id, () => show(), may('administrator')) : personPage(content, id, section === 'report', rights);
	const list = (await get('/people')).people;
	if (!list.length && may('editor') && !session?.people) { welcome(content, (one) => { history.pushState(null, '', at('people', one.id, 'start')); return show(0); }); return t('start.welcome'); }
	const size = 50, sorted = [], order = h('select', { aria: t('people.order'), onchange: () => { sorted.sort(orders[order.value]); lay(); } }, h('option', { value: 'urgency' }, t('people.byUrgency')), h('option', { value: 'overdue' }, t('people.byOverdue')), h('option', { value: 'name' }, t('people.byName'))), words = h('input', { type: 'search', placeholder: t('people.name'), aria: t('people.find'), oninput: () => lay() }), counts = h('ul.counts');
	let lay = () => {};
	const view = await paged('count.people', async (start = 0) => {
		if (start >= sorted.length) {
			const some = list.slice(start, start + part), states = await Promise.all(some.map((one) => get(at('people', one.id, 'state'))));
			const rows = some.map((one, i) => ({ one, state: states[i], ...stateOf(states[i]) }));
			sorted.push(...rows.sort(orders[order.value]));
			fill(counts, levelNames.map((level) => h(`li.card.${level}`, h('span.disc', levelIcon(level)), h('b', sorted.filter((row) => row.level === level).length), ' ', levelWord(level))));
		}
		return { list: sorted.slice(start, start + size), total: list.length, next: start + size < list.length ? start + size : null };
	}, (all) => {
		if (!all.length) return h('p', t('people.none'));
		const place = h('div');
		lay = () => {
			const text = words.value.trim().toLowerCase();
			const found = text ? sorted.filter((row) => plain(row.one.name).toLowerCase().includes(text)) : sorted.slice(0, all.length);
			fill(place, found.length ? cards(t('nav.people'), [t('people.person'), t('people.state'), t('people.why'), t('people.latest'), t('people.last')], found.map(personRow)) : h('p', t('people.nobody')));
		};
		lay();
		return place;
	});
	const told = may('editor') && !session?.people ? (await get('/notifiers')).notifiers.filter((one) => one.lastError) : [];
	fill(content, h('h1', t('nav.people')), h('p.soft', zoneNote()), told.map((one) => h('p.problem', { role: 'alert' }, h('b', t('people.notTold'), ' '), shown(one.name), ': ', shown(one.lastError))), list.length ? counts : null, list.length > 8 ? h('.bar', h('label.field.grow', icon('search'), words), order) : null, view,
		may('editor') && !session?.people ? fold('', t('people.add'), newPerson((one) => { history.pushState(null, '', at('people', one.id, 'edit')); return show(0); })) : null);
	return null;
}

/** The orders of people: the worst state, the longest time that a reading is overdue, and the name. */
const late = ({ state }) => Math.max(-1, ...state.overdue.map((one) => one.due ? Date.now() - Date.parse(one.due) : Infinity));
const orders = {
	urgency: (a, b) => levelNames.indexOf(a.level) - levelNames.indexOf(b.level) || (b.notice?.time ?? '').localeCompare(a.notice?.time ?? ''),
	overdue: (a, b) => late(b) - late(a) || orders.urgency(a, b),
	name: (a, b) => plain(a.one.name).localeCompare(plain(b.one.name)),
};
const newest = (list) => list.map((one) => one.time).sort().at(-1);
const personRow = ({ one, state, level, notice, reasons }) => [
	h('.person', h('span.mark', { 'aria-hidden': 'true' }, initials(one.name)), h('div', h('a', { href: at('people', one.id) }, shown(one.name)), h('.small.soft', birthDate(one.born), test(state.latest.some((reading) => reading.simulated))))),
	h(`span.chip.${level}`, levelIcon(level, 's'), levelWord(level)),
	[notice ? h('.bad', h('b', t('state.urgent'), ' '), shown(brief(notice)), notice.time ? [', ', since(notice.time)] : null) : null, reasons.map((text) => h('div', shown(text)))],
	measured(state).map((reading) => h('.reading', readingText(reading, true), ' ', pill(reading.judgement))),
	state.latest.length ? since(newest(state.latest)) : h('span.soft', t('shared.never')),
];

// A page that was loaded again keeps its position.
show(history.state?.top);
