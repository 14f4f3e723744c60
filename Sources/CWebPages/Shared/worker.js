// One stream of server-sent events for all tabs of a browser.
import { EventReader } from './reader.js';

const ports = new Set();
const reader = new EventReader(name, (message) => { for (const port of ports) port.postMessage(message); });

onconnect = ({ ports: [port] }) => {
	const open = () => {
		ports.add(port);
		// A tab that opens later learns how things are.
		for (const message of reader.current()) port.postMessage(message);
		reader.start();
	};
	port.onmessage = ({ data }) => {
		if (data === 'again') open(); else { ports.delete(port); if (!ports.size) reader.stop(); }
	};
	open();
};
