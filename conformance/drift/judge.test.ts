import { describe, expect, test } from 'vitest';
import { about, driftFrom, JSON_TYPE, json, type Line, verdicts } from './deployment.harness.js';

/** The intern of the run, as the deployment shows it: under the first name that the run gives. */
const record = (more: object = {}) => ({
  id: 'one',
  name: 'ktest-1',
  status: 'running',
  hostname: null,
  progress: null,
  ...more,
});
const recorded = (more: object = {}) => ({ ...record({ name: 'one', ...more }), id: '$intern.1' });
/** A read of the intern that the recording created. */
const read = (more: object = {}, answer: Line = {}) =>
  about('get', 'GET', '/$intern.1', { body: recorded(more), ...answer });
const create = about(
  'create',
  'POST',
  '',
  { status: 201, body: recorded() },
  { name: 'one', workspace_id: '$workspace.1' },
);

/** Answers to all but reads of the intern. */
function others({ method, url }: Request): Response | undefined {
  const isCollection = new URL(url).pathname.endsWith('/interns');
  if (method === 'POST' && isCollection) return json(201, record());
  if (method === 'DELETE') return json(202, { deleting: true });
  return isCollection ? json(200, { data: [], has_more: false }) : undefined;
}

/** The outcome of reads of the created intern at a deployment that answers them in turn, the last answer from then on. */
async function outcomeOf(reads: readonly Line[], ...answers: readonly Response[]) {
  let count = 0;
  const { results } = await driftFrom([create, ...reads], (request) => {
    const other = others(request);
    if (other) return other;
    return answers[Math.min(count++, answers.length - 1)]?.clone() ?? json(500, {});
  });
  const rows = results.checks.slice(1);
  const sum = (of: 'requests' | 'duration') => rows.reduce((all, row) => all + row[of], 0);
  return { verdicts: verdicts(results).slice(1), reads: sum('requests'), waited: sum('duration') };
}

const gone = { status: 404, body: { error: { code: 404, message: 'Intern not found' } } };

describe('a boot takes the time that it takes', () => {
  test.each(['queued', 'provisioning', 'running', 'failed'])('a recorded queued is met by %s', async (status) => {
    const found = await outcomeOf([read({ status: 'queued' })], json(200, record({ status })));
    expect(found).toMatchObject({ verdicts: ['pass'], reads: 1 });
  });

  test('a recorded provisioning is not met by another lifecycle', async () => {
    const found = await outcomeOf([read({ status: 'provisioning' })], json(200, record({ status: 'destroying' })));
    expect(found.verdicts).toEqual(['fail: body.status: provisioning → destroying']);
  });

  test('a recorded running is waited for', async () => {
    const queued = json(200, record({ status: 'queued' }));
    const found = await outcomeOf([read()], queued, queued, json(200, record()));
    expect(found).toMatchObject({ verdicts: ['pass'], reads: 3 });
  });

  test('a teardown that is over already is met by 404, and one that goes on is waited for', async () => {
    const destroying = json(200, record({ status: 'destroying' }));
    const both = [read({ status: 'destroying' }), read({}, gone)];
    expect(await outcomeOf(both, json(404, gone.body))).toMatchObject({ verdicts: ['pass', 'pass'], reads: 2 });
    const slow = await outcomeOf([read({}, gone)], destroying, destroying, json(404, gone.body));
    expect(slow).toMatchObject({ verdicts: ['pass'], reads: 3 });
  });
});

