// What is edited: a person, targets, intervals, notes, a reading typed in by hand, and decisions about readings.
import { at, button, fill, fold, h, icon, known, openDialog, plain, shown } from '../shared/dom.js';
import { Failure, get, patch, post, remove } from '../shared/api.js';
import { allKinds, dated, kindName, quantityName, setZone, unitsOf, zoneNote } from './format.js';

/** A field with its label; `control` is an input, a select or a text area. */
const field = (label, control) => h('label.entry', h('span', label), control);
const select = (options, value, properties = {}) => h('select', properties, options.map(([name, text]) => h('option', { value: name, selected: name === value }, text)));
/** A form whose button runs `action`; Enter does too. */
function form(text, action, ...fields) {
	const place = h('div'), main = button(text, place, action, '', 'button.main');
	return h('form', { onsubmit: (event) => { event.preventDefault(); main.click(); } }, h('.entries', fields), h('.bar', main), place);
}
const required = (input, title) => { if (input.value.trim()) return input.value.trim(); input.focus(); throw new Failure({ title, detail: 'The field is empty.' }); };

/** The form that adds a person; `done` gets the new one. */
export function newPerson(done) {
	const name = h('input', { autocomplete: 'off' }), born = h('input', { type: 'date' });
	return form('Add the person', async () => done(await post('/people', { name: required(name, 'Not added'), born: required(born, 'Not added') })), field('Name', name), field('Date of birth', born));
}

/** Fills the page that changes a person; returns its title. */
export async function editPage(content, id, again, mayDelete) {
	const path = at('people', id);
	const [state, everyone] = await Promise.all([get(path + '/state'), get('/people').then((answer) => answer.people)]);
	setZone(state.timeZone);
	const person = everyone.find((one) => one.id === id);
	const change = async (body) => { await patch(path, body); await again(); };
	fill(content, h('h1', 'Change ', shown(person.name)), h('.bar', h('a.button', { href: path }, icon('back'), 'Back to the state')),
		h('section.card.pad', h('h2', 'Reading'), typedIn(path, again)),
		h('section.card.pad', h('h2', 'Person'), about(person, change)),
		h('section.card.pad', h('h2', 'Targets and intervals'), agreed(state, person, change)),
		h('section.card.pad', h('h2', 'Data'), data(path, person, mayDelete)));
	return `Change ${plain(person.name)}`;
}

function about(person, change) {
	const name = h('input', { value: person.name, autocomplete: 'off' }), born = h('input', { type: 'date', value: person.born }), height = h('input', { value: person.height ? `${Math.round(person.height * 100)}` : '', inputmode: 'decimal', size: 6 });
	const guideline = select([['esc', 'ESC 2024 (Europe)'], ['acc-aha', 'AHA/ACC 2025 (United States)']], person.guideline), setting = select([['home', 'at home'], ['office', 'in the office']], person.setting);
	const yes = (value) => select([['', 'not stated'], ['true', 'yes'], ['false', 'no']], known(value) ? String(value) : '');
	const pregnant = yes(person.pregnant), diabetes = yes(person.diabetes), truth = (one) => one.value === '' ? undefined : one.value === 'true';
	return [form('Save', () => change({ name: required(name, 'Not saved'), born: required(born, 'Not saved'), guideline: guideline.value, setting: setting.value, pregnant: truth(pregnant), diabetes: truth(diabetes), height: height.value.trim() ? `${height.value.trim().replace(',', '.')} cm` : undefined }),
		field('Name', name), field('Date of birth', born), field('Height in cm', height), field('Guideline for blood pressure', guideline), field('Blood pressure is measured', setting), field('Pregnant, or in the six weeks after birth', pregnant), field('Diabetes', diabetes)),
	h('p.soft', 'Without a height a weight has no body mass index. Without a stated diabetes most values of glucose are not judged. In pregnancy and under 18 only urgent limits apply.')];
}

