// Questions of pairing: a passkey to show, to enter or to compare.
import { at, button, h, openDialog, setText, shown, soft } from '../shared/dom.js';
import { Failure, get, post } from '../shared/api.js';
import { on } from '../shared/stream.js';

const open = new Map();

function ask({ id, name, question, digits, passkey, expires, closed }) {
	if (closed) { open.get(id)?.close(); return; }
	if (open.has(id)) return;
	const place = h('div'), left = soft(), device = h('b', shown(name ?? 'The device'));
	const say = (text, body, kind) =>
		button(text, place, async () => { await post(at('pairing', id), body()); dialog.close(); }, '', '', kind);
	const yes = (text, body = () => ({ accept: true })) => say(text, body, 'button.main');
	const key = h('.passkey', (digits ?? String(passkey ?? '').padStart(6, '0')).replace(/(...)(...)/, '$1 $2'));
	const input = h('input', { id: 'passkey', inputmode: 'numeric', maxlength: 7, autocomplete: 'off', size: 8 });
	const enter = () => {
		if (!/^\s*\d{3}\s?\d{1,3}\s*$/.test(input.value)) {
			throw new Failure({ title: 'Not a passkey.', detail: 'A passkey must have six digits.' });
		}
		return { passkey: Number(input.value.replace(/\s/g, '')) };
	};
	const [content, accept] = {
		display: () => [[h('p', 'Enter this passkey on ', device, '.'), key]],
		enter: () => [[h('label', { for: 'passkey' }, 'Passkey that ', device, ' shows'), h('div', input)],
			yes('Pair', enter)],
		compare: () => [[h('p', 'Does ', device, ' show the same number?'), key], yes('The numbers are equal')],
		confirm: () => [[h('p', 'Pair with ', device, '? The identity of the device cannot be verified.')],
			yes('Pair')],
	}[question]();
	const refuse = say('Refuse', () => ({ refuse: true }));
	const oncancel = (event) => { event.preventDefault(); refuse.click(); };
	const onclose = () => { clearInterval(timer); open.delete(id); };
	const onsubmit = (event) => { event.preventDefault(); accept?.click(); };
	const seconds = () => Math.max(0, Math.ceil((new Date(expires) - Date.now()) / 1000));
	const count = () => setText(left, expires ? `${seconds()} s left` : '');
	const timer = setInterval(count, 1000);
	count();
	const dialog = openDialog('Pairing', h('form', { onsubmit }, content, place, h('.bar', accept, refuse, left)));
	dialog.addEventListener('cancel', oncancel);
	dialog.addEventListener('close', onclose);
	open.set(id, dialog);
}

on('pairing', ask);
on('hello', async () => {
	for (const one of (await get('/pairing').catch(() => ({ questions: [] }))).questions) ask(one);
});
