import { rewritten } from '../../../emulator/wire/answer.js';
import { type Chunk, failed } from '../answers.js';
import { isJson, type Json } from '../call.js';
import { bodyOf } from '../newer/tools.js';
import type { Way } from '../world.js';
import { asking, callIn, lawful, said, withCall } from './tools.js';

const FORMAT = 'in the common chat-completion chunk format (`choices`, `finish_reason`)';

export const lawfuls: readonly Way[] = [
  lawful(
    'a create that says nothing of it starts provisioning at once',
    'Provisioning may start at once or wait for a later provision call.',
    (w) =>
      asking(w, 'create', ({ body }) =>
        typeof body.name === 'string' && !('provision' in body) ? { ...body, provision: true } : undefined,
      ),
  ),
  lawful('a text comes letter by letter', FORMAT, (w) =>
    w.stream(() => (_, chunk) => {
      const letters = [...new Intl.Segmenter().segment(said(chunk))].map(({ segment }) => segment);
      return chunk && letters.length > 1
        ? letters.map((content) => ({
            ...chunk,
            choices: chunk.choices.map((choice) => ({ ...choice, delta: { ...choice.delta, content } })),
          }))
        : undefined;
    }),
  ),
  lawful('a tool call comes in pieces', FORMAT, (w) =>
    w.stream(() => (_, chunk) => {
      const tool = callIn(chunk);
      if (!chunk || !tool || !isJson(tool.function)) return undefined;
      const text = String(tool.function.arguments);
      const half = Math.floor(text.length / 2);
      const piece = (from: number, to?: number): Chunk =>
        withCall(chunk, { index: tool.index, function: { arguments: text.slice(from, to) } });
      return [withCall(chunk, { ...tool, function: { ...tool.function, arguments: '' } }), piece(0, half), piece(half)];
    }),
  ),
  lawful('the lines of a stream end as those of HTTP', 'server-sent events', (w) => async (call, next) => {
    const r = await next();
    if (call.op !== 'chat' || r.status !== 200) return r;
    w.hit();
    return rewritten(r, { text: (event) => `${event.replaceAll('\n', '\r\n')}\r\n\r\n` });
  }),
  lawful(
    'a delete answers 200, a provision and a suspend 202',
    'Success status codes other than 202 for invoke: not shown.',
    (w) =>
      w.later('delete provision suspend', async (r, { op }) =>
        r.ok ? Response.json(await bodyOf(r), { status: op === 'delete' ? 200 : 202 }) : undefined,
      ),
  ),
  lawful(
    'a retried create answers 201 as the first did',
    'Success status codes other than 202 for invoke: not shown.',
    (w) =>
      w.later('create', async (r) => (r.status === 200 ? Response.json(await bodyOf(r), { status: 201 }) : undefined)),
  ),
  {
    ...lawful(
      'a daemon takes proofs of the last half minute',
      'Length of the proof validity window in the daemon: not shown.',
      () => (_, next) => next(),
    ),
    daemons:
      (w) =>
      async ({ request }, next) => {
        const at = Number([...request.headers].find(([name]) => name.endsWith('-timestamp'))?.[1]);
        const r = await next();
        if (!r.ok || !(w.setting.host.now() / 1000 - at > 30)) return r;
        w.hit();
        return failed(401, 'The proof is too old', 'proof_expired');
      },
  },
  lawful(
    'answers are indented, their fields in another order',
    'Request and response bodies are JSON unless a stream is stated.',
    (w) => async (_, next) => {
      const r = await next();
      if (!(r.headers.get('content-type') ?? '').startsWith('application/json')) return r;
      const body = (await r.clone().json()) as Json;
      w.hit();
      const turned = Object.fromEntries(Object.entries(body).reverse());
      const headers = new Headers(r.headers);
      headers.delete('content-length');
      return new Response(`${JSON.stringify(turned, null, 2)}\n`, { status: r.status, headers });
    },
  ),
];
