// Elements, text from the air, times and clipboard. Nothing here parses markup.
import { icon } from './icons.js';
import { form, phrase } from './phrases.js';
export { icon };

const nodes = (children) => children.flat(Infinity).filter((one) => one !== null && one !== undefined && one !== false);
export const known = (value) => value !== null && value !== undefined;

/** Makes an element: h('p.soft', {onclick: f}, 'text', child). `div` and properties may be left out; text is always text. */
export function h(name, ...children) {
	const [tag, ...classes] = name.split('.');
	const element = document.createElement(tag || 'div');
	if (classes.length) element.className = classes.join(' ');
	if (tag === 'button') element.type = 'button';
	if (children[0] && Object.getPrototypeOf(children[0]) === Object.prototype) {
		for (const [key, value] of Object.entries(children.shift())) {
			if (!known(value) || value === false) continue;
			if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
			else if (['value', 'checked', 'disabled', 'selected', 'hidden'].includes(key)) element[key] = value;
			else element.setAttribute(key === 'aria' ? 'aria-label' : key, value === true ? '' : value);
		}
	}
	element.append(...nodes(children));
	return element;
}

export const svg = (name, attributes = {}, ...children) => {
	const element = document.createElementNS('http://www.w3.org/2000/svg', name);
	for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
	element.append(...children);
	return element;
};

export const fill = (element, ...children) => { element.replaceChildren(...nodes(children)); return element; };

/** Sets text; a change fades for half a second if `flash`. */
export function setText(element, text, flash) {
	if (element.textContent === String(text)) return;
	element.textContent = text;
	if (flash) flashing(element);
}
export function flashing(element) {
	element.classList.remove('flash');
	void element.offsetWidth;
	element.classList.add('flash');
}

export const bar = (...children) => h('.bar', children);
export const row = (...cells) => h('tr', cells.map((one) => h('td', one)));
export const bytes = (hex) => h('span.bytes', spaced(hex));
/** A part that scrolls, also by keyboard. */
export const scroll = (label, ...children) => h('.scroll', { tabindex: 0, role: 'region', aria: label }, children);
/** Facts with names: [[name, value], ...], without those that are not known. */
export const facts = (list) => list.filter(([, value]) => known(value)).map(([name, value]) => h('div', h('dt', name), h('dd', value)));
/** A button: it waits while its action runs; an error appears in `place`. `label` says what it acts on, `name` is its icon. */
export function button(text, place, action, label, name, kind = 'button') {
	const element = h(kind, { aria: label ? `${text} ${label}`.trim() : null, title: text ? null : label, onclick: () => act(element, place, action) }, name ? [icon(name), text ? h('span', text) : null] : text);
	return element;
}
export const relabel = (element, text) => setText(element.querySelector('span') ?? element, text);
export const checkbox = (text, onchange, checked) => { const box = h('input', { type: 'checkbox', onchange, checked }); return [box, h('label', box, text)]; };
export const at = (...parts) => '/' + parts.map(encodeURIComponent).join('/');
export const file = (path, name, text) => h('a.button', { href: '/api/v1' + path, download: name }, icon('save'), text);

// Controls, line separators, bidirectional overrides and invisible characters, and the empty braille pattern.
const hidden = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2800\ufff9-\ufffb\p{Default_Ignorable_Code_Point}]/u;
// The scripts whose letters joiners shape, and emoji.
const joined = /[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]/u;
/** Joiners between such characters, and the mark of a coloured emoji after one. */
const joins = (list, i) => list[i] === '\ufe0f' ? /\p{Extended_Pictographic}/u.test(list[i - 1]) : (list[i] === '\u200c' || list[i] === '\u200d') && [list[i - 1], list[i + 1]].every((one) => joined.test(one ?? ''));
const isHidden = (one, i, list) => hidden.test(one) && !joins(list, i);
const number = (one) => `\\u{${one.codePointAt(0).toString(16).toUpperCase()}}`;

/** Hostile text: what cannot be seen is shown by its number, and its direction stays inside. */
export function shown(text) {
	const bdi = h('bdi');
	bdi.append(...[...String(text ?? '')].map((one, i, list) => isHidden(one, i, list) ? h('span.control', { title: phrase('invisible') }, number(one)) : one));
	bdi.normalize();
	return bdi;
}
/** The same as a string, for titles, labels and options. */
export const plain = (text) => [...String(text ?? '')].map((one, i, list) => isHidden(one, i, list) ? number(one) : one).join('');
/** Fills an element with what `make()` returns, unless it was made of the same `key`. */
export function redo(element, key, make) {
	const text = JSON.stringify(key) ?? '';
	if (element.dataset.of === text) return;
	element.dataset.of = text;
	fill(element, make());
}
/** Keeps one element for each of `ids` in `place`, in their order; `make(id)` returns {element, draw}. Those that stay are not made again. */
export function keyed(place, ids, make) {
	const cards = place.cards ??= new Map(), wanted = new Set(ids);
	for (const [id, one] of cards) if (!wanted.has(id)) { one.element.remove(); cards.delete(id); }
	let next = place.firstChild;
	for (const id of wanted) {
		if (!cards.has(id)) cards.set(id, make(id));
		const { element } = cards.get(id);
		if (element === next) next = next.nextSibling; else place.insertBefore(element, next);
	}
	return cards;
}
/** Shows a name, unless it stands there already. */
export const setName = (element, name) => redo(element, name, () => shown(name));

