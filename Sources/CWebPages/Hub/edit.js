// What is edited: a person, targets, intervals, notes, a reading typed in by hand, and decisions about readings.
import { at, button, fill, fold, h, icon, known, openDialog, plain, shown } from '../shared/dom.js';
import { Failure, get, patch, post, remove } from '../shared/api.js';
import { parts, t } from './language.js';
import { allKinds, dated, kindName, quantityName, setZone, unitsOf } from './format.js';

/** A field with its label; `control` is an input, a select or a text area. */
const field = (label, control) => h('label.entry', h('span', label), control);
const select = (options, value, properties = {}) => h('select', properties, options.map(([name, text]) => h('option', { value: name, selected: name === value }, text)));
/** A form whose button runs `action`; Enter does too. */
function form(text, action, ...fields) {
	const place = h('div'), main = button(text, place, action, '', '', 'button.main');
	return h('form', { onsubmit: (event) => { event.preventDefault(); main.click(); } }, h('.entries', fields), h('.bar', main), place);
}
const required = (input, title) => { if (input.value.trim()) return input.value.trim(); input.focus(); throw new Failure({ title, detail: t('edit.empty') }); };

/** The form that adds a person; `done` gets the new one. */
export function newPerson(done) {
	const name = h('input', { autocomplete: 'off' }), born = h('input', { type: 'date' });
	return form(t('edit.addPerson'), async () => done(await post('/people', { name: required(name, t('edit.notAdded')), born: required(born, t('edit.notAdded')) })), field(t('edit.name'), name), field(t('edit.born'), born));
}

/** Fills the page that changes a person; returns its title. */
export async function editPage(content, id, again, mayDelete) {
	const path = at('people', id);
	const [state, everyone] = await Promise.all([get(path + '/state'), get('/people').then((answer) => answer.people)]);
	setZone(state.timeZone);
	const person = everyone.find((one) => one.id === id);
	const change = async (body) => { await patch(path, body); await again(); };
	fill(content, h('h1', parts('edit.title', { name: shown(person.name) })), h('.bar', h('a.button', { href: path }, icon('back'), t('edit.back'))),
		h('section.card.pad', h('h2', t('edit.reading')), typedIn(path, again)),
		h('section.card.pad', h('h2', t('edit.person')), about(person, change)),
		h('section.card.pad', h('h2', t('edit.targets')), agreed(state, person, change)),
		h('section.card.pad', h('h2', t('edit.data')), data(path, person, mayDelete)));
	return t('edit.title', { name: plain(person.name) });
}

function about(person, change) {
	const name = h('input', { value: person.name, autocomplete: 'off' }), born = h('input', { type: 'date', value: person.born }), height = h('input', { value: person.height ? `${Math.round(person.height * 100)}` : '', inputmode: 'decimal', size: 6 });
	const guideline = select([['esc', t('edit.esc')], ['acc-aha', t('edit.accAHA')]], person.guideline), setting = select([['home', t('setting.home')], ['office', t('setting.office')]], person.setting);
	const yes = (value) => select([['', t('edit.notStated')], ['true', t('edit.yes')], ['false', t('edit.no')]], known(value) ? String(value) : '');
	const pregnant = yes(person.pregnant), diabetes = yes(person.diabetes), truth = (one) => one.value === '' ? undefined : one.value === 'true';
	return [form(t('edit.save'), () => change({ name: required(name, t('edit.notSaved')), born: required(born, t('edit.notSaved')), guideline: guideline.value, setting: setting.value, pregnant: truth(pregnant), diabetes: truth(diabetes), height: height.value.trim() ? `${height.value.trim().replace(',', '.')} cm` : undefined }),
		field(t('edit.name'), name), field(t('edit.born'), born), field(t('edit.height'), height), field(t('report.guideline'), guideline), field(t('edit.setting'), setting), field(t('edit.pregnant'), pregnant), field(t('edit.diabetes'), diabetes)),
	h('p.soft', t('edit.aboutNote'))];
}