describe('what is read again', () => {
  test.each<[string, Line, Response]>([
    ['a refusal', read(), json(403, { error: { code: 403 } })],
    ['a 404 for what was there', read(), json(404, gone.body)],
    ['what was not there', read({}, gone), json(200, record())],
    ['a type', read(), json(200, record({ status: 'queued', name: 7 }))],
    ['a value that time does not mend', read({ object: 'a' }), json(200, record({ object: 'b', status: 'queued' }))],
  ])('is not %s', async (_what, line, answer) => {
    const found = await outcomeOf([line], answer);
    expect(found).toMatchObject({ verdicts: [expect.stringMatching(/^fail/)], reads: 1, waited: 0 });
  });

  test('is a status, less and less often, for as long as a boot may take; the last difference is reported', async () => {
    const [queued, stopped] = ['queued', 'stopped'].map((status) => json(200, record({ status })));
    const found = await outcomeOf([read()], queued as Response, stopped as Response);
    expect(found.verdicts).toEqual(['fail: body.status: running → stopped']);
    expect(found.reads).toBeLessThan(40);
    expect(found.waited).toBeGreaterThanOrEqual(120_000);
  });

  test('is a list that misses a member', async () => {
    const list = about('list', 'GET', '', { body: { data: [recorded()], has_more: false } });
    let lists = 0;
    const { results } = await driftFrom([create, list], (request) => {
      if (request.method === 'GET' && request.url.endsWith('/interns')) {
        return json(200, { data: ++lists < 3 ? [] : [record()], has_more: false });
      }
      return others(request) ?? json(200, record());
    });
    expect(verdicts(results)).toEqual(['pass', 'pass']);
  });
});

describe('headers', () => {
  const all = { 'cache-control': 'no-store', 'retry-after': '5', allow: 'GET', deprecation: 'true', link: '<a>' };

  test('all but cache-control count on a refusal', async () => {
    const refused = { ...gone, headers: { ...JSON_TYPE, ...all } };
    const [verdict] = (await outcomeOf([read({}, refused)], json(404, gone.body))).verdicts;
    for (const name of ['retry-after', 'allow', 'deprecation', 'link']) expect(verdict).toContain(`header ${name}`);
    expect(verdict).not.toContain('cache-control');
  });

  test('cache-control counts on a success', async () => {
    const line = read({}, { headers: { ...JSON_TYPE, 'cache-control': 'no-store' } });
    const { verdicts: found } = await outcomeOf([line], json(200, record()));
    expect(found).toEqual(['fail: header cache-control: no-store → none']);
  });
});

describe('streams of a deployment', () => {
  const chunk = (delta: object, finish: string | null = null) =>
    `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const last = `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [], session_id: 's-1', usage: null })}\n\ndata: [DONE]\n\n`;
  const stream = (text: string) => new Response(text, { headers: { 'content-type': 'text/event-stream' } });
  const turn = (finish: string) => chunk({ role: 'assistant' }) + chunk({ content: 'Hi' }) + chunk({}, finish) + last;
  const prompt = { stream: true, messages: [{ role: 'user', content: 'Hi' }] };
  const chat = (text: string, more: Line = {}) =>
    about(
      'chat',
      'POST',
      '/$intern.1/chat/completions',
      { headers: { 'content-type': 'text/event-stream' }, writes: [{ at: 0, text }], ...more },
      prompt,
    );
  const outcome = async (text: string, live: string, more: Line = {}) => {
    const { results } = await driftFrom([create, chat(text, more)], (request) => {
      if (request.url.endsWith('/completions')) return stream(live);
      return others(request) ?? json(200, record());
    });
    return verdicts(results)[1];
  };

  test('a turn that ends as none may is a finding, not the intern’s doing', async () => {
    expect(await outcome(turn('stop'), turn('length'))).toMatch(
      /^fail: events of the stream: .*finish stop.* → .*finish length/,
    );
    expect(await outcome(chunk({ role: 'assistant' }), turn('content_filter'), { ended: 'client' })).toMatch(
      /^fail: events of the stream/,
    );
  });

  test('one that ends differently is the intern’s doing', async () => {
    expect(await outcome(turn('stop'), turn('tool_calls'))).toMatch(/^skip: the intern did not do as recorded/);
  });

  test.each([
    ['choices that are no list', '{"choices":{}}'],
    ['a choice that is null', '{"choices":[null]}'],
    ['calls that are no list', '{"choices":[{"delta":{"tool_calls":{"a":1}}}]}'],
    ['a call that is null', '{"choices":[{"delta":{"tool_calls":[null]}}]}'],
    ['an end that no text can be made of', '{"choices":[{"delta":{},"finish_reason":{"toString":1}}]}'],
    ['an error that is a text', '{"error":"no","choices":[]}'],
    ['many levels', '['.repeat(20_000) + ']'.repeat(20_000)],
  ])('%s is a finding, not a fault of the kit', async (_what, data) => {
    expect(await outcome(turn('stop'), `data: ${data}\n\n${turn('stop')}`)).toMatch(/^fail: events of the stream/);
  });
});

test('what no field of the interface holds is not compared', async () => {
  const reads = [read({ build: '$value.1' }), read({ build: '$value.2' }), read({ build: '$value.1' })];
  const builds = ['a1', 'a1', 'b2'].map((build) => json(200, record({ build })));
  expect((await outcomeOf(reads, ...builds)).verdicts).toEqual(['pass', 'pass', 'pass']);
});

test('an answer 20,000 levels deep is a finding, not a fault of the kit', async () => {
  const deep = `{"id":"one","name":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
  const { verdicts: found } = await outcomeOf([read()], new Response(deep, { headers: JSON_TYPE }));
  expect(found).toEqual([expect.stringMatching(/^fail: GET .*\/interns\/one: an HTTP answer → too deep/)]);
});

