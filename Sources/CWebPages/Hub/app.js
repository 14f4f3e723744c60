// The pages of the health hub: the frame, who is logged in, and the list of people.
import { at, fill, h, known, problem, shown } from '../shared/dom.js';
import { get } from '../shared/api.js';
import { cards, judged, kindName, readingText, setKinds, setZone, since, test, zoneNote } from './format.js';
import { devices, gateways, outboxes, paged, readingsPage, rules, unassigned } from './lists.js';
import { personPage } from './person.js';

const pages = [['/people', 'People', people], ['/devices', 'Devices', (content) => devices(content, may('editor'), () => show())], ['/gateways', 'Gateways', gateways], ['/unassigned', 'Unassigned', (content) => unassigned(content, may('editor'), () => show())], ['/outboxes', 'Outboxes', (content) => outboxes(content, may('editor'), () => show())], ['/rules', 'Rules', rules]];
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
	document.title = `${title} – Harald health hub`;
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
	if (name) document.title = `${name} – Harald health hub`;
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
	head.replaceSync(name ? `@page { @top-left { content: "${text}" } @bottom-right { content: "Page " counter(page) " of " counter(pages) } }` : '');
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
fill(nav, h('b', 'Health hub'), pages.map(([path, title]) => h('a', { href: path }, title)), h('.foot', 'This is not a medical device: it compares readings with published ranges and does not diagnose.'));

/** Who is logged in. A form logs out, so that the server's redirection leads to the login page. */
const logOut = () => h('form', { method: 'post', action: '/logout' }, h('button', 'Log out'));
sender.then((one) => fill(account, one ? h('span', one.name ? [shown(one.name), ` (${one.role})`] : `Without an account (${one.role})`) : null, logOut()));

const notice = (one) => h(one.urgent ? '.bad' : '.warn', one.urgent ? h('b', 'Urgent: ') : null, shown(one.sentence), one.time ? h('.when', since(one.time)) : null);

async function people(content, [id, part]) {
	if (known(id)) return part === 'readings' ? readingsPage(content, id) : personPage(content, id, part === 'report');
	const list = (await get('/people')).people, size = 50;
	const view = await paged(['person', 'people'], async (start = 0) => {
		const some = list.slice(start, start + size);
		const states = await Promise.all(some.map((one) => get(at('people', one.id, 'state'))));
		return { list: some.map((one, i) => [one, states[i]]), total: list.length, next: start + size < list.length ? start + size : null };
	}, (all) => all.length ? cards('People', ['Name', 'Notices', 'Latest readings'], all.map(([one, state]) => [
		h('a', { href: at('people', one.id) }, shown(one.name)),
		[...state.notices.map(notice), ...state.overdue.map((late) => h('.soft', `${kindName(late.kind)} is overdue`))],
		// A context of a glucose measurement is no measurement.
		state.latest.filter((reading) => !reading.glucoseContext).map((reading) => h('div', readingText(reading), ' ', judged(reading.judgement), ' ', since(reading.time), test(reading.simulated))),
	])) : h('p', 'There are no people yet: ', h('code', 'harald hub person add NAME --born 1961-04-30'), '.'));
	fill(content, h('h1', 'People'), h('p.soft', zoneNote()), view);
	return null;
}

// A page that was loaded again keeps its position.
show(history.state?.top);