function agreed(state, person, change) {
	const place = h('div'), list = (lines) => h('ul.lines', lines);
	const targets = state.targets.map((one) => h('li', shown(one.text), ' ', button(t('edit.remove'), place, () => change({ withoutTargets: [one.quantity] }), one.text, '', 'button.link')));
	const intervals = Object.entries(person.every).map(([kind, days]) => h('li', t('edit.interval', { kind: kindName(kind), count: days }), ' ', button(t('edit.remove'), place, () => change({ every: [`${kind}=0`] }), kindName(kind), '', 'button.link')));
	const choices = [...new Set(allKinds().flatMap((kind) => kind.quantities))].flatMap((name) => unitsOf(name).map((unit) => [`${name} ${unit}`, `${quantityName(name)}, ${unit}`]));
	const quantity = select(choices), low = h('input', { inputmode: 'decimal', size: 6 }), high = h('input', { inputmode: 'decimal', size: 6 });
	const kind = select(allKinds().filter((one) => one.name !== 'other').map((one) => [one.name, one.title])), days = h('input', { type: 'number', min: 0.5, max: 366, step: 0.5, value: 1 });
	const decimal = (one) => one.value.trim().replace(',', '.');
	return [h('p.soft', t('edit.agreed')), list([...targets, ...intervals]), place,
		form(t('edit.addTarget'), () => { const [name, unit] = quantity.value.split(' '); return change({ targets: [`${name}=${decimal(low)}..${decimal(high)} ${unit}`] }); }, field(t('edit.quantity'), quantity), field(t('edit.from'), low), field(t('edit.to'), high)),
		form(t('edit.setInterval'), () => change({ every: [`${kind.value}=${days.value}`] }), field(t('edit.measured'), kind), field(t('edit.every'), days))];
}

function typedIn(path, again) {
	const kinds = allKinds().filter((one) => one.quantities.length && !['continuousGlucose', 'other'].includes(one.name)), kind = select(kinds.map((one) => [one.name, one.title]), null, { onchange: () => lay() });
	const local = (date) => new Date(date - new Date(date).getTimezoneOffset() * 60000).toISOString().slice(0, 16), time = h('input', { type: 'datetime-local', value: local(Date.now()) }), place = h('.entries');
	let inputs = [];
	const lay = () => {
		inputs = kinds.find((one) => one.name === kind.value).quantities.map((name) => ({ name, value: h('input', { inputmode: 'decimal', size: 6 }), unit: select(unitsOf(name).map((unit) => [unit, unit]), null, { aria: t('edit.unitOf', { quantity: quantityName(name) }) }) }));
		fill(place, inputs.map((one) => h('.pair', field(quantityName(one.name), one.value), one.unit)));
	};
	lay();
	const said = h('p', { role: 'status' });
	return [form(t('edit.store'), async () => {
		const values = Object.fromEntries(inputs.filter((one) => one.value.value.trim()).map((one) => [one.name, { value: one.value.value.trim().replace(',', '.'), unit: one.unit.value }]));
		if (!Object.keys(values).length) throw new Failure({ title: t('edit.notStored'), detail: t('edit.noValue') });
		const { judgement } = await post(path + '/readings', { values, time: new Date(time.value).toISOString() });
		for (const one of inputs) one.value.value = '';
		fill(said, h('b', t('edit.stored'), ' '), shown(judgement?.sentence ?? judgement?.reason ?? ''), judgement?.action ? h('.bad', shown(judgement.action)) : null);
	}, field(t('edit.kind'), kind), field(t('edit.time'), time), place), said];
}

function data(path, person, mayDelete) {
	const formats = [['csv', 'CSV'], ['jsonl', 'JSON Lines'], ['fhir', 'FHIR R4']];
	return [h('h3', t('edit.export')), h('.bar', formats.map(([format, text]) => h('a.button', { href: `/api/v1${path}/export?format=${format}`, download: '' }, icon('save'), text))),
		h('h3', t('edit.import')), importing(path), mayDelete ? h('.bar', h('button', { onclick: () => deletion(path, person) }, t('edit.deletePerson'))) : null];
}

/** The import of comma-separated values: first what the file is, then the readings. */
function importing(path) {
	const file = h('input', { type: 'file', accept: '.csv,.txt,text/csv' }), dates = select([['', t('edit.datesFile')], ['dmy', t('edit.datesDay')], ['mdy', t('edit.datesMonth')]], ''), said = h('div', { role: 'status' }), place = h('div');
	const send = async (query) => {
		if (!file.files[0]) { file.focus(); throw new Failure({ title: t('edit.notImported'), detail: t('edit.chooseFile') }); }
		const response = await fetch(`/api/v1${path}/import?${dates.value ? `dates=${dates.value}&` : ''}${query}`, { method: 'POST', headers: { 'Content-Type': 'text/csv' }, body: file.files[0] }), report = await response.json();
		if (!response.ok) throw new Failure(report);
		return report;
	};
	const show = async () => {
		const report = await send('dry=1');
		fill(said, h('ul.lines', Object.entries(report.columns).map(([head, meaning]) => h('li', shown(head), ': ', meaning))), h('ul.lines', report.first.map((one) => h('li', h('code', shown(one))))),
			report.problems.length ? [h('p.bad', t('edit.problems', { count: report.problemCount })), h('ul.lines', report.problems.map((one) => h('li', shown(one))))] : null,
			report.readings ? button(t('edit.importCount', { count: report.readings }), place, async () => { const done = await send(''); fill(said, h('p', t('edit.imported', { readings: done.readings, known: done.known }))); }, '', '', 'button.main') : null);
	};
	return [form(t('edit.show'), show, field(t('edit.file'), file), field(t('edit.dates'), dates)), said, place];
}

