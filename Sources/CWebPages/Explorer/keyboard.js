// The keys of `harald explore`. Each presses the button with that `data-key`; among values, that of the focused one.
const stored = 'harald-keys';
const rows = 'a.rowlink, .char .what a';

function pressed(key) {
	const isOfValue = ['r', 'n', 'w'].includes(key), here = isOfValue && document.activeElement.closest('.char');
	const all = [...(here || document.getElementById('page')).querySelectorAll('[data-key]')];
	return all.find((one) => one.dataset.key === key && one.checkVisibility() && !one.disabled);
}

function move(step) {
	const all = [...document.querySelectorAll(rows)].filter((one) => one.checkVisibility());
	const here = document.activeElement, area = here.closest('.list, .detail');
	const some = area ? all.filter((one) => area.contains(one)) : all;
	const at = some.indexOf(here);
	const next = some[at < 0 ? (step > 0 ? 0 : some.length - 1) : at + step];
	next?.focus();
	next?.scrollIntoView({ block: 'nearest' });
	return !!next;
}

export function startKeys(go) {
	const isOn = document.getElementById('keys-on');
	isOn.checked = localStorage.getItem(stored) !== 'off';
	isOn.onchange = () => localStorage.setItem(stored, isOn.checked ? 'on' : 'off');
	addEventListener('keydown', (event) => {
		if (event.ctrlKey || event.metaKey || event.altKey || !isOn.checked || event.defaultPrevented) return;
		const { key, target } = event, isField = target.closest('input, textarea, select, [contenteditable]');
		if (document.querySelector('dialog[open]')) return;
		if (isField) { if (key === 'Escape') target.blur(); return; }
		if (key === '?') document.getElementById('keys').showModal();
		else if (key === '/') {
			const field = document.querySelector('#page input[type=search]');
			field?.focus();
			field?.select();
		}
		else if (key === 'l') go('/log');
		else if (key === 'ArrowDown' || key === 'ArrowUp') { if (!move(key === 'ArrowDown' ? 1 : -1)) return; }
		else if (key === 'Enter' && target.matches('a.rowlink')) {
			target.click();
			document.querySelector('.detail').focus();
		}
		else if (key === 'Escape') {
			const back = document.querySelector('#page .back'), row = document.querySelector('a.rowlink[aria-current]');
			if (!back) return;
			go(back.getAttribute('href'));
			row?.focus();
		}
		else if (key === ' ' && target.closest('button, summary, [role]')) return;
		else {
			// A key of a device is for the row of the focus, which opens.
			if (['c', 'f'].includes(key)) target.closest('a.rowlink')?.click();
			const element = pressed(key === ' ' ? 'space' : key);
			if (!element) return;
			element.click();
		}
		event.preventDefault();
	});
}
