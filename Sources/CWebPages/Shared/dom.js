// Elements, text from the air, times and clipboard. Nothing here parses markup.
import { icon } from './icons.js';
import { form, phrase } from './phrases.js';
export { icon };

export const known = (value) => value !== null && value !== undefined;
const nodes = (children) => children.flat(Infinity).filter((one) => known(one) && one !== false);
const properties = ['value', 'checked', 'disabled', 'selected', 'hidden'];

/** Makes an element: h('p.soft', {onclick: f}, 'text', child). `div` and the values may be left out. */
export function h(name, ...children) {
	const [tag, ...classes] = name.split('.'), element = document.createElement(tag || 'div');
	if (classes.length) element.className = classes.join(' ');
	if (tag === 'button') element.type = 'button';
	if (children[0] && Object.getPrototypeOf(children[0]) === Object.prototype) {
		for (const [key, value] of Object.entries(children.shift())) {
			if (!known(value) || value === false) continue;
			if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
			else if (properties.includes(key)) element[key] = value;
			else element.setAttribute(key === 'aria' ? 'aria-label' : key, value === true ? '' : value);
		}
	}
	element.append(...nodes(children));
	return element;
}
/** Several elements: elements('div span.name'). */
export const elements = (names) => names.split(' ').map((one) => h(one));

export const set = (element, values) => {
	for (const [key, value] of Object.entries(values)) element.setAttribute(key, value);
	return element;
};
export function svg(name, values = {}, ...children) {
	const element = set(document.createElementNS('http://www.w3.org/2000/svg', name), values);
	element.append(...children);
	return element;
}

export const fill = (element, ...children) => { element.replaceChildren(...nodes(children)); return element; };
export const setText = (element, text) => { if (element.textContent !== String(text)) element.textContent = text; };

export const row = (...cells) => h('tr', cells.map((one) => h('td', one)));
export const spaced = (hex) => (hex ?? '').replace(/(..)(?=.)/g, '$1 ');
export const bytes = (hex) => h('span.bytes', spaced(hex));
export const soft = (...text) => h('span.soft', text);
export const small = (...text) => h('span.soft.small', text);
/** A part that scrolls, also by keyboard. */
export const scroll = (label, ...children) => h('.scroll', { tabindex: 0, role: 'region', aria: label }, children);
/** Facts with names: [[name, value], ...], without those that are not known. */
export const facts = (list) =>
	list.filter(([, value]) => known(value)).map(([name, value]) => h('div', h('dt', name), h('dd', value)));

/** A button that waits while `action` runs; an error appears in `place`. `label` says what it acts on. */
export function button(text, place, action, label, name, kind = 'button') {
	const aria = label ? `${text} ${label}`.trim() : null;
	const element = h(kind, { aria, onclick: () => act(element, place, action) },
		name ? [icon(name), text && h('span', text)] : text);
	return able(element);
}
let silence = '';
/** A control that asks the server. While there is a reason why it cannot, it is disabled, and its title says why. */
export function able(control, why = '') {
	const reason = silence || why;
	control.dataset.why = why;
	control.disabled = !!reason;
	// An icon alone has its name as title.
	control.title = reason || (control.classList.contains('icon') ? control.ariaLabel : '');
	return control;
}
/** Says why the server does not answer; with an empty text it does. */
export function setSilence(why) {
	silence = why;
	for (const one of document.querySelectorAll('[data-why]')) able(one, one.dataset.why);
}
export const relabel = (element, text) => setText(element.querySelector('span') ?? element, text);
export const toggle = (text, onclick, name, more) =>
	h('button', { 'aria-pressed': 'false', onclick, ...more }, name && icon(name, 's'), text);
export const press = (element, isOn) => {
	element.setAttribute('aria-pressed', !!isOn);
	element.classList.toggle('on', !!isOn);
};
export const checkbox = (text, onchange, checked) => {
	const box = h('input', { type: 'checkbox', onchange, checked });
	return [box, h('label', box, text)];
};
/** A choice among [[value, text], ...]. */
export const select = (aria, list, chosen, onchange) => h('select', { aria, onchange },
	list.map(([value, text = value]) => h('option', { value, selected: value === chosen }, text)));
export const at = (...parts) => '/' + parts.map(encodeURIComponent).join('/');
export const file = (path, name, text) => h('a.button', { href: '/api/v1' + path, download: name }, icon('save'), text);

// Controls, line separators, bidirectional overrides and invisible characters, and the empty braille pattern.
const hidden = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2800\ufff9-\ufffb\p{Default_Ignorable_Code_Point}]/u;
// The scripts whose letters joiners shape, and emoji.
const scripts = 'Arab Beng Deva Gujr Guru Khmr Knda Mlym Orya Sinh Taml Telu'.replace(/\w+/g, '\\p{sc=$&}');
const joined = new RegExp(`[${scripts.replaceAll(' ', '')}\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f]`, 'u');
/** Joiners between such characters, and the mark of a coloured emoji after one. */
const joins = (list, i) => list[i] === '\ufe0f' ? /\p{Extended_Pictographic}/u.test(list[i - 1])
	: /[\u200c\u200d]/.test(list[i]) && [list[i - 1], list[i + 1]].every((one) => joined.test(one ?? ''));
const seen = (text, mark) => [...String(text ?? '')].map((one, i, list) =>
	hidden.test(one) && !joins(list, i) ? mark(`\\u{${one.codePointAt(0).toString(16).toUpperCase()}}`) : one);

