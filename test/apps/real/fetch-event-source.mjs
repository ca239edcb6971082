// The example of `@microsoft/fetch-event-source`, in Node: it reconnects by itself.
globalThis.window = globalThis;
globalThis.document = { hidden: false, addEventListener() {}, removeEventListener() {} };
const { fetchEventSource } = await import('@microsoft/fetch-event-source');

const over = new AbortController();
await fetchEventSource(`${process.env.INTERN_BASE_URL}/interns/${process.env.INTERN_INTERN_ID}/chat/completions`, {
  method: 'POST',
  headers: { authorization: `Bearer ${process.env.INTERN_API_KEY}`, 'content-type': 'application/json' },
  body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'one two three' }] }),
  signal: over.signal,
  onmessage({ data }) {
    if (data === '[DONE]') return over.abort();
    process.stdout.write(JSON.parse(data).choices[0]?.delta?.content ?? '');
  },
});
