// Requests to the server of this page.

/** An error with the server's problem document. */
export class Failure extends Error {
	constructor(problem) { super(problem.detail); this.problem = problem; }
}

let viewer = null;
/** The viewer that this browser's stream was given; its requests carry it. */
export const setViewer = (name) => { viewer = name; };

async function send(method, path, body) {
	const headers = { Accept: 'application/json' };
	if (viewer) headers['Harald-Viewer'] = viewer;
	if (body !== undefined) headers['Content-Type'] = 'application/json';
	const response = await fetch('/api/v1' + path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) }).catch(() => {
		throw new Failure({ title: 'No response', detail: 'The server does not respond.', advice: 'Is the program still running? The page continues when it is available again.' });
	});
	const isJSON = (response.headers.get('Content-Type') ?? '').includes('json');
	const content = await (isJSON ? response.json() : response.text());
	if (response.ok) return content;
	throw new Failure(content.title ? content : { title: `Status ${response.status}`, detail: 'The server refused the request.' });
}

export const get = (path) => send('GET', path);
export const post = (path, body) => send('POST', path, body);
export const put = (path, body) => send('PUT', path, body);
export const patch = (path, body) => send('PATCH', path, body);
export const remove = (path) => send('DELETE', path);
