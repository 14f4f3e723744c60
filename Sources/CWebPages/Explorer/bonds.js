// Bonds: the devices that keys are shared with.
import { act, at, blank, button, fill, h, plain, shown } from '../shared/dom.js';
import { get, remove } from '../shared/api.js';
import { on } from '../shared/stream.js';
import { devices, isReadOnly, watch } from './store.js';
import { glyph } from './row.js';

export const levels = { encrypted: 'encrypted', authenticated: 'authenticated',
	secureConnections: 'Secure Connections' };

export function bondsPage(root) {
	const place = h('div'), content = h('div'), sure = h('span'), all = button('Forget all', place, async () => ask());
	fill(root, h('.single', h('.pagehead', h('h1', 'Bonds'), all, sure), h('p.soft',
		'Paired devices reconnect without a question. To pair again, forget the bond here and on the device.'), place,
			content));

	/** Keys cannot be brought back, so it asks once more. */
	function ask() {
		const done = () => { fill(sure); all.hidden = false; all.focus(); };
		const forget = async () => { await remove('/bonds'); done(); load(); };
		const yes = button('Forget all bonds', place, forget, '', '', 'button.main');
		all.hidden = true;
		fill(sure, yes, ' ', h('button', { onclick: done }, 'Keep them'));
		yes.focus();
	}

	function card({ id, name, address, security, keySize }) {
		const known = devices.get(id), title = known?.title ?? name ?? address ?? 'A device';
		const forget = button('Forget', place, async () => { await remove(at('bonds', id)); load(); }, plain(title));
		const facts = h('span.under', `${levels[security] ?? security} · key of ${keySize * 8} bits · `,
			h('span.mono', address ?? 'no address'));
		return h('li.card', h('.item', glyph(known?.kind ?? 'device'),
			h('div', h('a.name', { href: at('devices', id) }, shown(title)), facts), h('.do', forget)));
	}

	async function load() {
		all.hidden = true;
		if (isReadOnly()) {
			fill(content, blank('eye', 'Read only', 'This server neither shows nor forgets bonds.'));
			return;
		}
		await act(null, content, async () => {
			const { bonds } = await get('/bonds');
			all.hidden = !bonds.length || !!sure.firstChild;
			fill(content, bonds.length ? h('ul.cards', bonds.map(card)) : blank('key', 'No bond',
				'Connect a device and pair on its page, or read a value that requires pairing.'));
		});
	}
	load();
	return { ends: [on('log', (entry) => { if (['bond', 'pairing'].includes(entry.kind)) load(); }),
		on('hello missed', load), watch((kind) => { if (kind === 'state') load(); })] };
}
