// Lists: readings of a person and of nobody, devices, gateways, outboxes, rules.
import { at, button, fill, h, known, openDialog, plain, shown } from '../shared/dom.js';
import { Failure, get, post, remove } from '../shared/api.js';
import { decisions } from './edit.js';
import { cards, dated, deviceName, kindName, kindOf, pill, plural, quantityName, readingText, setZone, since, test, zoneNote } from './format.js';

/** A list that is fetched in parts: says how many are shown, and a button fetches the next part.
    `nouns` are singular and plural. `fetchAfter(next)` returns `{ list, total, next }`, without an argument the
    beginning; `render(list, isWhole)` the view of all so far. */
export async function paged(nouns, fetchAfter, render) {
	const view = h('div', { tabindex: -1 });
	let all = [];
	const more = async (after) => {
		const { list, total, next } = await fetchAfter(after);
		all = [...all, ...list];
		const place = h('div');
		const count = next ? `${all.length.toLocaleString()} of ${total.toLocaleString()} ${nouns[1]} are shown.` : plural(all.length, ...nouns);
		const further = next ? button('Show more', place, () => more(next), nouns[1]) : null;
		fill(view, render(all, !next), all.length ? h('.bar.noprint', h('span.soft', count), further, place) : null);
		// The button that fetched this part is gone.
		if (known(after)) (further ?? view).focus({ preventScroll: true });
	};
	await more();
	return view;
}
const after = (path, next) => next ? `${path}${path.includes('?') ? '&' : '?'}before=${encodeURIComponent(next)}` : path;
const readingPages = (path) => async (next) => { const answer = await get(after(path, next)); return { list: answer.readings, total: answer.total, next: answer.next }; };

const outOf = (one) => one.retracted ? 'entered in error' : one.excluded ? 'excluded' : one.waiting ? 'waits for a decision' : null;
/** `decide` makes the form that decides about a reading. */
const readingTable = (list, decide) => cards('Readings', ['Taken', 'Kind', 'Reading', 'Range', 'Device', 'Gateway', ...decide ? ['Change'] : []], list.map((one) => [
	dated(one.time), kindOf(one), [h('div', readingText(one), test(one.simulated)), outOf(one) ? h('b.warn', outOf(one)) : null, one.qualifiers?.length && !one.glucoseContext ? h('.soft', shown(one.qualifiers.join(', '))) : null],
	[pill(one.judgement), h('.soft', shown(one.judgement.sentence ?? one.judgement.reason))],
	[h('div', shown(deviceName(one.device)), known(one.user) ? ` user ${one.user}` : ''), one.device.name && one.device.serial ? h('.soft', 'serial number ', shown(one.device.serial)) : null], shown(one.gateway ?? ''), ...decide ? [decide(one)] : [],
]));

/** All readings of a person; returns the title of the page. */
export async function readingsPage(content, id, { mayEdit, again }) {
	const path = at('people', id);
	const [state, everyone] = await Promise.all([get(path + '/state'), mayEdit ? get('/people').then((answer) => answer.people) : null]);
	setZone(state.timeZone);
	const change = (one) => {
		const dialog = openDialog('Change a reading', h('p', h('b', readingText(one)), ', ', dated(one.time)), one.judgement.reason ? h('p.soft', shown(one.judgement.reason)) : null,
			decisions(one.id, { isOut: one.waiting ? 'It counts' : one.excluded ? 'Put it back' : null, owner: id, everyone, again: () => { dialog.close(); return again(); } }), h('.bar', h('button', { onclick: () => dialog.close() }, 'Close')));
	};
	const decide = mayEdit ? (one) => h('button.link', { aria: `Change the reading of ${one.time}`, onclick: () => change(one) }, 'Change') : null;
	const view = await paged(['reading', 'readings'], readingPages(path + '/readings?days=36600'), (list) => list.length ? readingTable(list, decide) : h('p', 'There are no readings yet.'));
	fill(content, h('h1', 'Readings of ', shown(state.name)), h('.bar.noprint', h('a', { href: path }, 'State'), h('a', { href: path + '/report' }, 'Printable report')), h('p.soft', zoneNote()), view);
	return `Readings of ${plain(state.name)}`;
}

