// A new device for the air: a built-in one, or a file that is checked while it is edited.
import { at, button, fill, fold, h, plain, problem, relabel, shown } from '../shared/dom.js';
import { get, post, remove } from '../shared/api.js';

export function adder(added) {
	let waiting = 0, asked = 0, twins = null, replaced = null;
	const result = h('div'), errors = h('div', { id: 'yaml-errors', 'aria-live': 'polite' });
	const choice = h('select', { aria: 'New device', onchange: () => chosen() });
	const put = (body) => async () => { const one = await post('/air/devices', body()); added(); fill(result, h('.note', { role: 'status' }, '✓ ', shown(one.name), ' is on the air.')); };
	const editTwin = button('Use as a template', result, async () => edit(await get(at('air', 'twins', choice.value))), '', 'pen');
	const text = h('textarea', { rows: 16, spellcheck: 'false', aria: 'Device file (YAML)', 'aria-describedby': 'yaml-errors', oninput: () => { clearTimeout(waiting); waiting = setTimeout(check, 300); } });
	const putFile = button('Put this file on the air', result, put(() => ({ yaml: text.value })), '', '', 'button.main');
	const replace = button('Replace', result, async () => { await remove(replaced); replace.hidden = true; await put(() => ({ yaml: text.value }))(); });
	replace.hidden = true;
	const editor = fold('', 'Your own device file', text, errors, h('.bar', putFile, replace));
	const chosen = () => { editTwin.disabled = !twins.find((one) => one.name === choice.value)?.editable; };
	async function check() {
		const number = ++asked;
		try {
			const answer = await post('/air/check', { yaml: text.value });
			if (number !== asked) return;
			text.setAttribute('aria-invalid', !answer.valid);
			putFile.disabled = replace.disabled = !answer.valid;
			fill(errors, answer.valid ? h('.good', '✓ a valid device file: ', shown(answer.name)) : answer.errors.map((one) => h('.problem', one.line ? h('button.link', { onclick: () => jump(one) }, `line ${one.line}, column ${one.column ?? 1}`) : null, ' ', shown(one.message))));
		} catch (error) { fill(errors, problem(error)); }
	}
	function jump({ line, column = 1 }) {
		const start = text.value.split('\n').slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0) + column - 1;
		text.focus();
		text.setSelectionRange(start, start + 1);
	}
	/** Edits a file. `path` is the address of the device that it is of, if it is on the air as `name`. */
	function edit(yaml, path, name) {
		[replaced, replace.hidden, editor.open, text.value] = [path, !path, true, yaml];
		relabel(replace, `Replace ${name}`);
		text.focus();
		check();
	}
	const element = h('section.card.pad', h('.bar', choice, button('Put on the air', result, put(() => ({ twin: choice.value })), '', 'plus', 'button.main'), editTwin), result, editor);
	return {
		edit, element,
		async load() {
			if (twins) return;
			twins = (await get('/air/twins')).twins;
			fill(choice, twins.map((one) => h('option', { value: one.name }, plain(one.title ?? one.name))));
			chosen();
		},
	};
}