function agreed(state, person, change) {
	const place = h('div'), list = (lines) => h('ul.lines', lines);
	const targets = state.targets.map((one) => h('li', shown(one.text), ' ', button('Remove', place, () => change({ withoutTargets: [one.quantity] }), one.text, 'button.link')));
	const intervals = Object.entries(person.every).map(([kind, days]) => h('li', `${kindName(kind)} every ${days === 1 ? 'day' : `${days} days`} `, button('Remove', place, () => change({ every: [`${kind}=0`] }), kindName(kind), 'button.link')));
	const choices = [...new Set(allKinds().flatMap((kind) => kind.quantities))].flatMap((name) => unitsOf(name).map((unit) => [`${name} ${unit}`, `${quantityName(name)}, ${unit}`]));
	const quantity = select(choices), low = h('input', { inputmode: 'decimal', size: 6 }), high = h('input', { inputmode: 'decimal', size: 6 });
	const kind = select(allKinds().filter((one) => one.name !== 'other').map((one) => [one.name, one.title])), days = h('input', { type: 'number', min: 0.5, max: 366, step: 0.5, value: 1 });
	const decimal = (one) => one.value.trim().replace(',', '.');
	return [h('p.soft', 'Agreed with a doctor. A target replaces no urgent limit.'), list([...targets, ...intervals]), place,
		form('Add the target', () => { const [name, unit] = quantity.value.split(' '); return change({ targets: [`${name}=${decimal(low)}..${decimal(high)} ${unit}`] }); }, field('Quantity', quantity), field('From', low), field('To', high)),
		form('Set the interval', () => change({ every: [`${kind.value}=${days.value}`] }), field('Measured', kind), field('Every … days', days))];
}

function typedIn(path, again) {
	const kinds = allKinds().filter((one) => one.quantities.length && !['continuousGlucose', 'other'].includes(one.name)), kind = select(kinds.map((one) => [one.name, one.title]), null, { onchange: () => lay() });
	const local = (date) => new Date(date - new Date(date).getTimezoneOffset() * 60000).toISOString().slice(0, 16), time = h('input', { type: 'datetime-local', value: local(Date.now()) }), place = h('.entries');
	let inputs = [];
	const lay = () => {
		inputs = kinds.find((one) => one.name === kind.value).quantities.map((name) => ({ name, value: h('input', { inputmode: 'decimal', size: 6 }), unit: select(unitsOf(name).map((unit) => [unit, unit]), null, { aria: `Unit of ${quantityName(name)}` }) }));
		fill(place, inputs.map((one) => h('.pair', field(quantityName(one.name), one.value), one.unit)));
	};
	lay();
	const said = h('p', { role: 'status' });
	return [form('Store the reading', async () => {
		const values = Object.fromEntries(inputs.filter((one) => one.value.value.trim()).map((one) => [one.name, { value: one.value.value.trim().replace(',', '.'), unit: one.unit.value }]));
		if (!Object.keys(values).length) throw new Failure({ title: 'Not stored', detail: 'No value was entered.' });
		const { judgement } = await post(path + '/readings', { values, time: new Date(time.value).toISOString() });
		for (const one of inputs) one.value.value = '';
		fill(said, h('b', 'Stored. '), shown(judgement?.sentence ?? judgement?.reason ?? ''), judgement?.action ? h('.bad', shown(judgement.action)) : null);
	}, field('Kind', kind), field('Time, on the clock of this browser', time), place), said];
}

function data(path, person, mayDelete) {
	const formats = [['csv', 'CSV'], ['jsonl', 'JSON Lines'], ['fhir', 'FHIR R4']];
	return [h('h3', 'Export'), h('.bar', formats.map(([format, text]) => h('a.button', { href: `/api/v1${path}/export?format=${format}`, download: '' }, icon('save'), text))),
		h('h3', 'Import'), importing(path), mayDelete ? h('.bar', h('button', { onclick: () => deletion(path, person) }, 'Delete this person')) : null];
}

/** The import of comma-separated values: first what the file is, then the readings. */
function importing(path) {
	const file = h('input', { type: 'file', accept: '.csv,.txt,text/csv' }), dates = select([['', 'as the file tells'], ['dmy', 'day first'], ['mdy', 'month first']], ''), said = h('div', { role: 'status' }), place = h('div');
	const send = async (query) => {
		if (!file.files[0]) { file.focus(); throw new Failure({ title: 'Not imported', detail: 'Choose a file.' }); }
		const response = await fetch(`/api/v1${path}/import?${dates.value ? `dates=${dates.value}&` : ''}${query}`, { method: 'POST', headers: { 'Content-Type': 'text/csv' }, body: file.files[0] }), report = await response.json();
		if (!response.ok) throw new Failure(report);
		return report;
	};
	const show = async () => {
		const report = await send('dry=1');
		fill(said, h('ul.lines', Object.entries(report.columns).map(([head, meaning]) => h('li', shown(head), ': ', meaning))), h('ul.lines', report.first.map((one) => h('li', h('code', shown(one))))),
			report.problems.length ? [h('p.bad', `${report.problemCount} lines cannot be imported:`), h('ul.lines', report.problems.map((one) => h('li', shown(one))))] : null,
			report.readings ? button(`Import ${report.readings} readings`, place, async () => { const done = await send(''); fill(said, h('p', `${done.readings} readings were stored, ${done.known} were known.`)); }, '', 'button.main') : null);
	};
	return [form('Show what it is', show, field('A file with comma-separated values', file), field('Dates such as 03/04/2026', dates)), said, place];
}