export async function unassigned(content, mayEdit, again) {
	const everyone = (await get('/people')).people;
	const view = await paged(['reading', 'readings'], readingPages('/readings/unassigned'), (list, isWhole) => unassignedGroups(list, isWhole, everyone, mayEdit, again));
	fill(content, h('h1', 'Unassigned readings'), h('p.soft', zoneNote()), mayEdit ? null : h('p', 'Your role does not permit assigning devices: it requires an account with the role editor.'), view);
}

function unassignedGroups(list, isWhole, everyone, mayEdit, again) {
	const groups = new Map();
	for (const one of list) { const key = `${one.device.id}|${one.user ?? ''}`; if (!groups.has(key)) groups.set(key, []); groups.get(key).push(one); }
	if (!groups.size) return h('p', 'All readings are assigned.');
	return [...groups.values()].map((group) => {
		const { device, user } = group[0];
		return [h('h2', shown(deviceName(device)), known(user) ? ` user ${user}` : '', ` – ${isWhole ? '' : 'of those shown: '}${plural(group.length, 'reading')}`), mayEdit ? assignment(device, user, everyone, again) : null, readingTable(group.slice(0, 20)), group.length > 20 ? h('p.soft', `and ${plural(group.length - 20, 'earlier reading')} of these`) : null];
	});
}

// No identifier of a person.
const nobody = 'nobody';

/** The attribute by which the forms of a device name it. */
const label = (device) => plain(device.serial ?? device.address ?? device.identifier ?? device.name ?? device.systemID ?? `device ${device.id}`);

/** The form that assigns a device, or one of its users, to a person, or to nobody if it is assigned. Nothing is chosen
    at first: a wrong person would get the readings of another one. */
function assignment(device, user, everyone, again) {
	if (!everyone.length) return h('p', 'Add a person first.');
	const name = label(device), place = h('div');
	const select = h('select', { aria: `Person for ${name}` }, h('option', { value: '' }, 'Choose a person'), device.assignments?.some(({ person }) => known(person)) ? h('option', { value: nobody }, 'Nobody') : null, everyone.map((one) => h('option', { value: one.id }, plain(one.name))));
	const index = h('input', { type: 'number', min: 0, max: 254, step: 1, inputmode: 'numeric', aria: `User of ${name}, 0 to 254, or empty for all users`, value: known(user) ? String(user) : '' });
	const wrong = (field, detail) => { field.focus(); throw new Failure({ title: 'Not assigned', detail }); };
	const assign = async () => {
		if (!select.value) wrong(select, 'Choose the person whose readings these are.');
		if (!index.validity.valid) wrong(index, 'The user must be a number from 0 to 254, or empty for all users of the device.');
		const one = `id:${device.id}`, number = index.value;
		if (select.value === nobody) await remove(at('assignments', one) + (number === '' ? '' : `?user=${Number(number)}`));
		else await post('/assignments', { device: one, person: select.value, user: number === '' ? undefined : Number(number) });
		await again();
	};
	return [h('.bar', select, h('label', 'User of the device (optional) ', index), button('Assign', place, assign, `${name} to the person`)), place];
}

