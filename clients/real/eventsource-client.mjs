// eventsource-client, without its reconnecting.
export const client = {
  package: 'eventsource-client',
  versions: ['1.1.4', '1.2.0'],
  layers: ['sse'],
  abilities: ['abort'],
  node: 22,
};

export default async () => {
  const { createEventSource } = await import('eventsource-client');
  return async (run, answer, tell, { signal }) => {
    answer.events = [];
    signal.throwIfAborted();
    let failure;
    let id = '';
    const source = createEventSource({
      url: run.url,
      method: 'POST',
      headers: { ...run.headers, 'content-type': 'application/json' },
      body: JSON.stringify(run.body),
      fetch: async (url, init) => {
        const response = await fetch(url, init).catch((error) => {
          failure = error;
          throw error;
        });
        if (response.status !== 200)
          failure = Object.assign(new Error(`status ${response.status}`), { status: response.status });
        return response;
      },
      onDisconnect: () => source.close(),
      onScheduleReconnect: () => source.close(),
    });
    const leave = () => source.close();
    signal.addEventListener('abort', leave);
    for await (const event of source) {
      id = event.id ?? id;
      answer.events.push({ event: event.event ?? 'message', data: event.data, id });
      tell();
      if (answer.events.length === run.stop_after) break;
    }
    source.close();
    signal.throwIfAborted();
    if (failure !== undefined) throw failure;
  };
};
