// A new device for the air: a built-in one, or a file that is checked while it is edited.
import { able, at, button, fill, fold, h, later, note, plain, problem, relabel, select, set,
	shown } from '../shared/dom.js';
import { get, post, remove } from '../shared/api.js';

export function adder(added) {
	let asked = 0, twins = null, replaced = null;
	const result = h('div'), errors = h('div', { id: 'yaml-errors', 'aria-live': 'polite' });
	const choice = select('New device', [], '', () => chosen());
	const put = (body) => async () => {
		const { name } = await post('/air/devices', body());
		added();
		fill(result, note('✓ ', shown(name), ' is on the air.'));
	};
	const twin = () => choice.value, putTwin = put(() => ({ twin: twin() })),
		putText = put(() => ({ yaml: text.value }));
	const editTwin = button('Use as a template', result, async () => edit(await get(at('air', 'twins', twin()))), '',
		'pen');
	const text = h('textarea', { rows: 16, spellcheck: 'false', aria: 'Device file (YAML)',
		'aria-describedby': 'yaml-errors',
		oninput: later(300, check) });
	const putFile = button('Put this file on the air', result, putText, '', '', 'button.main');
	const replace = button('Replace', result, async () => {
		await remove(replaced);
		replace.hidden = true;
		await putText();
	});
	replace.hidden = true;
	const editor = fold('', 'Your own device file', text, errors, h('.bar', putFile, replace));
	const chosen = () => able(editTwin, twins.find((one) => one.name === twin())?.editable ? ''
		: 'This device is not made of a file.');
	function fault(one) {
		const place = `line ${one.line}, column ${one.column ?? 1}`;
		return h('.problem', one.line ? h('button.link', { onclick: () => jump(one) }, place) : null, ' ',
			shown(one.message));
	}
	async function check() {
		const number = ++asked;
		try {
			const { valid, name, errors: faults } = await post('/air/check', { yaml: text.value });
			if (number !== asked) return;
			set(text, { 'aria-invalid': !valid });
			for (const one of [putFile, replace]) able(one, valid ? '' : 'The file has errors.');
			fill(errors, valid ? h('.good', '✓ a valid device file: ', shown(name)) : faults.map(fault));
		} catch (error) { fill(errors, problem(error)); }
	}
	function jump({ line, column = 1 }) {
		const before = text.value.split('\n').slice(0, line - 1);
		const start = before.reduce((sum, one) => sum + one.length + 1, column - 1);
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
	const putChoice = button('Put on the air', result, putTwin, '', 'plus', 'button.main');
	const element = h('section.card.pad', h('.bar', choice, putChoice, editTwin), result, editor);
	return { edit, element, async load() {
		if (twins) return;
		const all = (await get('/air/twins')).twins;
		// Another load was faster: the choice that was made since stays.
		if (twins) return;
		twins = all;
		fill(choice, twins.map((one) => h('option', { value: one.name }, plain(one.title ?? one.name))));
		chosen();
	} };
}
