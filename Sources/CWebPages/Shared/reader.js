// Reads server-sent events with fetch, which says why a stream ended, and goes on after the last identifier.

export class EventReader {
	/** The server sends a comment every ten seconds: after `silence` milliseconds without it, the stream is lost. */
	constructor(viewer, tell, silence = 25000) {
		Object.assign(this, { viewer, tell, silence, last: '', state: 'connecting' });
	}

	/** What a new tab has to know. */
	current() { return [...this.hello ? [{ events: [this.hello] }] : [], { state: this.state }]; }

	set(state) { this.state = state; this.tell({ state }); }

	start() { if (!this.abort) { this.abort = new AbortController(); this.run(this.abort.signal); } }

	stop() { this.abort?.abort(); this.abort = null; }

	async run(signal) {
		let pause = 250;
		while (!signal.aborted) {
			let next = 'lost';
			try {
				const headers = { Accept: 'text/event-stream' };
				if (this.last) headers['Last-Event-ID'] = this.last;
				const link = new AbortController(), heard = () => {
					clearTimeout(this.timer);
					this.timer = setTimeout(() => link.abort(), this.silence);
				};
				heard();
				const response = await fetch(`/api/v1/events?viewer=${this.viewer}`,
					{ headers, signal: AbortSignal.any([signal, link.signal]), cache: 'no-store' });
				if (response.status === 401) next = 'login';
				else if (response.ok) {
					this.set('live');
					pause = 250;
					await this.read(response.body.pipeThrough(new TextDecoderStream()).getReader(), heard);
				}
			} catch { /* the state says it */ }
			if (signal.aborted) return;
			this.set(next);
			await new Promise((resolve) => setTimeout(resolve, pause));
			pause = Math.min(pause * 2, 3000);
		}
	}

	async read(stream, heard) {
		for (let text = ''; ;) {
			const { value, done } = await stream.read();
			if (done) return;
			heard();
			const blocks = (text + value).split('\n\n');
			text = blocks.pop();
			const events = [];
			for (const block of blocks) {
				const event = {};
				for (const line of block.split('\n')) {
					const [, key, content] = /^(\w+): ?(.*)$/.exec(line) ?? [];
					if (key) event[key] = (event[key] ?? '') + content;
				}
				if (!event.data) continue;
				this.last = event.id ?? this.last;
				events.push([event.event, JSON.parse(event.data)]);
				if (event.event === 'hello') this.hello = events.at(-1);
			}
			if (events.length) this.tell({ events });
		}
	}
}
