// The texts of the pages: the file of the page's language has them by key.
import { form, phrases } from '../shared/phrases.js';

export const language = document.documentElement.lang;
const texts = await fetch(new URL(`./${language}.json`, import.meta.url)).then((answer) => answer.json());
/** The locale of dates: the person's variant of the language, such as en-GB. Numbers are written as the hub writes them. */
export const locale = navigator.languages.find((one) => one.split('-')[0] === language) ?? texts.locale;
form.locale = locale;
for (const name of Object.keys(phrases)) phrases[name] = texts[`shared.${name}`];

/** The languages with their own names. */
export const languages = Object.keys(texts).filter((key) => key.startsWith('language.')).map((key) => [key.slice(9), texts[key]]);
/** Changes the language of this browser for good. */
export function choose(code) {
	document.cookie = `harald-language=${code}; Path=/; Max-Age=31536000; SameSite=Lax`;
	location.reload();
}

/** A number with exactly `digits` decimals, or with those that it has. */
export const number = (value, digits) => typeof value === 'number' ? value.toLocaleString(texts.locale, { useGrouping: false, minimumFractionDigits: digits ?? 0, maximumFractionDigits: digits ?? 10 }) : String(value);

/** The text of a key as a list of strings and of the values that its `{name}` stand for. `count` decides between one and
    many: `KEY.one` is the text for one. */
export function parts(key, values = {}) {
	const text = texts[values.count === 1 && `${key}.one` in texts ? `${key}.one` : key];
	if (text === undefined) { console.error(`The text ${key} is missing.`); return [key]; }
	return text.split(/\{([a-zA-Z]+)\}/).map((one, i) => i % 2 ? (typeof values[one] === 'number' ? values[one].toLocaleString(texts.locale) : values[one] ?? '') : one);
}
/** The text of a key. */
export const t = (key, values) => parts(key, values).join('');
/** The text of a key that may be missing. */
export const known = (key, otherwise) => texts[key] ?? otherwise;
