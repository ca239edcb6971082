const TRIES = 3;

/** Sends one prompt, and answers the text of the reply. Throws an error that has the status of a refusal. */
export async function ask({ base, key, body, signal }) {
  let response;
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    response = await fetch(`${base}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal,
    });
    if (response.ok) break;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  if (!response.ok) throw Object.assign(new Error(`refused: ${await response.text()}`), { status: response.status });
  const text = await response.text();
  const chunks = [...text.matchAll(/^data: ({.*)$/gm)].map(([, data]) => JSON.parse(data));
  const failed = chunks.find(({ error }) => error);
  if (failed) throw Object.assign(new Error(failed.error.message), { status: failed.error.code });
  if (!text.includes('data: [DONE]')) throw new Error('the reply broke off');
  return { content: chunks.flatMap(({ choices = [] }) => choices.map(({ delta }) => delta?.content ?? '')).join('') };
}
