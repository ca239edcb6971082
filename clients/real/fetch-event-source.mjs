// Microsoft's fetch-event-source, which is made for browsers: browser objects are emulated.
export const client = {
  package: '@microsoft/fetch-event-source',
  versions: ['1.0.1', '2.0.1'],
  layers: ['sse'],
  abilities: ['abort'],
};

export default async () => {
  globalThis.window = globalThis;
  globalThis.document = { hidden: false, addEventListener() {}, removeEventListener() {} };
  const { fetchEventSource } = await import('@microsoft/fetch-event-source');
  return async (run, answer, tell, { signal, aborted }) => {
    answer.events = [];
    const left = new AbortController();
    let id = '';
    await fetchEventSource(run.url, {
      method: 'POST',
      headers: { ...run.headers, 'content-type': 'application/json' },
      body: JSON.stringify(run.body),
      openWhenHidden: true,
      signal: AbortSignal.any([left.signal, signal]),
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
    if (aborted()) throw new Error('aborted');
  };
};
