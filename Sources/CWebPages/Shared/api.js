// Requests to the server of this page.
import { phrase } from './phrases.js';

export class Failure extends Error {
	constructor(problem) { super(problem.detail); this.problem = problem; }
}

let viewer = null;
/** Requests wait for the viewer that this browser's stream is given, and carry it. */
export const setViewer = (promise) => { viewer = promise; };

async function send(method, path, body) {
	const headers = { Accept: 'application/json' };
	if (viewer) headers['Harald-Viewer'] = await viewer;
	if (body !== undefined) headers['Content-Type'] = 'application/json';
	const response = await fetch('/api/v1' + path, { method, headers, body: JSON.stringify(body) }).catch(() => {
		throw new Failure({ title: phrase('noResponse'), detail: phrase('silent'), advice: phrase('running') });
	});
	const isJSON = (response.headers.get('Content-Type') ?? '').includes('json');
	const content = await (isJSON ? response.json() : response.text());
	if (response.ok) return content;
	throw new Failure(content.title ? content : { title: phrase('status', response.status),
		detail: phrase('refused') });
}

const method = (name) => (path, body) => send(name, path, body);
export const get = method('GET'), post = method('POST'), put = method('PUT');
export const patch = method('PATCH'), remove = method('DELETE');
