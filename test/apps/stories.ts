/** The stories of the apps: each a test that somebody would write, and each assertion one that they would make. */
import { type AppClient, type Intern, Refusal, type Reply, type ToolCall } from './client.js';

export const GREETING = 'Grüße aus Köln 👋';
const APPROVAL = 'script: ask-permission';

export function check(holds: boolean, message: string): asserts holds {
  if (!holds) throw new Error(message);
}

/** The intern that the seed has. */
export function seeded({ context }: AppClient): string {
  const id = context.target.credentials.intern?.id;
  check(id !== undefined, 'the seed has no intern');
  return id;
}

export async function chat(client: AppClient, id: string, body: Record<string, unknown>): Promise<Reply> {
  const path = `/interns/${id}/chat/completions`;
  return client.read(client, await client.send(client, { method: 'POST', path, body: { stream: true, ...body } }));
}

export const prompt = (client: AppClient, id: string, content: string, more: Record<string, unknown> = {}) =>
  chat(client, id, { messages: [{ role: 'user', content }], ...more });

/** Sends a prompt and expects it back. */
export async function talk(client: AppClient, id = seeded(client), content = GREETING): Promise<void> {
  const { text } = await prompt(client, id, content);
  check(text === content, `expected ${content}, got ${text}`);
  client.context.print(text);
}

/** Has an intern ask for permission. */
export async function ask(client: AppClient, id = seeded(client)): Promise<{ question: ToolCall; session: string }> {
  const { text, question, session } = await prompt(client, id, APPROVAL, { approval_mode: 'manual' });
  check(question !== undefined && session !== null, 'expected a question');
  client.context.print(text);
  return { question, session };
}

export const answer = (client: AppClient, id: string, { question, session }: { question: ToolCall; session: string }) =>
  chat(client, id, {
    session_id: session,
    messages: [
      { role: 'assistant', content: null, tool_calls: [question] },
      { role: 'tool', tool_call_id: question.id, content: 'allow_once' },
    ],
  });

/** Has an intern ask for permission, and gives it once. */
export async function approve(client: AppClient, id = seeded(client)): Promise<void> {
  const { text } = await answer(client, id, await ask(client, id));
  check(text.endsWith('Allowed once.'), `expected to hear of the permission, heard ${text}`);
  client.context.print(text);
}

export async function create(client: AppClient, name: string, provision = true): Promise<Intern> {
  const call = {
    method: 'POST',
    path: '/interns',
    headers: { 'idempotency-key': `create-${name}` },
    body: { name, workspace_id: client.context.target.workspace_id, provision },
  };
  return internOf(await client.json(await client.send(client, call)));
}

export const get = async (client: AppClient, id: string): Promise<Intern> =>
  internOf(await client.json(await client.send(client, { method: 'GET', path: `/interns/${id}` })));

/** A record without what it does not need. */
const internOf = (body: unknown): Intern => body as Intern;

export async function remove(client: AppClient, id: string): Promise<void> {
  const gone = await client.send(client, { method: 'DELETE', path: `/interns/${id}` });
  await client.json(gone);
}

/** Waits until an intern runs; `failed` is for good. */
export async function untilRunning(client: AppClient, id: string): Promise<void> {
  for (let looks = 0; looks < 500; looks++) {
    const { status } = await get(client, id);
    if (status === 'running') return;
    check(status !== 'failed' && status !== 'destroying', `the boot ended ${status}`);
    await client.pause(5);
  }
  throw new Error('it did not boot');
}

/** Waits until an intern is gone. A teardown that failed is accepted once, with the loss of the workspace. */
export async function untilGone(client: AppClient, id: string): Promise<void> {
  for (let looks = 0, acknowledged = false; looks < 500; looks++) {
    try {
      const { status } = await get(client, id);
      if (status === 'destroy_failed') {
        check(!acknowledged, 'its teardown failed twice');
        acknowledged = true;
        const body = { acknowledge_workspace_loss: true };
        await client.send(client, { method: 'DELETE', path: `/interns/${id}`, body });
      }
    } catch (error) {
      if (error instanceof Refusal && error.status === 404) return;
      throw error;
    }
    await client.pause(5);
  }
  throw new Error('it is still there');
}

/** Deletes an intern, and waits until it is gone. */
export async function tearDown(client: AppClient, id: string): Promise<void> {
  await remove(client, id);
  await untilGone(client, id);
}

/** Works with an intern of its own, which is gone afterwards, come what may. */
export async function host(
  client: AppClient,
  work = (id: string) => talk(client, id),
  name = 'explorer',
): Promise<void> {
  const { id } = await create(client, name);
  try {
    await untilRunning(client, id);
    await work(id);
  } finally {
    await tearDown(client, id);
  }
}

/** All interns of the workspace, over all pages. */
export async function all(client: AppClient): Promise<Intern[]> {
  const found: Intern[] = [];
  let after = '';
  do {
    const path = `/interns?limit=500${after}`;
    const page = (await client.json(await client.send(client, { method: 'GET', path }))) as {
      data: Intern[];
      has_more?: boolean;
      next_cursor?: string;
    };
    found.push(...page.data);
    after = page.next_cursor === undefined ? '' : `&starting_after=${encodeURIComponent(page.next_cursor)}`;
  } while (after !== '');
  return found;
}

const PATH = '/api/invoke';
const sha256 = async (text: string): Promise<string> =>
  Buffer.from(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))).toString('hex');

/** Signs a request to the daemon of an intern and sends it; one whose proof has expired is signed again. */
export async function attach(client: AppClient, signsAgain = true): Promise<void> {
  const { context } = client;
  const { oauth_token: token } = context.target.credentials;
  const id = seeded(client);
  const path = `/interns/${id}/daemon`;
  const daemon = await client.send(client, { method: 'GET', path, token });
  const { origin, token: own } = (await client.json(daemon)) as { origin: string; token: string };
  const body = JSON.stringify({ input: 'Water the plants' });
  const sign = async () => {
    const proofFor = { bodySha256: await sha256(body), route: { method: 'POST', path: PATH } };
    const signed = await client.send(client, { method: 'POST', path: `${path}/sign`, token, body: proofFor });
    return (await client.json(signed)) as Record<string, string>;
  };
  let proof = await sign();
  for (let attempt = 1; ; attempt++) {
    const headers = { ...proof, authorization: `Bearer ${own}`, 'content-type': 'application/json' };
    const limit = new AbortController();
    const signal = AbortSignal.any([context.signal, limit.signal]);
    const sent = context.fetch(origin + PATH, { method: 'POST', headers, body, signal });
    const response = await client.within(sent, () => limit.abort());
    const said = await client.within(response.text(), () => limit.abort());
    if (response.ok) return;
    const { reason } = JSON.parse(said).error?.metadata ?? {};
    check(reason === 'proof_expired' && attempt < 3, `the daemon answered ${response.status}: ${said}`);
    if (signsAgain) proof = await sign();
  }
}
