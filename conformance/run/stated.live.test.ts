import { expect, test } from 'vitest';
import { rewritten } from '../../emulator/wire/answer.js';
import { DONE, frameOf } from '../../emulator/wire/chunks.js';
import { about, withRequest } from '../../emulator/wire/request.js';
import type { Serve } from '../../emulator/wire/serve.js';
import { closing } from '../../test/closing.js';
import { deploy } from '../../test/targets/deployment.js';
import { BUFFERING } from '../../test/targets/deployments.js';
import { bodyOf, eachRecord } from '../habits/habit.js';
import { REPORTERS } from '../report/index.js';
import { run } from '../run.js';
import { checks as allChecks } from '../scenarios/index.js';
import type { Results } from './results.js';

/** At a deployment that is not published: there, what the published API shows warns. */
async function at(serve: Serve, name: string, options: Partial<Parameters<typeof run>[0]> = {}): Promise<Results> {
  const { driver, host } = closing(await deploy({ name, obeys: 1, wrong: [serve] }, 'stated'));
  return await run({ driver, host, checks: allChecks, seed: 'stated', rate: 0, ...options });
}

const only = (id: string) => ({ checks: allChecks.filter((check) => check.id === id) });
const failed = ({ checks }: Results) => checks.filter(({ verdict }) => verdict === 'fail');

/** A prompt to a session with a run going starts a second run, in a session of its own. */
const startsAnother: Serve = (next) => async (request) => {
  if (about(request).operation !== 'chat') return next(request);
  const answer = await next(request.clone());
  if (answer.status !== 202) return answer;
  const said = { object: 'chat.completion.chunk', id: 'c', created: 1, model: 'm' };
  const delta = { role: 'assistant', content: 'Hello.' };
  const events = [
    frameOf({ ...said, choices: [{ index: 0, delta, finish_reason: 'stop' }] }),
    frameOf({ ...said, choices: [], session_id: 'other', usage: null }),
    DONE,
  ];
  return new Response(events.join(''), { headers: { 'content-type': 'text/event-stream' } });
};

test('a second run instead of a steered one fails as the stated sentence, though a published check sees it', async () => {
  const id = 'chat-lock/silent-run';
  const results = await at(startsAnother, 'starts another run', only(id));
  expect(results).toMatchObject({ verdict: 'fail', exit: 1 });
  const [row] = failed(results);
  expect(row).toMatchObject({ id, level: 'P', finding: { level: 'S' } });
  expect(results.requirements.find((one) => one.id === 'CHAT-14')?.verdict).toBe('fail');
  expect(REPORTERS.tty(results)).toContain('A prompt to a session with a run going is delivered into that run');
});

/** Streams end without [DONE]. */
const neverDone: Serve = (next) => async (request) =>
  rewritten(await next(request), { text: (event) => (event === 'data: [DONE]' ? '' : `${event}\n\n`) });

test.each(['quick', 'default'] as const)('streams without [DONE] fail a run of the %s budget', async (budget) => {
  const results = await at(neverDone, 'never says that it is done', { budget });
  expect(results.exit).toBe(1);
  expect(results.requirements.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id)).toContain('CHAT-1');
});

/** Another answer where `wrong` says so. */
const otherwise =
  (
    wrong: (request: Request, status: number) => number | undefined,
    change = (_: Record<string, unknown>) => {},
  ): Serve =>
  (next) =>
  async (request) => {
    const answer = await next(request.clone());
    const status = wrong(request, answer.status);
    if (status === undefined) return answer;
    const json = (await answer.json()) as Record<string, unknown>;
    const { error } = json as { error?: { code: number } };
    if (error !== undefined) error.code = status;
    change(json);
    return new Response(JSON.stringify(json), { status, headers: answer.headers });
  };

/** Requests get something that they are without. */
const overlooks =
  (wrong: (request: Request, text: string) => Parameters<typeof withRequest>[1] | undefined): Serve =>
  (next) =>
  async (request) =>
    next(withRequest(request, wrong(request, await request.clone().text()) ?? {}));

test.each<[string, Serve]>([
  [
    'errors without a message',
    otherwise(
      (_, status) => (status >= 400 ? status : undefined),
      ({ error }) => delete (error as { message?: string }).message,
    ),
  ],
  ['403 in the place of 401', otherwise((_, status) => (status === 401 ? 403 : undefined))],
  [
    'an invoke that is answered 200',
    otherwise((request, status) => (about(request).operation === 'invoke' && status === 202 ? 200 : undefined)),
  ],
  [
    'a proof without metadata of its errors',
    otherwise(
      (request, status) =>
        about(request).operation === 'sign' && status >= 400 && status !== 401 ? status : undefined,
      ({ error }) => delete (error as { metadata?: unknown }).metadata,
    ),
  ],
  [
    'fields that provision and suspend overlook',
    overlooks(({ url }) => (/\/(provision|suspend)$/.test(url) ? { body: undefined } : undefined)),
  ],
  [
    'a media type that is overlooked',
    overlooks((_, text) => (text === '' ? undefined : { headers: { 'content-type': 'application/json' } })),
  ],
  ['a second run in the place of a steered one', startsAnother],
  ['values of secrets in lists', (next, setting) => showsValues(next, setting)],
])('a quick run at five requests a second fails at %s', async (name, serve) => {
  const results = await at(serve, name, { budget: 'quick', rate: 5 });
  expect(failed(results)).not.toEqual([]);
  expect(results.exit).toBe(1);
});

