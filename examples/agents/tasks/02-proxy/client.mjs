/** Sends `body`, and yields the data of each event of the answer as it comes. */
export async function* read({ url, key, body, signal }) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body), signal });
  if (response.status !== 200) throw Object.assign(new Error(`status ${response.status}`), { status: response.status });
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of response.body) {
    text += decoder.decode(piece, { stream: true });
    const events = text.split('\n\n');
    text = events.pop();
    for (const event of events) yield event.replace(/^data: /, '');
  }
}
