import { createHash } from 'node:crypto';

const TRIES = 3;
const WAIT = 200;

async function proofFor({ signUrl, key, request }) {
  const bodySha256 = createHash('sha256').update(request.body).digest('hex');
  const route = { method: request.method.toUpperCase(), path: request.path.split('?')[0] };
  const response = await fetch(signUrl, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ bodySha256, route }),
  });
  if (!response.ok) throw Object.assign(new Error(await response.text()), { status: response.status });
  return response.json();
}

/** Sends `request` to the daemon of an intern, with a proof. Answers its status, or throws an error that has it. */
export async function send({ signUrl, key, daemonOrigin, daemonToken, request }) {
  const proof = await proofFor({ signUrl, key, request });
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(daemonOrigin + request.path, {
      method: request.method.toUpperCase(),
      headers: { ...request.headers, ...proof, authorization: `Bearer ${daemonToken}` },
      body: request.body,
    });
    if (response.ok) return response.status;
    if (![429, 502, 503, 504].includes(response.status) || attempt === TRIES)
      throw Object.assign(new Error(await response.text()), { status: response.status });
    const seconds = Number(response.headers.get('retry-after'));
    await new Promise((resolve) => setTimeout(resolve, seconds > 0 ? seconds * 1_000 : WAIT));
  }
}
