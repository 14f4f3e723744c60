// Icons: strokes on a field of 24 by 24, the symbols of icons.svg.
import { svg } from './dom.js';

const file = new URL('./icons.svg', import.meta.url).pathname;

/** An icon of 20 px; `size` is `s` for 16 px. */
export const icon = (name, size = '') =>
	svg('svg', { class: `i ${size}`, viewBox: '0 0 24 24', 'aria-hidden': 'true' },
		svg('use', { href: `${file}#${name}` }));
