// Questions of pairing: a passkey to show, to enter or to compare.
import { at, bar, button, h, setText, shown } from '../shared/dom.js';
import { Failure, get, post } from '../shared/api.js';
import { on } from '../shared/stream.js';

const open = new Map();

function ask({ id, name, question, digits, passkey, expires, closed }) {
	if (closed) { open.get(id)?.close(); return; }
	if (open.has(id)) return;
	const place = h('div'), left = h('span.soft');
	const say = (text, body, kind) => button(text, place, async () => { await post(at('pairing', id), body()); dialog.close(); }, '', '', kind);
	const key = () => h('.passkey', (digits ?? String(passkey ?? '').padStart(6, '0')).replace(/(...)(...)/, '$1 $2'));
	const input = h('input', { id: 'passkey', inputmode: 'numeric', maxlength: 7, autocomplete: 'off', size: 8 });
	const device = () => h('b', shown(name ?? 'The device'));
	const enter = () => {
		if (!/^\s*\d{3}\s?\d{1,3}\s*$/.test(input.value)) throw new Failure({ title: 'Not a passkey.', detail: 'A passkey must have six digits.' });
		return { passkey: Number(input.value.replace(/\s/g, '')) };
	};
	const accept = () => ({ accept: true });
	const [content, yes] = {
		display: [[h('p', 'Enter this passkey on ', device(), '.'), key()]],
		enter: [[h('label', { for: 'passkey' }, 'Passkey that ', device(), ' shows'), h('div', input)], say('Pair', enter, 'button.main')],
		compare: [[h('p', 'Does ', device(), ' show the same number?'), key()], say('The numbers are equal', accept, 'button.main')],
	}[question] ?? [[h('p', 'Pair with ', device(), '? The identity of the device cannot be verified.')], say('Pair', accept, 'button.main')];
	const refuse = say('Refuse', () => ({ refuse: true }));
	const dialog = h('dialog', { 'aria-labelledby': 'pairing-title', oncancel: (event) => { event.preventDefault(); refuse.click(); }, onclose: () => { clearInterval(timer); open.delete(id); dialog.remove(); } },
		h('form', { onsubmit: (event) => { event.preventDefault(); yes?.click(); } }, h('h1', { id: 'pairing-title' }, 'Pairing'), content, place, bar(yes, refuse, left)));
	const count = () => setText(left, expires ? `${Math.max(0, Math.ceil((new Date(expires) - Date.now()) / 1000))} s left` : '');
	const timer = setInterval(count, 1000);
	count();
	open.set(id, dialog);
	document.body.append(dialog);
	dialog.showModal();
}

on('pairing', ask);
on('hello', async () => { for (const one of (await get('/pairing').catch(() => ({ questions: [] }))).questions) ask(one); });
