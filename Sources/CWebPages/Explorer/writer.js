// The write box.
import { act, checkbox, counted, fill, h, icon, plain, setText, shown, spaced } from '../shared/dom.js';
import { get, post } from '../shared/api.js';
import { numbers, remember, remembered, shownAs, written } from './bytes.js';
import { usual, valueLine } from './value.js';

const modes = [['hex', 'Hex'], ['text', 'Text'], ['number', 'Number'], ['bits', 'Bits']];
const hints = { hex: '01 A0, u16:500, text:hi', text: 'hello', number: '42', bits: '00000001' };

/** `path` is the attribute's, `both` is true if it can be written with and without response. */
export function writer({ path, uuid, label, both }) {
	const before = [], place = h('div', { role: 'status' }), say = h('span.bytes', { 'aria-live': 'polite' }), wrong = h('div');
	let past = -1, [mode, number] = remembered('write', uuid) ?? ['hex', 'u8'], asked = 0, made = Promise.resolve({});
	const picks = modes.map(([value, text]) => h('button', { 'aria-pressed': 'false', onclick: () => { turn(value); } }, text));
	const type = h('select', { aria: `Type of the number for ${label}`, onchange: () => { number = type.value; keep(); preview(); } }, numbers.map(([value, text]) => h('option', { value, selected: value === number }, text)));
	const input = h('input', { aria: `Value for ${label}`, spellcheck: 'false', autocomplete: 'off', oninput: () => preview(), onkeydown: (event) => {
		if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return;
		past = Math.max(-1, Math.min(before.length - 1, past + (event.key === 'ArrowUp' ? 1 : -1)));
		set(before[past] ?? [mode, '', number]);
		event.preventDefault();
	} });
	const bits = h('.bits', { role: 'group', aria: `Bits for ${label}` });
	const [response, responseLabel] = checkbox('with response', null, true);
	const send = h('button.main', { type: 'submit' }, icon('pen'), h('span', 'Write'));
	const presets = h('.picks');
	// The form writes to the device: Enter in this field saves instead.
	const name = h('input', { aria: 'Name of the preset', placeholder: 'Name of a preset', size: 16, maxlength: 40, onkeydown: (event) => { if (event.key === 'Enter') { event.preventDefault(); save.click(); } } });
	const keep = () => remember('write', uuid, [mode, number]);

	/** Changes the format and keeps the bytes. */
	function turn(value) {
		made.then(({ hex }) => {
			mode = value;
			keep();
			if (hex) input.value = shownAs(mode === 'number' ? number : mode, hex) ?? '';
			preview();
		});
	}
	function set([value, text, numberType]) { mode = value; number = numberType ?? number; type.value = number; input.value = text; preview(); }

	/** Asks the server what would be sent, and what it means. */
	function preview() {
		const turn = ++asked, text = written(mode, input.value, number);
		picks.forEach((one, i) => one.setAttribute('aria-pressed', modes[i][0] === mode));
		type.hidden = mode !== 'number';
		input.placeholder = hints[mode];
		send.disabled = true;
		made = get(`/decode?${new URLSearchParams({ uuid, value: text })}`).catch((error) => ({ error: error.problem?.detail ?? error.message }));
		made.then((answer) => { if (turn === asked) draw(answer); });
	}
	function draw({ hex = '', error, problem, parts = [] }) {
		const size = hex.length / 2, isEmpty = mode === 'number' && !hex;
		send.disabled = !!error || isEmpty;
		setText(send.lastChild, `Write ${counted(size, 'byte')}`);
		input.setAttribute('aria-invalid', !!error && !!input.value);
		setText(say, spaced(hex));
		fill(wrong, error ? h('span.act.small', error) : problem ? h('span.watch.small', shown(problem)) : parts.length && size ? h('span.small', 'sends ', h('b', spaced(hex)), ': ', shown(valueLine(parts.map(usual)))) : '');
		bits.hidden = mode !== 'bits' || !!error;
		if (bits.hidden) return;
		const digits = input.value.replace(/\s/g, '') || '00000000';
		const all = [...digits].map((one, i) => h('button', { 'aria-pressed': one === '1', aria: `bit ${7 - i % 8} of byte ${Math.floor(i / 8)}`, onclick: () => { input.value = [...digits].map((old, j) => (j === i ? (old === '1' ? '0' : '1') : old) + (j % 8 === 7 ? ' ' : '')).join('').trim(); preview(); made.then(() => bits.querySelectorAll('button')[i].focus()); } }, one));
		// A line ends between bytes.
		fill(bits, Array.from({ length: Math.ceil(all.length / 8) }, (_, i) => h('span', all.slice(i * 8, i * 8 + 8))));
	}

	function drawPresets() {
		const list = remembered('presets', uuid) ?? [];
		fill(presets, list.map(([title, ...value], i) => [h('button', { onclick: () => set(value) }, shown(title)), h('button.quiet.icon', { aria: `Remove the preset ${plain(title)}`, onclick: () => { remember('presets', uuid, list.toSpliced(i, 1)); drawPresets(); } }, icon('remove', 's'))]));
	}
	const save = h('button.quiet', { onclick: () => {
		if (!name.value.trim()) { name.focus(); return; }
		remember('presets', uuid, [...remembered('presets', uuid) ?? [], [name.value.trim(), mode, input.value, number]]);
		name.value = '';
		drawPresets();
	} }, icon('save', 's'), 'Save as preset');
	type.value = number;
	preview();
	drawPresets();
	return h('form.write', { onsubmit: (event) => {
		event.preventDefault();
		act(send, place, async () => {
			const { hex, error } = await made;
			if (error) return;
			const answer = await post(path + '/write', both ? { value: hex && '0x' + hex, response: response.checked } : { value: hex && '0x' + hex });
			before.unshift([mode, input.value, number]);
			past = -1;
			fill(place, h('span.good', `✓ ${spaced(hex) || 'nothing'} ${answer.acknowledged === false ? 'sent without response' : 'written'}`));
		});
	} }, h('.bar', h('.segments', { role: 'group', aria: 'Format' }, picks), type), h('.bar', h('label.field', input, say), send), bits, wrong, h('.bar', both ? responseLabel : null, h('span.soft.small', '↑ recalls earlier values')), presets, h('details', h('summary.soft.small', 'Presets'), h('.bar', name, save)), place);
}