function deletion(path, person) {
	const name = h('input', { autocomplete: 'off' }), place = h('div');
	const dialog = openDialog(`Delete ${plain(person.name)}`, h('p', 'All readings, notes and assignments of this person are deleted and overwritten. This cannot be undone. Backups are not changed.'),
		field('Type the name to confirm', name), h('.bar', button('Delete', place, async () => {
			if (name.value.trim() !== person.name.trim()) { name.focus(); throw new Failure({ title: 'Not deleted', detail: 'The name is another one.' }); }
			await remove(path);
			dialog.close();
			history.pushState(null, '', '/people');
			dispatchEvent(new PopStateEvent('popstate'));
		}, '', 'button.main'), h('button', { onclick: () => dialog.close() }, 'Keep')), place);
}

/** The notes about a person. */
export async function notes(id, mayEdit, again) {
	const path = at('people', id, 'notes'), list = (await get(path)).notes, place = h('div');
	if (!list.length && !mayEdit) return [];
	const text = h('textarea', { rows: 3, maxlength: 4000, aria: 'Note' });
	return [h('h2', 'Notes'), list.map((one) => h('.card.pad.written', h('p', shown(one.text)), h('.small.soft', shown(one.who), ', ', dated(one.time), mayEdit ? h('span.noprint', ' ', button('Delete', place, async () => { await remove(at('people', id, 'notes', one.id)); await again(); }, `the note of ${plain(one.who)}`, 'button.link')) : null))), place,
		mayEdit ? h('.noprint', form('Add the note', async () => { await post(path, { text: required(text, 'Not added') }); await again(); }, text)) : null];
}

/** The buttons that decide about a reading: it counts, it is somebody else's, it does not count. */
export function decisions(id, { isOut, owner, everyone, again }) {
	const place = h('div'), decide = async (body) => { await post(at('readings', id, 'decision'), body); await again(); };
	const others = select([['', 'Choose whose it is'], ['nobody', 'nobody known'], ...everyone.filter((one) => one.id !== owner).map((one) => [one.id, plain(one.name)])], '', { aria: 'Whose reading it is' });
	const reason = h('input', { placeholder: 'Reason', aria: 'Reason for the exclusion' });
	return h('.noprint', h('.bar', isOut ? button(isOut, place, () => decide({ decision: 'accept' }), '', 'button.main') : null,
		others, button('Move', place, () => { if (!others.value) { others.focus(); throw new Failure({ title: 'Not moved', detail: 'Choose whose reading it is.' }); } return decide({ decision: 'move', person: others.value === 'nobody' ? undefined : others.value }); }, 'the reading'),
		isOut === 'Put it back' ? null : [reason, button('Exclude', place, () => decide({ decision: 'exclude', reason: required(reason, 'Not excluded') }), 'the reading')]), place);
}

/** The readings that wait for a decision. */
export const waiting = (state, everyone, mayEdit, again) => state.waiting.map((one) => h('.notice', h('b', shown(one.text), ': is this yours? '), shown(one.reason), h('.when', 'Measured ', dated(one.time)), h('.soft', 'It does not count until somebody decides.'), mayEdit ? decisions(one.id, { isOut: `It is ${plain(state.name)}’s`, owner: state.person, everyone, again }) : null));

/** Who has seen a notice, or the button that says so. */
export function seen(state, notice, mayEdit, again) {
	if (notice.acknowledged) return h('.soft', 'Seen by ', shown(notice.acknowledged.who), ', ', dated(notice.acknowledged.time));
	if (!mayEdit || !notice.urgent) return null;
	const place = h('div');
	return h('.noprint', button('I have seen this', place, async () => { await post(at('people', state.person, 'acknowledgements'), { code: notice.code, time: notice.time }); await again(); }), place);
}
