// The package eventsource. It does not distinguish an end from a break: both are its `error` event.
export const client = {
  package: 'eventsource',
  versions: ['1.1.2', '2.0.2', '3.0.7', '4.1.1', '5.1.5'],
  node: 22,
  layers: ['sse'],
  note: 'Versions 1 and 2 send a GET. Its adapter tells an end from a break by the text of the event.',
};

const TYPES = ['message', 'ping', 'late', 'two', 'e', 'e ', 'lost', 'x', 'one'];

export default async () => {
  const loaded = await import('eventsource');
  const EventSource = loaded.EventSource ?? loaded.default;
  return (run, answer, tell, { signal }) => {
    answer.events = [];
    return new Promise((resolve, reject) => {
      const source = new EventSource(run.url, {
        headers: run.headers,
        fetch: (url, init) =>
          fetch(url, {
            ...init,
            method: 'POST',
            headers: { ...init.headers, ...run.headers, 'content-type': 'application/json' },
            body: JSON.stringify(run.body),
            signal: AbortSignal.any([init.signal, signal].filter(Boolean)),
          }),
      });
      const end = (then, value) => {
        source.close();
        then(value);
      };
      signal.addEventListener('abort', () => end(reject, signal.reason));
      for (const type of TYPES) {
        source.addEventListener(type, (event) => {
          answer.events.push({ event: event.type, data: event.data, id: event.lastEventId });
          tell({});
          if (answer.events.length === run.stop_after) end(resolve);
        });
      }
      source.addEventListener('error', (event) => {
        const status = event.code ?? event.status;
        const broken = status !== undefined || (event.message !== undefined && !/closed|ended/i.test(event.message));
        if (broken) end(reject, Object.assign(new Error(event.message ?? 'failed'), { status }));
        else end(resolve);
      });
    });
  };
};
