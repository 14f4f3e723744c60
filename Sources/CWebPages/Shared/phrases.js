// The texts of the shared modules, in English. A site with other languages replaces them.
export const phrases = {
	now: 'now', seconds: '{n} s ago', minutes: '{n} min ago', hours: '{n} h ago', never: 'never',
	invisible: 'an invisible character', fault: 'Error in this page',
	noResponse: 'No response', silent: 'The server does not respond.',
	running: 'Is the program still running? The page continues when it is available again.',
	status: 'Status {n}', refused: 'The server refused the request.',
};
/** The locale of dates and numbers; the browser's if it is missing. */
export const form = { locale: undefined };
export const phrase = (name, n) => phrases[name].replace('{n}', n);