test('a quick run at five requests a second finds nothing at a right deployment, and says how much it looked at', async () => {
  const results = await at((next) => next, 'is right', { budget: 'quick', rate: 5 });
  expect(results.checks.flatMap(({ finding, error }) => finding?.of ?? error?.message ?? [])).toEqual([]);
  expect(REPORTERS.tty(results)).toMatch(/nothing wrong found, \d+ % looked at/);
  // A request for emulators alone never comes up at a deployment.
  expect(REPORTERS.tty(results)).not.toMatch(/never came up: .*EMU-/);
  expect(REPORTERS.html(results)).not.toMatch(/so never [^<]*EMU-/);
  expect(REPORTERS.html(results)).toMatch(/so never [^<]*CHAT-17/);
});

/** Answers that show a secret show its value too. */
const showsValues: Serve = (next) => {
  const values = new Map<string, unknown>();
  return async (request) => {
    const { pathname } = new URL(request.url);
    const body = request.method === 'PUT' ? await bodyOf(request) : {};
    if ('value' in body) values.set(pathname.split('/').at(-1) ?? '', body.value);
    const shown = (secret: { name?: string; value?: unknown }) => {
      if (typeof secret.name === 'string' && values.has(secret.name)) secret.value = values.get(secret.name);
    };
    return rewritten(await next(request), {
      json(json) {
        const { data } = json as { data?: object | object[] };
        if (pathname.includes('/vault/')) for (const secret of [data ?? []].flat()) shown(secret);
      },
    });
  };
};

test('the value of a secret in an answer fails, whichever check stored it, and the report hides it and nothing else', async () => {
  const named = await at(showsValues, 'shows values', only('vault/value-in-no-answer'));
  expect(failed(named).map(({ id }) => id)).toEqual(['vault/value-in-no-answer']);
  const text = REPORTERS.tty(named);
  expect(text).toContain('nothing of the value of a secret');
  expect(JSON.stringify(named)).toMatch(/\\"value\\":\\"[^"]*\[redacted\]/);
  const others = allChecks.filter(({ id }) => ['vault/replaced', 'VAULT-2/value-in-no-answer'].includes(id));
  const met = await at(showsValues, 'shows values', { checks: others });
  expect(failed(met).map((row) => row.id)).toEqual(['VAULT-2/value-in-no-answer']);
  expect(REPORTERS.tty(met)).toContain('the value of a secret in an answer of a store');
});

test('no sentence of the checks of the vault is hidden with what they store', async () => {
  const { checks } = await at((next) => next, 'is right', {
    checks: allChecks.filter(({ id }) => id.startsWith('vault/')),
  });
  expect(JSON.stringify(checks.map(({ transcript: _, ...row }: Record<string, unknown>) => row))).not.toMatch(
    /[a-z] \[redacted\]/,
  );
});

/** The key of the caller in a header of every answer. */
const echoesKeys: Serve = (next) => async (request) => {
  const answer = await next(request);
  const headers = new Headers(answer.headers);
  headers.set('x-debug', `from ${request.headers.get('authorization')?.slice(7)}`);
  return new Response(answer.body, { status: answer.status, headers });
};

test('a credential in an answer fails, in a quick run too', async () => {
  const results = await at(echoesKeys, 'echoes keys', { budget: 'quick' });
  expect(results.exit).toBe(1);
  expect(failed(results).map(({ id }) => id)).toEqual(['GET-1/no-known-credential']);
  expect(REPORTERS.tty(results)).toContain('a credential in an answer of');
});

test('streams that are held back are reported once, as what they break, whichever check meets them first', async () => {
  const ids = ['chat-endings/delete-while-streaming', 'chat-endings/suspend-while-streaming', 'chat-lock/silent-run'];
  const checks = allChecks.filter(({ id }) => ids.includes(id));
  const { driver, host } = closing(await deploy({ ...BUFFERING, obeys: 1 }, 'stated'));
  const results = await run({ driver, host, checks, seed: 'stated', rate: 0 });
  expect(results.requirements.filter(({ verdict }) => verdict === 'fail').map(({ id }) => id)).toEqual(['CHAT-11']);
  expect(failed(results)).toHaveLength(1);
  expect(results.checks.filter(({ skip }) => skip?.kind === 'blocked')).toHaveLength(2);
});

/** Ids of interns have a colon, which is encoded in a path. */
const idsWithColons: Serve = (next) => async (request) =>
  rewritten(await next(withRequest(request, { url: request.url.replace('/int%3A', '/') })), {
    json: (json) =>
      eachRecord(json, (record) => {
        record.id = `int:${String(record.id)}`;
      }),
  });

test('an intern whose id is encoded in a path takes prompts', async () => {
  const { checks } = await at(idsWithColons, 'has ids with colons', only('chat-stream/as-it-is-said'));
  expect(checks.map(({ verdict }) => verdict)).toEqual(['pass']);
});
