// Makes an intern, and prints its id: node main.mjs NAME
import { randomUUID } from 'node:crypto';

const { INTERN_BASE_URL: base, INTERN_API_KEY: key, INTERN_WORKSPACE_ID: workspace_id } = process.env;
const TRIES = 3;

async function create(name) {
  const response = await fetch(`${base}/interns`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    },
    body: JSON.stringify({ name: `${name}-${randomUUID().slice(0, 4)}`, workspace_id }),
    signal: AbortSignal.timeout(5_000),
  });
  if (response.ok) return response.json();
  const { error } = await response.json();
  throw Object.assign(new Error(`${response.status} ${error.message}`), {
    final: error.metadata?.retryable !== true,
    wait: Number(response.headers.get('retry-after') ?? 1),
  });
}

async function untilMade(name, attempt = 1) {
  try {
    return await create(name);
  } catch (error) {
    if (error.final || attempt === TRIES) throw error;
    await new Promise((resolve) => setTimeout(resolve, (error.wait ?? 0) * 1_000));
    return untilMade(name, attempt + 1);
  }
}

const { id } = await untilMade(process.argv[2]);
console.log(id);