/** Hostile text: what cannot be seen is shown by its number, and its direction stays inside. */
export function shown(text) {
	const bdi = h('bdi', seen(text, (number) => h('span.control', { title: phrase('invisible') }, number)));
	bdi.normalize();
	return bdi;
}
/** The same as a string, for titles, labels and options. */
export const plain = (text) => seen(text, (number) => number).join('');

/** Fills an element with what `make()` returns, unless it was made of the same `key`. */
export function redo(element, key, make) {
	const text = JSON.stringify(key) ?? '';
	if (element.dataset.of === text) return;
	element.dataset.of = text;
	fill(element, make());
}
/** Keeps one element for each of `ids` in `place`, in their order; `make(id)` returns {element, draw}. */
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
/** Calls `action` when nobody has asked for `delay` milliseconds. */
export function later(delay, action) {
	let timer = 0;
	return () => { clearTimeout(timer); timer = setTimeout(action, delay); };
}
/** Calls `action` in the next frame, once for all who ask. */
export function framed(action) {
	let frame = 0;
	return () => { frame ||= requestAnimationFrame(() => { frame = 0; action(); }); };
}
/** Repeats an action while the page is seen; returns a function that ends it. */
export function every(milliseconds, action) {
	const timer = setInterval(() => document.hidden || action(), milliseconds);
	return () => clearInterval(timer);
}
export const end = (page) => page?.ends.forEach((one) => one());

/** `zone` is the time zone of dates; the browser's if it is missing. */
export function ago(value, zone) {
	const seconds = (Date.now() - new Date(value)) / 1000;
	if (seconds < 1.5) return phrase('now');
	if (seconds < 60) return phrase('seconds', Math.floor(seconds));
	if (seconds < 3600) return phrase('minutes', Math.floor(seconds / 60));
	if (seconds < 86400) return phrase('hours', Math.floor(seconds / 3600));
	return new Date(value).toLocaleDateString(form.locale, { dateStyle: 'medium', timeZone: zone });
}
/** A relative time, with the absolute one on hover; no tab stop. */
export function time(value, zone) {
	if (!value) return soft(phrase('never'));
	const title = new Date(value).toLocaleString(form.locale, { timeZone: zone, timeZoneName: zone && 'short' });
	return h('time', { datetime: value, title, 'data-zone': zone }, ago(value, zone));
}
setInterval(() => {
	for (const one of document.querySelectorAll('time[title]')) setText(one, ago(one.dateTime, one.dataset.zone));
}, 1000);
export const clock = (value) =>
	new Date(value).toTimeString().slice(0, 8) + '.' + String(new Date(value).getMilliseconds()).padStart(3, '0');

/** A button that shows `content` and copies what `text()` returns; `label` says so if the content does not. */
export function copy(content, label, text) {
	const mark = h('span', icon('copy', 's'));
	return h('button.copy', { aria: label, title: label, onclick: async () => {
		try {
			await navigator.clipboard.writeText(text());
			fill(mark, icon('check', 's'));
		} catch { fill(mark, 'cannot copy; select the text'); }
		setTimeout(() => fill(mark, icon('copy', 's')), 1500);
	} }, content, mark);
}
export const counted = (count, one, many = one + 's') => `${count} ${count === 1 ? one : many}`;
export const setCurrent = (element, isShown) =>
	isShown ? element.setAttribute('aria-current', 'page') : element.removeAttribute('aria-current');
export function save(name, text, type) {
	const href = URL.createObjectURL(new Blob([text], { type }));
	h('a', { href, download: name }).click();
	setTimeout(() => URL.revokeObjectURL(href), 10000);
}
/** Saves lines of cells as comma-separated values; a text of which the content is not known is `quoted`. */
export const saveTable = (name, lines) => save(`${name}.csv`, lines.map((one) => one.join() + '\r\n').join(''),
	'text/csv');
export const quoted = (text) => `"${text.replaceAll('"', '""')}"`;

export const fold = (kind, title, ...content) =>
	h(`details.fold${kind}`, h('summary', h('span.turn', icon('right', 's')), title), content);
export const card = (name, title, ...content) =>
	h('section.card.pad', h('.cardhead', icon(name), h('h2.grow', title)), content);
export const note = (...content) => h('.note', { role: 'status' }, content);
export function openDialog(title, ...content) {
	const dialog = h('dialog', { aria: title, onclose: () => dialog.remove() }, h('h1', title), content);
	document.body.append(dialog);
	dialog.showModal();
	return dialog;
}
/** Bones in the shape of the content, and progress in words. */
export const loading = (text) =>
	h('div', { role: 'status' }, ['w2', 'w3', 'w1'].map((one) => h('span.bone.' + one)), small(text));
export const blank = (name, title, text, ...actions) =>
	h('.blank', icon(name), h('h2', title), h('p', text), nodes(actions).length ? h('.bar', actions) : null);

export function problem(error) {
	const { title = phrase('fault'), detail = error.message, advice } = error.problem ?? {};
	if (!error.problem) console.error(error);
	return h('.problem', { role: 'alert' }, h('b', title), ' ', shown(detail),
		advice && !advice.includes('/api/') ? h('div', shown(advice)) : null);
}

/** Runs an action: its button waits; an error appears in `place`. */
export async function act(element, place, action) {
	fill(place);
	const focused = document.activeElement === element;
	if (element) element.disabled = true;
	try { return await action(); } catch (error) { fill(place, problem(error)); } finally {
		if (element) able(element, element.dataset.why);
		if (focused && element?.isConnected) element.focus();
	}
}
