// Sends one prompt, and prints the reply: node main.mjs "a prompt"
const { INTERN_BASE_URL: base, INTERN_INTERN_ID: id, INTERN_API_KEY: key } = process.env;
const TRIES = 3;

async function say(content, attempt = 1) {
  try {
    const response = await fetch(`${base}/interns/${id}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ stream: true, messages: [{ role: 'user', content }] }),
      signal: AbortSignal.timeout(5_000),
    });
    if (!response.ok) {
      const { error } = await response.json();
      const wait = Number(response.headers.get('retry-after') ?? 1);
      throw Object.assign(new Error(error.message), { refused: true, retryable: error.metadata?.retryable, wait });
    }
    let reply = '';
    const text = await response.text();
    for (const line of text.split(/\r?\n/)) {
      if (!line.startsWith('data: {')) continue;
      const chunk = JSON.parse(line.slice('data: '.length));
      if (chunk.error) throw new Error(chunk.error.message);
      for (const { delta } of chunk.choices ?? []) reply += delta.content ?? '';
    }
    if (!text.includes('data: [DONE]')) throw new Error('the reply broke off');
    return reply;
  } catch (error) {
    if (attempt === TRIES || error.retryable === false) throw error;
    await new Promise((resolve) => setTimeout(resolve, (error.wait ?? 0) * 1_000));
    return say(content, attempt + 1);
  }
}

console.log(await say(process.argv[2]));