function deletion(path, person) {
	const name = h('input', { autocomplete: 'off' }), place = h('div');
	const dialog = openDialog(t('edit.deleteTitle', { name: plain(person.name) }), h('p', t('edit.deleteText')),
		field(t('edit.confirm'), name), h('.bar', button(t('edit.delete'), place, async () => {
			if (name.value.trim() !== person.name.trim()) { name.focus(); throw new Failure({ title: t('edit.notDeleted'), detail: t('edit.otherName') }); }
			await remove(path);
			dialog.close();
			history.pushState(null, '', '/people');
			dispatchEvent(new PopStateEvent('popstate'));
		}, '', '', 'button.main'), h('button', { onclick: () => dialog.close() }, t('edit.keep'))), place);
}

/** The notes about a person. */
export async function notes(id, mayEdit, again) {
	const path = at('people', id, 'notes'), list = (await get(path)).notes, place = h('div');
	if (!list.length && !mayEdit) return [];
	const text = h('textarea', { rows: 3, maxlength: 4000, aria: t('notes.note') });
	return [h('h2', t('notes.title')), list.map((one) => h('.card.pad.written', h('p', shown(one.text)), h('.small.soft', shown(one.who), ', ', dated(one.time), mayEdit ? h('span.noprint', ' ', button(t('edit.delete'), place, async () => { await remove(at('people', id, 'notes', one.id)); await again(); }, t('notes.of', { who: plain(one.who) }), '', 'button.link')) : null))), place,
		mayEdit ? h('.noprint', form(t('notes.add'), async () => { await post(path, { text: required(text, t('edit.notAdded')) }); await again(); }, text)) : null];
}

/** The buttons that decide about a reading: it counts, it is somebody else's, it does not count. */
export function decisions(id, { isOut, isExcluded, owner, everyone, again }) {
	const place = h('div'), decide = async (body) => { await post(at('readings', id, 'decision'), body); await again(); };
	const others = select([['', t('decide.choose')], ['nobody', t('decide.nobody')], ...everyone.filter((one) => one.id !== owner).map((one) => [one.id, plain(one.name)])], '', { aria: t('decide.whose') });
	const reason = h('input', { placeholder: t('decide.reason'), aria: t('decide.reasonLong') });
	return h('.noprint', h('.bar', isOut ? button(isOut, place, () => decide({ decision: 'accept' }), '', '', 'button.main') : null,
		others, button(t('decide.move'), place, () => { if (!others.value) { others.focus(); throw new Failure({ title: t('decide.notMoved'), detail: t('decide.chooseWhose') }); } return decide({ decision: 'move', person: others.value === 'nobody' ? undefined : others.value }); }, t('decide.reading')),
		isExcluded ? null : [reason, button(t('decide.exclude'), place, () => decide({ decision: 'exclude', reason: required(reason, t('decide.notExcluded')) }), t('decide.reading'))]), place);
}

/** The readings that wait for a decision. */
export const waiting = (state, everyone, mayEdit, again) => state.waiting.map((one) => h('.notice', h('b', parts('decide.isYours', { text: shown(one.text) }), ' '), shown(one.reason), h('.when', parts('state.measured', { time: dated(one.time) })), h('.soft', t('decide.waits')), mayEdit ? decisions(one.id, { isOut: t('decide.isTheirs', { name: plain(state.name) }), owner: state.person, everyone, again }) : null));

/** Who has seen a notice, or the button that says so. */
export function seen(state, notice, mayEdit, again) {
	if (notice.acknowledged) return h('.soft', parts('state.seenBy', { who: shown(notice.acknowledged.who), time: dated(notice.acknowledged.time) }));
	if (!mayEdit || !notice.urgent) return null;
	const place = h('div');
	return h('.noprint', button(t('state.seen'), place, async () => { await post(at('people', state.person, 'acknowledgements'), { code: notice.code, time: notice.time }); await again(); }), place);
}