test('what a deployment answers is sent back as it is, whatever characters it is of', async () => {
  const odd = 'a"b\\\nc\ud800/../';
  const invoke = (session: string) =>
    about(
      'invoke',
      'POST',
      '/$intern.1/invoke',
      { status: 202, body: { session_id: session, status: 'started' } },
      { input: 'go', session_id: session },
    );
  const first = { ...invoke('$session.1'), request: { ...invoke('').request, body: { input: 'go' } } };
  const got: unknown[] = [];
  const { results } = await driftFrom([create, first, invoke('$session.1')], async (request) => {
    if (!request.url.endsWith('/invoke')) return others(request) ?? json(200, record());
    got.push(((await request.json()) as { session_id?: string }).session_id);
    return json(202, { session_id: odd, status: 'started' });
  });
  expect(verdicts(results)).toEqual(['pass', 'pass', 'pass']);
  expect(got).toEqual([undefined, odd]);
});

test('an answer that breaks off is a finding', async () => {
  const cut = new ReadableStream({
    start(controller) {
      controller.enqueue(Buffer.from('{"id":'));
    },
    pull: (controller) => controller.error(new TypeError('terminated')),
  });
  const { verdicts: found } = await outcomeOf([read()], new Response(cut, { headers: JSON_TYPE }));
  expect(found).toEqual([expect.stringMatching(/^fail: GET .*\/interns\/one: an HTTP answer → /)]);
});

test('an answer that is recorded as refused 401 is asked for with a made-up credential, whichever was recorded', async () => {
  const refused = { status: 401, body: { error: { code: 401, message: 'Invalid or missing API key' } } };
  const { results } = await driftFrom([about('list', 'GET', '', refused)], (request) => {
    const isMadeUp = request.headers.get('authorization') === 'Bearer made-up-0000000000000000';
    return isMadeUp ? json(401, refused.body) : json(200, { data: [], has_more: false });
  });
  expect(verdicts(results)).toEqual(['pass']);
});

test('a name that nobody has here is no drift', async () => {
  const taken = {
    status: 409,
    body: { error: { code: 409, message: '', metadata: { reason: 'name_conflict', retryable: false } } },
  };
  const again = about('create', 'POST', '', taken, { name: 'somebody', workspace_id: '$workspace.1' });
  const mine = record({ name: 'somebody' });
  const { results } = await driftFrom([again], (request) =>
    request.method === 'POST' ? json(201, mine) : (others(request) ?? json(200, mine)),
  );
  expect(verdicts(results)).toEqual(['skip: nobody has an intern of that name at the target']);
});
