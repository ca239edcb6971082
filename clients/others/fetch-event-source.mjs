// Microsoft's fetch-event-source, which is made for browsers: browser objects are emulated.
globalThis.window = globalThis;
globalThis.document = { hidden: false, addEventListener() {}, removeEventListener() {} };
const { fetchEventSource } = await import('@microsoft/fetch-event-source');
const { adapt } = await import('../adapters/adapter.ts');
const { versionOf } = await import('./version.mjs');

const name = '@microsoft/fetch-event-source';
await adapt({ adapter: name, version: versionOf(name), layers: ['sse'] }, async (run, answer, tell) => {
  answer.events = [];
  const left = new AbortController();
  let id = '';
  await fetchEventSource(run.url, {
    method: 'POST',
    headers: { ...run.headers, 'content-type': 'application/json' },
    body: JSON.stringify(run.body),
    openWhenHidden: true,
    signal: AbortSignal.any([left.signal, AbortSignal.timeout(run.timeout)]),
    onmessage(event) {
      id = event.id || id;
      answer.events.push({ event: event.event || 'message', data: event.data, id });
      tell({});
      if (answer.events.length === run.stop_after) left.abort();
    },
    onerror(error) {
      throw error;
    },
  });
});
