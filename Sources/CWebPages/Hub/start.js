// The first run: who you are, which devices are near and yours, and the first measurement.
import { at, button, fill, h, icon, plain, shown } from '../shared/dom.js';
import { get, post } from '../shared/api.js';
import { newPerson } from './edit.js';
import { levelIcon, levelWord, measured, readingText, stateOf } from './format.js';

const step = (number, title, ...content) => h('section.card.pad', h('.cardhead', h('span.mark', { 'aria-hidden': 'true' }, number), h('h2.grow', title)), content);

/** The page of a hub without people. */
export const welcome = (content, done) => fill(content, h('h1', 'Welcome'), h('p', 'Three questions, then the hub runs. Your readings stay on this computer. You can change every answer later.'),
	step('1', 'Who are you?', newPerson(done)));

/** The devices near, and the first measurement, of a person. */
export async function startPage(content, id) {
	const state = await get(at('people', id, 'state')), near = h('div'), first = h('div', { role: 'status' }), place = h('div');
	const address = location.pathname, mine = new Set();
	let monitor = await get('/monitor').catch(() => null);
	const list = () => {
		if (!monitor) return fill(near, h('p', 'This hub cannot look for devices itself: ', h('code', 'harald monitor --send URL --token-file FILE'), ' on a computer with Bluetooth sends to it.'));
		fill(near, monitor.problem ? h('p.bad', shown(monitor.problem)) : null,
			monitor.isRunning ? h('p.soft', { role: 'status' }, monitor.devices.length ? 'Still looking.' : 'Looking. Switch the devices on; step on the scale once.') : button('Look for devices', place, async () => { monitor = await post('/monitor', {}); list(); }, '', 'button.main'),
			h('ul.lines', monitor.devices.map((one) => h('li', h('b', shown(one.name || 'without a name')), ' ', h('span.soft', shown(one.address)), ' ',
				mine.has(one.address) ? h('span.chip.good', levelIcon('good', 's'), 'yours') : button('This is mine', place, async () => { await post('/assignments', { device: one.address, person: id }); mine.add(one.address); list(); }, plain(one.name || one.address))))));
	};
	const look = async () => {
		if (location.pathname !== address || !content.isConnected && content.dataset.shown) return;
		content.dataset.shown = 'yes';
		if (monitor?.isRunning) { const now = await get('/monitor').catch(() => monitor); if (now.devices.length !== monitor.devices.length || now.isRunning !== monitor.isRunning) { monitor = now; list(); } }
		const now = await get(at('people', id, 'state')).catch(() => null), newest = now && measured(now)[0];
		if (newest) {
			const { level, notice, reasons } = stateOf(now);
			fill(first, h(`.verdict.${level}`, h('span.disc', levelIcon(level)), h('.grow', h('h2', readingText(newest)), h('p', shown(newest.judgement.sentence ?? newest.judgement.reason)), notice ? h('p.bad', shown(notice.sentence)) : reasons.map((one) => h('p', shown(one)))), h('span.chip', levelWord(level))),
				h('.bar', h('a.button.main', { href: at('people', id) }, 'Go to the state')));
			return;
		}
		setTimeout(look, 2000);
	};
	list();
	fill(first, h('p', 'Measure now. The reading appears here, with the published range that contains it. Or ', h('a', { href: at('people', id, 'edit') }, 'type one in'), '.'));
	fill(content, h('h1', 'Welcome, ', shown(state.name)), step('2', 'Which devices are near, and which are yours?', near, place), step('3', 'The first measurement', first),
		h('section.card.pad', h('.cardhead', icon('info'), h('h2.grow', 'You may skip this')), h('p', 'Without a height a weight has no body mass index; without a stated diabetes most values of glucose are not judged; limits differ in pregnancy and in the United States. ', h('a', { href: at('people', id, 'edit') }, 'Answer now'), '.')));
	setTimeout(look, 500);
	return `Welcome, ${plain(state.name)}`;
}
