// Air: the devices of a virtual radio; a laboratory without hardware.
import { act, at, bar, button, checkbox, fill, h, plain, problem, setName, setText, shown } from '../shared/dom.js';
import { get, patch, post, remove } from '../shared/api.js';
import { on, ready } from '../shared/stream.js';
import { store } from './store.js';

const metres = (value) => value < 10 ? `${value.toFixed(1)} m` : `${Math.round(value)} m`;
const percent = (value) => `${Math.round(value * 100)} %`;

/** A slider that says its value in words; `from` and `to` translate between the value and its place. */
function slider(label, { min, max, step, from, to, say }, change) {
	let waiting = 0;
	const word = h('span');
	const input = h('input', { type: 'range', min, max, step, aria: label, oninput: () => { show(); clearTimeout(waiting); waiting = setTimeout(() => change(to(Number(input.value))), 100); } });
	const show = () => { setText(word, say(to(Number(input.value)))); input.setAttribute('aria-valuetext', word.textContent); };
	return { parts: [input, ' ', word], set(value) { if (document.activeElement !== input) { input.value = from(value); show(); } } };
}

export function airPage(root) {
	const list = h('div'), place = h('div'), rows = new Map(), count = h('span.soft', { role: 'status' });
	const add = adder();
	fill(root, h('.single', bar(h('h1', 'Air'), count), h('p.soft', 'Simulated devices on the virtual radio of this program. You can move them, set faults, and add more.'), place, add.element, list));

	async function load() {
		try {
			await ready;
			const { available, reason, devices = [] } = await get('/air');
			add.element.hidden = !available;
			setText(count, available ? `${devices.length} ${devices.length === 1 ? 'device' : 'devices'}` : '');
			fill(place, !available ? h('.empty', h('p', 'This program uses a real radio. ', shown(reason)), h('p', 'Start ', h('code', 'harald serve --adapter virtual:sensortags'), ' for a laboratory without hardware.')) : devices.length ? [] : h('.empty', 'There is no device on the air. Add one.'));
			if (available) add.load();
			const seen = new Set(devices.map((one) => one.id));
			for (const [id, row] of rows) if (!seen.has(id)) { row.element.remove(); rows.delete(id); }
			for (const device of devices) {
				if (!rows.has(device.id)) { rows.set(device.id, makeRow(device)); list.append(rows.get(device.id).element); }
				rows.get(device.id).take(device);
			}
		} catch (error) { fill(place, problem(error)); }
	}

	function makeRow({ id, name }) {
		const path = at('air', 'devices', id), label = plain(name ?? id);
		const result = h('div'), title = h('h2'), fact = h('span.soft'), see = h('a', 'as a device');
		const change = (body) => act(null, result, async () => take(await patch(path, body)));
		// Logarithmic: 10 cm to 100 m.
		const distance = slider(`Distance of ${label}`, { min: -1, max: 2, step: 0.02, from: (value) => Math.log10(Math.max(0.1, value)), to: (value) => Number((10 ** value).toFixed(2)), say: metres }, (value) => change({ distance: value }));
		const loss = slider(`Lost packets of ${label}`, { min: 0, max: 1, step: 0.05, from: (value) => value, to: (value) => value, say: percent }, (value) => change({ faults: { loss: value } }));
		const fault = (key, text) => { const [box, boxLabel] = checkbox(text, () => change({ faults: { [key]: box.checked } })); return [box, boxLabel]; };
		const [silent, silentLabel] = fault('silent', 'silent'), [out, outLabel] = fault('outOfRange', 'out of range');
		const element = h('section.attribute', { aria: label }, bar(title, fact, see),
			h('fieldset', { disabled: store.state?.readOnly }, bar(h('label', 'Distance ', distance.parts), silentLabel, outLabel, h('label', 'lost packets ', loss.parts)),
				bar(button('Cut the links', result, async () => take(await post(path + '/cut')), `of ${label}`), button('Edit a copy', result, async () => add.edit(await get(path + '/file')), `of ${label}`), button('Take off the air', result, async () => { await remove(path); load(); }, label))), result);
		function take(device) {
			setName(title, device.name);
			setText(fact, `${device.address ?? ''} · ${device.connectable === false ? 'not connectable' : device.links === 1 ? '1 link' : `${device.links} links`}`);
			see.hidden = !device.device;
			see.setAttribute('href', at('devices', device.device ?? ''));
			distance.set(device.distance ?? 1);
			loss.set(device.faults?.loss ?? 0);
			silent.checked = device.faults?.silent;
			out.checked = device.faults?.outOfRange;
		}
		return { element, take };
	}

	/** A new device: a twin as it is, or a file that is checked while it is edited. */
	function adder() {
		let waiting = 0, asked = 0, twins = null;
		const result = h('div'), errors = h('div', { id: 'yaml-errors', 'aria-live': 'polite' });
		const choice = h('select', { onchange: () => chosen() });
		const put = (body) => async () => { await post('/air/devices', body()); load(); };
		const editTwin = button('Edit its file', result, async () => edit(await get(at('air', 'twins', choice.value))));
		const text = h('textarea', { rows: 16, spellcheck: 'false', aria: 'Device file (YAML)', 'aria-describedby': 'yaml-errors', oninput: () => { clearTimeout(waiting); waiting = setTimeout(check, 300); } });
		const putFile = button('Put this file on the air', result, put(() => ({ yaml: text.value })), undefined, 'button.main');
		const editor = h('details', h('summary', 'Your own device file'), text, errors, bar(putFile));
		const chosen = () => { editTwin.disabled = !twins.find((one) => one.name === choice.value)?.editable; };
		async function check() {
			const number = ++asked;
			try {
				const answer = await post('/air/check', { yaml: text.value });
				if (number !== asked) return;
				text.setAttribute('aria-invalid', !answer.valid);
				putFile.disabled = !answer.valid;
				fill(errors, answer.valid ? h('.good', '✓ a valid device file: ', shown(answer.name)) : answer.errors.map((one) => h('.problem', one.line ? h('button.link', { onclick: () => jump(one) }, `line ${one.line}, column ${one.column ?? 1}`) : null, ' ', shown(one.message))));
			} catch (error) { fill(errors, problem(error)); }
		}
		function jump({ line, column = 1 }) {
			const start = text.value.split('\n').slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0) + column - 1;
			text.focus();
			text.setSelectionRange(start, start + 1);
		}
		function edit(yaml) { editor.open = true; text.value = yaml; text.focus(); check(); }
		return {
			edit,
			element: h('fieldset', bar(h('label', 'New device ', choice), button('Put on the air', result, put(() => ({ twin: choice.value })), undefined, 'button.main'), editTwin), result, editor),
			async load() {
				this.element.disabled = store.state?.readOnly;
				if (twins) return;
				twins = (await get('/air/twins')).twins;
				fill(choice, twins.map((one) => h('option', { value: one.name }, plain(one.title ?? one.name))));
				chosen();
			},
		};
	}

	let later = 0;
	const soon = () => { clearTimeout(later); later = setTimeout(load, 200); };
	const ends = [on('log', (entry) => { if (entry.kind === 'air') soon(); }), on('connection', soon), on('hello', load), on('missed', load)];
	load();
	return { update() {}, close() { ends.forEach((end) => end()); clearTimeout(later); } };
}
