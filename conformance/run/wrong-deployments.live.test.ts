import { describe, expect, test } from 'vitest';
import { rewritten } from '../../emulator/wire/answer.js';
import { chunkOf } from '../../emulator/wire/chunks.js';
import { type Json, valueAt } from '../../emulator/wire/json.js';
import { about, tokenOf } from '../../emulator/wire/request.js';
import type { Serve } from '../../emulator/wire/serve.js';
import { isStream } from '../../emulator/wire/streams.js';
import { closing } from '../../test/closing.js';
import { type Deployment, deploy } from '../../test/targets/deployment.js';
import { bodyOf } from '../habits/habit.js';
import { run } from '../run.js';
import { checks as allChecks } from '../scenarios/index.js';

const isChat = (request: Request) => about(request).operation === 'chat';
const answers = (body: Json) => valueAt(body, 'messages.-1.role') === 'tool';

/** A resumed stream begins with all that was said before it. */
const repeats: Serve = (next) => {
  const said = new Map<string, string>();
  return async (request) => {
    if (!isChat(request)) return next(request);
    const body = await bodyOf(request);
    let first = answers(body);
    let before = first ? (said.get(String(body.session_id)) ?? '') : '';
    return rewritten(await next(request), {
      text(event) {
        const text = String(valueAt(chunkOf(event), 'choices.0.delta.content') ?? '');
        before += text;
        const session = /"session_id":"([^"]*)"/.exec(event)?.[1];
        if (session !== undefined) said.set(session, before);
        if (!first || text === '') return `${event}\n\n`;
        first = false;
        return `${event.replace(JSON.stringify(text), () => JSON.stringify(before))}\n\n`;
      },
    });
  };
};

/** An answer gets the stream that asked for it, from its beginning. */
const startsOver: Serve = (next) => {
  const streams = new Map<string, string>();
  return async (request) => {
    if (!isChat(request)) return next(request);
    const body = await bodyOf(request);
    const response = await next(request);
    if (!isStream(response)) return response;
    const { status, headers } = response;
    const text = await response.text();
    const session = /"session_id":"([^"]*)"/.exec(text)?.[1] ?? '';
    const before = answers(body) ? streams.get(String(body.session_id)) : undefined;
    if (before === undefined) streams.set(session, text);
    return new Response(before ?? text, { status, headers });
  };
};

const WRONG: readonly (Deployment & { readonly caughtBy: readonly string[] })[] = [
  {
    name: 'says again what was streamed before the answer',
    obeys: 1,
    asks: 'as prompted',
    wrong: [repeats],
    caughtBy: ['chat/tool-call-pauses-and-continues'],
  },
  {
    name: 'starts the stream over after an answer',
    obeys: 1,
    wrong: [startsOver],
    caughtBy: ['chat/tool-call-pauses-and-continues'],
  },
];

test.each(WRONG)(
  'a deployment that $name is caught without a control interface',
  async ({ caughtBy, ...deployment }) => {
    const { driver, host } = closing(await deploy(deployment, 'wrong'));
    const checks = allChecks.filter(({ id }) => caughtBy.includes(id));
    const results = await run({ driver, host, checks, seed: 'wrong', rate: 0 });
    expect(results.checks.map(({ id, verdict }) => `${verdict} ${id}`).sort()).toEqual(
      caughtBy.map((id) => `fail ${id}`).sort(),
    );
  },
);

const signs = (request: Request) => about(request).operation === 'sign';

/** Whatever an OAuth token is granted, it signs. */
const signsForAnyGrant: Serve =
  (next, { keys }) =>
  async (request) => {
    const response = await next(request);
    if (!signs(request) || response.status !== 403 || keys.api.includes(tokenOf(request) ?? '')) return response;
    return Response.json({ 'x-svc-invoke-signature': 'AA==', 'x-svc-invoke-timestamp': '1', 'x-svc-invoke-user': 'u' });
  };

/** A nonce is the second in which it is given. */
const noncesOfASecond: Serve =
  (next, { host }) =>
  async (request) =>
    rewritten(await next(request), {
      json(json) {
        if (signs(request) && typeof json === 'object' && json !== null && 'x-svc-invoke-nonce' in json)
          json['x-svc-invoke-nonce'] = `n${Math.floor(host.now() / 1_000)}`;
      },
    });

// A live run takes one sample of each property: what is at stake here no sample may miss.
describe.each([
  ['signs whatever the grant is', signsForAnyGrant, 'AUTH-8/signing-is-personal'],
  ['gives a nonce for each second', noncesOfASecond, 'sign/nonces-never-repeat'],
])('a deployment that %s', (name, serve, caughtBy) => {
  test.each(['one', 'two', 'three', 'four', 'five'])('is caught with seed %s', async (seed) => {
    const { driver, host } = closing(await deploy({ name, obeys: 1, wrong: [serve] }, seed));
    const results = await run({ driver, host, only: [caughtBy], seed, rate: 0 });
    expect(results.checks.find(({ id }) => id === caughtBy)?.verdict).toBe('fail');
  });
});
