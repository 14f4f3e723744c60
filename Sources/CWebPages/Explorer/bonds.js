// Bonds: the devices that keys are shared with.
import { act, at, blank, button, fill, h, plain, shown } from '../shared/dom.js';
import { get, remove } from '../shared/api.js';
import { on, ready } from '../shared/stream.js';
import { devices, store, watch } from './store.js';
import { glyph } from './row.js';

export const levels = { encrypted: 'encrypted', authenticated: 'authenticated', secureConnections: 'Secure Connections' };

export function bondsPage(root) {
	const place = h('div'), content = h('div'), sure = h('span');
	const all = button('Forget all', place, async () => { ask(); });
	fill(root, h('.single', h('.pagehead', h('h1', 'Bonds'), all, sure), h('p.soft', 'Paired devices reconnect without a question. To pair again, forget the bond here and on the device.'), place, content));

	/** Keys cannot be brought back, so it asks once more. */
	function ask() {
		const done = () => { fill(sure); all.hidden = false; all.focus(); };
		const yes = button('Forget all bonds', place, async () => { await remove('/bonds'); done(); load(); }, '', '', 'button.main');
		all.hidden = true;
		fill(sure, yes, ' ', h('button', { onclick: done }, 'Keep them'));
		yes.focus();
	}

	function card(bond) {
		const known = devices.get(bond.id), name = known?.title ?? bond.name ?? bond.address ?? 'A device';
		const forget = button('Forget', place, async () => { await remove(at('bonds', bond.id)); load(); }, plain(name));
		return h('li.card', h('.item', glyph(known?.kind ?? 'device'), h('div', h('a.name', { href: at('devices', bond.id) }, shown(name)), h('span.under', `${levels[bond.security] ?? bond.security} · key of ${bond.keySize * 8} bits · `, h('span.mono', bond.address ?? 'no address'))), h('.do', forget)));
	}

	async function load() {
		all.disabled = true;
		if (store.state?.readOnly) { fill(content, blank('eye', 'Read only', 'This server neither shows nor forgets bonds.')); return; }
		await act(null, content, async () => {
			await ready;
			const { bonds } = await get('/bonds');
			all.disabled = !bonds.length;
			fill(content, bonds.length ? h('ul.cards', bonds.map(card)) : blank('key', 'No bond', 'Connect a device and pair on its page, or read a value that requires pairing.'));
		});
	}
	const ends = [on('log', (entry) => { if (['bond', 'pairing'].includes(entry.kind)) load(); }), on('hello', load), on('missed', load), watch((kind) => { if (kind === 'state') load(); })];
	load();
	return { update() {}, close() { ends.forEach((end) => end()); } };
}