/** `zone` is the time zone of dates; the browser's if it is missing. */
export function ago(value, zone) {
	const seconds = (Date.now() - new Date(value)) / 1000;
	if (seconds < 1.5) return phrase('now');
	if (seconds < 60) return phrase('seconds', Math.floor(seconds));
	if (seconds < 3600) return phrase('minutes', Math.floor(seconds / 60));
	return seconds < 86400 ? phrase('hours', Math.floor(seconds / 3600)) : new Date(value).toLocaleDateString(form.locale, { dateStyle: 'medium', timeZone: zone });
}
/** A relative time, with the absolute one on hover; no tab stop. */
export const time = (value, zone) => value ? h('time', { datetime: value, title: new Date(value).toLocaleString(form.locale, { timeZone: zone, timeZoneName: zone && 'short' }), 'data-zone': zone }, ago(value, zone)) : h('span.soft', phrase('never'));
setInterval(() => { for (const one of document.querySelectorAll('time[title]')) setText(one, ago(one.dateTime, one.dataset.zone)); }, 1000);
export const clock = (value) => new Date(value).toTimeString().slice(0, 8) + '.' + String(new Date(value).getMilliseconds()).padStart(3, '0');

/** A button that shows `content` and copies what `text()` returns; `label` says so if the content does not. */
export function copy(content, label, text) {
	const mark = h('span', icon('copy', 's')), element = h('button.copy', { aria: label, title: label, onclick: async () => {
		try { await navigator.clipboard.writeText(text()); fill(mark, icon('check', 's')); } catch { fill(mark, 'cannot copy; select the text'); }
		setTimeout(() => fill(mark, icon('copy', 's')), 1500);
	} }, content, mark);
	return element;
}
/** "1 device", "2 devices" */
export const counted = (count, one, many = one + 's') => `${count} ${count === 1 ? one : many}`;
/** Marks what is shown among what can be. */
export const setCurrent = (element, isShown) => { if (isShown) element.setAttribute('aria-current', 'page'); else element.removeAttribute('aria-current'); };
/** Saves lines of cells as comma-separated values; a text of which the content is not known is `quoted`. */
export const saveTable = (name, lines) => save(`${name}.csv`, [...lines.map((cells) => cells.join()), ''].join('\r\n'), 'text/csv');
export const quoted = (text) => `"${text.replaceAll('"', '""')}"`;
export function save(name, text, type) {
	const link = h('a', { href: URL.createObjectURL(new Blob([text], { type })), download: name });
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
export const press = (element, isOn) => { element.setAttribute('aria-pressed', !!isOn); element.classList.toggle('on', !!isOn); };
export const fold = (kind, title, ...content) => h(`details.fold${kind}`, h('summary', h('span.turn', icon('right', 's')), title), content);
export const card = (name, title, ...content) => h('section.card.pad', h('.cardhead', icon(name), h('h2.grow', title)), content);
/** Opens a dialog, which goes when it is closed. */
export function openDialog(title, ...content) {
	const dialog = h('dialog', { aria: title, onclose: () => dialog.remove() }, h('h1', title), content);
	document.body.append(dialog);
	dialog.showModal();
	return dialog;
}
/** Bones in the shape of the content, and progress in words. */
export const loading = (text) => h('div', { role: 'status' }, h('span.bone.w2'), h('span.bone.w3'), h('span.bone.w1'), h('span.soft.small', text));
/** A place without content: why it is empty, and what to do. */
export const blank = (name, title, text, ...actions) => h('.blank', icon(name), h('h2', title), h('p', text), actions.length ? h('.bar', actions) : null);

/** A problem where it happened: what, why, what to do. */
export function problem(error) {
	const part = error.problem;
	if (!part) console.error(error);
	return h('.problem', { role: 'alert' }, h('b', part?.title ?? phrase('fault')), ' ', shown(part?.detail ?? error.message), part?.advice && !part.advice.includes('/api/') ? h('div', shown(part.advice)) : null);
}

/** Runs an action: its button waits, an error appears in `place`. In a part that became `.stale` meanwhile, the button stays disabled. */
export async function act(element, place, action) {
	fill(place);
	const focused = document.activeElement === element;
	if (element) element.disabled = true;
	try { return await action(); } catch (error) { fill(place, problem(error)); } finally {
		if (element) { element.disabled = !!element.closest('.stale'); if (focused && element.isConnected) element.focus(); }
	}
}

export const spaced = (hex) => (hex ?? '').replace(/(..)(?=.)/g, '$1 ');