export async function devices(content, mayEdit, again) {
	const [list, everyone] = await Promise.all([get('/devices').then((answer) => answer.devices), get('/people').then((answer) => answer.people)]);
	const names = new Map(everyone.map((one) => [one.id, one.name]));
	const owners = (one) => one.assignments?.length ? one.assignments.map(({ user, person }) => h('div', known(person) ? h('a', { href: at('people', person) }, shown(names.get(person) ?? `person ${person}`)) : h('span.soft', 'nobody'), known(user) ? `, user ${user}` : one.assignments.length > 1 ? ', all other users' : '')) : h('span.soft', 'nobody');
	// The form is made when it is opened: it lists all people.
	const change = (one) => {
		const place = h('div');
		const ontoggle = () => { if (!place.hasChildNodes()) fill(place, assignment(one, null, everyone, again)); };
		return mayEdit ? h('details', { ontoggle }, h('summary', { aria: `Change the person of ${label(one)}` }, 'Change'), place) : null;
	};
	fill(content, h('h1', 'Devices'), h('p.soft', zoneNote()), list.length ? cards('Devices', ['Name', 'Assigned to', 'Model', 'Serial number', 'Address', 'Last contact'], list.map((one) => [shown(deviceName(one)), [owners(one), change(one)], shown(one.model ?? ''), shown(one.serial ?? ''), shown(one.address ?? ''), since(one.lastContact)])) : h('p', 'No device has sent readings yet.'));
}

export async function gateways(content) {
	const list = (await get('/gateways')).gateways;
	fill(content, h('h1', 'Gateways'), h('p.soft', zoneNote()), list.length ? cards('Gateways', ['Name', 'Last contact', 'People', 'Token'], list.map((one) => [shown(one.name), since(one.lastContact), one.people, one.hasToken ? 'valid' : h('span.soft', 'no token of this name')])) : h('p', 'No gateway has sent readings yet: ', h('code', 'harald hub token add NAME'), '.'));
}

export async function outboxes(content, mayEdit, again) {
	const [list, told] = await Promise.all([get('/outboxes').then((answer) => answer.outboxes), get('/notifiers').then((answer) => answer.notifiers)]), place = h('div');
	const heads = ['Receiver', 'Kind', 'Waiting', 'Since', 'Parked', 'Latest problem', ...mayEdit ? ['Action'] : []];
	const retry = (one) => button('Try again', place, async () => { await post('/outboxes/retry', { name: one.name }); await again(); }, plain(one.name));
	fill(content, h('h1', 'Outboxes'), h('p.soft', zoneNote()), place, list.length ? cards('Outboxes', heads, list.map((one) => [shown(one.name), one.kind, one.pending, one.oldest ? since(one.oldest) : '', one.parked ? h('b.warn', one.parked) : 0, shown(one.lastError ?? ''), ...mayEdit ? [retry(one)] : []])) : h('p', 'Readings are not forwarded. ', h('code', 'harald hub forward add --help'), '.'),
		h('h2', 'Notices'), told.length ? cards('Notices', ['Name', 'Kind', 'Last delivery', 'Problem'], told.map((one) => [shown(one.name), one.kind, since(one.lastSent), one.lastError ? h('b.bad', shown(one.lastError)) : ''])) : h('p', 'Nobody is told of urgent values. ', h('code', 'harald hub notify add --help'), '.'));
}

const bound = (one) => [known(one.min) ? `≥ ${one.min}` : null, known(one.above) ? `> ${one.above}` : null, known(one.max) ? `≤ ${one.max}` : null, known(one.below) ? `< ${one.below}` : null].filter(Boolean).join(' and ');
const condition = (one) => Object.entries(one.bounds).map(([name, units], i) => h('div', i ? (one.anyQuantity ? 'or ' : 'and ') : '', quantityName(name), ' ', Object.entries(units).map(([unit, value]) => `${bound(value)} ${unit}`.replaceAll(' ', '\u00a0')).join(', ')));
export async function rules(content) {
	const list = (await get('/rules')).rules;
	fill(content, h('h1', 'Rules'), h('p', 'The first matching rule of a kind applies. Limits are declared for each unit and never converted. A pressure in kPa is rounded to one decimal before it is compared.'), cards('Rules', ['Kind', 'Range', 'Condition', 'Code', 'Source'], list.map((one) => [[kindName(one.kind), one.guideline ? ` ${one.guideline}` : '', one.setting ? ` (${one.setting})` : ''], [one.range, one.urgent ? h('b.bad', ' urgent') : ''], condition(one), `${one.code} ${one.interpretation}`, [shown(one.source), h('.soft', `version ${one.version}`)]])));
}
