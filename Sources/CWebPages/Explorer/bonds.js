// Bonds: the devices that keys are shared with.
import { act, at, bar, button, fill, h, plain, row, shown, table } from '../shared/dom.js';
import { get, remove } from '../shared/api.js';
import { on, ready } from '../shared/stream.js';
import { devices, store } from './store.js';

export const levels = { encrypted: 'encrypted', authenticated: 'authenticated', secureConnections: 'Secure Connections' };

export function bondsPage(root) {
	const place = h('div'), body = h('tbody'), content = h('div'), empty = h('.empty'), sure = h('span');
	const all = button('Forget all', place, async () => { ask(); }), list = h('.scroll', { tabindex: 0, role: 'region', aria: 'Bonds' }, table(['Device', 'Address', 'Security', 'Key', ''], body));
	fill(root, h('.single', h('h1', 'Bonds'), h('p.soft', 'Devices that are paired with this program. They reconnect without a question. To pair again, forget the bond here and on the device.'), bar(all, sure), place, content));

	/** Keys cannot be brought back, so it asks once more. */
	function ask() {
		const done = () => { fill(sure); all.hidden = false; all.focus(); };
		const yes = button('Forget all bonds', place, async () => { await remove('/bonds'); done(); load(); }, undefined, 'button.main');
		all.hidden = true;
		fill(sure, yes, ' ', h('button', { type: 'button', onclick: done }, 'Keep them'));
		yes.focus();
	}

	function line(bond) {
		const name = bond.name ?? devices.get(bond.id)?.name;
		const forget = button('Forget', place, async () => { await remove(at('bonds', bond.id)); load(); }, plain(name ?? bond.address ?? bond.id));
		return row(h('a', { href: at('devices', bond.id) }, name ? shown(name) : 'no name'), h('span.bytes', bond.address ?? ''), levels[bond.security] ?? bond.security, `${bond.keySize * 8} bits`, forget);
	}

	async function load() {
		all.disabled = true;
		if (store.state?.readOnly) { fill(content, h('.empty', 'This server is read-only: it neither shows nor forgets bonds.')); return; }
		await act(null, content, async () => {
			await ready;
			const { bonds } = await get('/bonds');
			all.disabled = !bonds.length;
			fill(body, bonds.map(line));
			fill(empty, 'No bond. Connect a device and pair on its page, or read a value that requires pairing.');
			fill(content, bonds.length ? list : empty);
		});
	}
	const ends = [on('log', (entry) => { if (['bond', 'pairing'].includes(entry.kind)) load(); }), on('hello', load), on('missed', load)];
	load();
	return { update() { load(); }, close() { ends.forEach((end) => end()); } };
}
