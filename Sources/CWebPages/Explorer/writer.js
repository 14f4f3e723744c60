// The write box.
import { able, act, checkbox, counted, fill, h, icon, plain, select, set, setText, shown, spaced,
	toggle } from '../shared/dom.js';
import { get, post } from '../shared/api.js';
import { on } from '../shared/stream.js';
import { numbers, remember, remembered, shownAs, written } from './bytes.js';
import { usual, valueLine } from './value.js';

const modes = { hex: 'Hex', text: 'Text', number: 'Number', bits: 'Bits' };
const hints = { hex: '01 A0, u16:500, text:hi', text: 'hello', number: '42', bits: '00000001' };

/** `path` is the attribute's, `both` is true if it can be written with and without response. */
export function writer({ path, uuid, label, both }) {
	const place = h('div', { role: 'status' }), say = h('span.bytes', { 'aria-live': 'polite' }),
		wrong = h('div');
	let [mode, number] = remembered('write', uuid) ?? ['hex', 'u8'], asked = 0, made = Promise.resolve({});
	const picks = Object.entries(modes).map(([value, text]) => toggle(text, () => turn(value), '', { value }));
	const type = select(`Type of the number for ${label}`, numbers, number,
		() => { number = type.value; keep(); preview(); });
	const input = h('input', { aria: `Value for ${label}`, spellcheck: 'false', autocomplete: 'off',
		oninput: preview });
	const bits = h('.bits', { role: 'group', aria: `Bits for ${label}` });
	const [response, responseLabel] = checkbox('with response', null, true);
	const send = h('button.main', { type: 'submit' }, icon('pen'), h('span', 'Write')), presets = h('.picks');
	// The form writes to the device: Enter in this field saves instead.
	const name = h('input', { aria: 'Name of the preset', placeholder: 'Name of a preset', size: 16, maxlength: 40,
		onkeydown: (event) => { if (event.key === 'Enter') { event.preventDefault(); save.click(); } } });
	const keep = () => remember('write', uuid, [mode, number]);

	/** Changes the format and keeps the bytes. */
	async function turn(value) {
		const { hex } = await made;
		mode = value;
		keep();
		if (hex) input.value = shownAs(mode === 'number' ? number : mode, hex) ?? '';
		preview();
	}
	function use([newMode, text, newNumber = number]) {
		[mode, number, type.value, input.value] = [newMode, newNumber, newNumber, text];
		preview();
	}

	/** Asks the server what would be sent, and what it means. */
	function preview() {
		const turn = ++asked, value = written(mode, input.value, number);
		for (const one of picks) set(one, { 'aria-pressed': one.value === mode });
		type.hidden = mode !== 'number';
		input.placeholder = hints[mode];
		able(send, 'The bytes are not known yet.');
		made = get(`/decode?${new URLSearchParams({ uuid, value })}`)
			.catch((error) => ({ error: error.problem?.detail ?? error.message }));
		made.then((answer) => { if (turn === asked) draw(answer); });
	}
	function draw({ hex = '', error, problem, parts = [] }) {
		const raw = spaced(hex), meaning = hex && valueLine(parts.map(usual));
		const isEmpty = !hex && (mode === 'number' || mode === 'bits');
		able(send, error ?? (isEmpty ? `Type the ${mode} first.` : ''));
		setText(send.lastChild, `Write ${counted(hex.length / 2, 'byte')}`);
		set(input, { 'aria-invalid': !!error && !!input.value });
		setText(say, raw);
		fill(wrong, error ? h('span.act.small', error) : problem ? h('span.watch.small', shown(problem))
			: meaning && h('span.small', 'sends ', h('b', raw), ': ', shown(meaning)));
		bits.hidden = mode !== 'bits' || !!error;
		if (!bits.hidden) drawBits([...input.value.replace(/\s/g, '') || '00000000']);
	}
	async function flip(digits, i) {
		const text = digits.with(i, digits[i] === '1' ? '0' : '1').join('');
		input.value = text.replace(/.{8}(?=.)/g, '$& ');
		preview();
		await made;
		bits.querySelectorAll('button')[i].focus();
	}
	function drawBits(digits) {
		const all = digits.map((one, i) => h('button', { 'aria-pressed': one === '1', onclick: () => flip(digits, i),
			aria: `bit ${7 - i % 8} of byte ${Math.floor(i / 8)}` }, one));
		// A line ends between bytes.
		fill(bits, Array.from({ length: Math.ceil(all.length / 8) }, (_, i) => h('span', all.slice(i * 8, i * 8 + 8))));
	}

	function drawPresets() {
		const list = remembered('presets', uuid) ?? [];
		const drop = (i) => () => { remember('presets', uuid, list.toSpliced(i, 1)); drawPresets(); };
		fill(presets, list.map(([title, ...value], i) => [h('button', { onclick: () => use(value) }, shown(title)),
			h('button.quiet.icon', { aria: `Remove the preset ${plain(title)}`, onclick: drop(i) },
				icon('remove', 's'))]));
	}
	const save = h('button.quiet', { onclick: () => {
		const title = name.value.trim();
		if (!title) { name.focus(); return; }
		remember('presets', uuid, [...remembered('presets', uuid) ?? [], [title, mode, input.value, number]]);
		name.value = '';
		drawPresets();
	} }, icon('save', 's'), 'Save as preset');
	async function write() {
		const { hex, error } = await made;
		if (error) return;
		const body = { value: hex && '0x' + hex, ...both ? { response: response.checked } : {} };
		const { acknowledged } = await post(path + '/write', body);
		const how = acknowledged === false ? 'sent without response' : 'written';
		fill(place, h('span.good', `✓ ${spaced(hex) || 'nothing'} ${how}`));
	}
	preview();
	drawPresets();
	const form = h('form.write', { onsubmit: (event) => { event.preventDefault(); act(send, place, write); } },
		h('.bar', h('.segments', { role: 'group', aria: 'Format' }, picks), type),
		h('.bar', h('label.field', input, say), send), bits, wrong,
		both && responseLabel, presets,
		h('details', h('summary.soft.small', 'Presets'), h('.bar', name, save)), place);
	// The server that was silent knows now what the bytes mean.
	const stop = on('hello', () => { if (form.isConnected) preview(); else stop(); });
	return form;
}
