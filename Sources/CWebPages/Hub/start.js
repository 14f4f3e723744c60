// The first run: who you are, which devices are near and yours, and the first measurement.
import { at, button, fill, h, icon, plain, shown } from '../shared/dom.js';
import { get, post } from '../shared/api.js';
import { newPerson } from './edit.js';
import { parts, t } from './language.js';
import { levelIcon, levelWord, measured, readingText, stateOf } from './format.js';

const step = (number, title, ...content) => h('section.card.pad', h('.cardhead', h('span.mark', { 'aria-hidden': 'true' }, number), h('h2.grow', title)), content);

/** The page of a hub without people. */
export const welcome = (content, done) => fill(content, h('h1', t('start.welcome')), h('p', t('start.about')),
	step('1', t('start.who'), newPerson(done)));

/** The devices near, and the first measurement, of a person. */
export async function startPage(content, id) {
	const state = await get(at('people', id, 'state')), near = h('div'), first = h('div', { role: 'status' }), place = h('div');
	const address = location.pathname, mine = new Set();
	let monitor = await get('/monitor').catch(() => null);
	const list = () => {
		if (!monitor) return fill(near, h('p', parts('start.noMonitor', { documentation: h('a', { href: '/docs/', target: '_blank' }, t('nav.documentation')) })));
		fill(near, monitor.problem ? h('p.bad', shown(monitor.problem)) : null,
			monitor.isRunning ? h('p.soft', { role: 'status' }, t(monitor.devices.length ? 'start.still' : 'start.looking')) : button(t('start.look'), place, async () => { monitor = await post('/monitor', {}); list(); }, '', '', 'button.main'),
			h('ul.lines', monitor.devices.map((one) => h('li', h('b', shown(one.name || t('start.unnamed'))), ' ', h('span.soft', shown(one.address)), ' ',
				mine.has(one.address) ? h('span.chip.good', levelIcon('good', 's'), t('start.yours')) : button(t('start.mine'), place, async () => { await post('/assignments', { device: one.address, person: id }); mine.add(one.address); list(); }, plain(one.name || one.address))))));
	};
	const look = async () => {
		if (location.pathname !== address || !content.isConnected && content.dataset.shown) return;
		content.dataset.shown = 'yes';
		if (monitor?.isRunning) { const now = await get('/monitor').catch(() => monitor); if (now.devices.length !== monitor.devices.length || now.isRunning !== monitor.isRunning) { monitor = now; list(); } }
		const now = await get(at('people', id, 'state')).catch(() => null), newest = now && measured(now)[0];
		if (newest) {
			const { level, notice, reasons } = stateOf(now);
			fill(first, h(`.verdict.${level}`, h('span.disc', levelIcon(level)), h('.grow', h('h2', readingText(newest)), h('p', shown(newest.judgement.sentence ?? newest.judgement.reason)), notice ? h('p.bad', shown(notice.sentence)) : reasons.map((one) => h('p', shown(one)))), h('span.chip', levelWord(level))),
				h('.bar', h('a.button.main', { href: at('people', id) }, t('start.go'))));
			return;
		}
		setTimeout(look, 2000);
	};
	list();
	fill(first, h('p', t('start.measure'), ' ', h('a', { href: at('people', id, 'edit') }, t('state.typeIn'))));
	fill(content, h('h1', parts('start.welcomeName', { name: shown(state.name) })), step('2', t('start.near'), near, place), step('3', t('start.first'), first),
		h('section.card.pad', h('.cardhead', icon('info'), h('h2.grow', t('start.skip'))), h('p', t('start.skipText'), ' ', h('a', { href: at('people', id, 'edit') }, t('start.answer')))));
	setTimeout(look, 500);
	return t('start.welcomeName', { name: plain(state.name) });
}
