import assert from 'node:assert/strict';
import { expect, test } from 'vitest';
import { systemHost } from '../probe/time.js';
import { explore } from './explore.js';
import { clientOf, hear, wholly } from './testing.harness.js';
import type { ExploreOptions, ExploreReport, Program, ProgramContext } from './types.js';

const right: Program = async (context) => {
  const client = clientOf(context);
  const { text } = await wholly(await client.chat('hello'));
  if (text === '') throw new Error('nothing was said');
};

const asks: Program = async (context) => {
  const client = clientOf(context);
  const asked = await wholly(await client.chat('script: ask-permission'));
  if (asked.finish !== 'tool_calls') throw new Error('nothing was asked');
  const { text } = await wholly(await client.answer(asked, 'allow_once'));
  if (!text.includes('Allowed')) throw new Error('it was not allowed');
};

const lawsIn = ({ findings }: ExploreReport) => findings.map(({ law, kind }) => `${law} ${kind}`);

test('a right program survives what is harmless, reports what is final, and breaks no law', async () => {
  const report = await explore(asks);
  expect(lawsIn(report)).toEqual([]);
  expect(report.counts.breach).toBe(0);
  expect(report.counts.notReached).toBe(0);
  expect(report.straight.leftOut).toEqual([]);
  expect(
    report.schedules.filter(({ class: its }) => its === 'harmless').every(({ verdict }) => verdict === 'survived'),
  ).toBe(true);
  expect(report.schedules[0]?.moment).toMatchObject({ operation: 'chat', nth: 1 });
});

test('equal seed and program give an equal report, but for the timing', async () => {
  const options = { only: ['cut', 'lost', 'comments'], pairs: true, maxRuns: 25 };
  const [one, other] = [await explore(asks, options), await explore(asks, options)];
  const { timing: _, ...first } = one;
  const { timing: __, ...second } = other;
  expect(second).toEqual(first);
  expect(one.schedules.some(({ kind }) => kind.includes(' + '))).toBe(true);
});

test('what a program leaves because it is given up is not its own doing', async () => {
  const waits: Program = async (context) => void (await wholly(await clientOf(context, true).chat('hello')));
  const [finding] = (await explore(waits, { only: 'stall', patience: 300 })).findings;
  expect(finding).toMatchObject({ law: 'settles', kind: 'stall' });
  expect(finding?.timeLine.filter(({ kind }) => kind === 'end').map(({ text }) => text)).toEqual([
    'still open at the end',
  ]);
});

test('failures that name other statuses are not one', async () => {
  const says: Program = async (context) => {
    const response = await clientOf(context).chat('hello');
    if (!response.ok) throw new Error(`it was answered ${response.status}`);
    await wholly(response);
  };
  const { surfaced } = await explore(says, { only: ['busy', 'unavailable'] });
  expect(surfaced.map(({ message, kinds }) => `${message}: ${kinds}`).sort()).toEqual([
    'it was answered 409: busy',
    'it was answered 503: unavailable',
  ]);
});

/** Programs that look wrong and are not. */
const RIGHT: [string, ExploreOptions, Program][] = [
  [
    'holds its thread up for longer than anybody waits',
    { only: 'unknown-headers', patience: 150 },
    async (context) => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
      await wholly(await clientOf(context).chat('hello'));
    },
  ],
  [
    'waits as long as it was asked to, which is longer than anybody waits',
    { only: 'rate-limited', patience: 300 },
    async (context) => {
      const client = clientOf(context);
      const first = await client.chat('hello');
      if (first.status === 429) await new Promise((resolve) => setTimeout(resolve, 1_000));
      await wholly(first.status === 429 ? await client.chat('hello') : first);
    },
  ],
  [
    'waits on the clock of the emulator',
    { only: 'rate-limited' },
    async (context) => {
      const client = clientOf(context);
      const first = await client.chat('hello');
      if (first.status === 429) await context.emulator.clock.advance(1_000);
      await wholly(first.status === 429 ? await client.chat('hello') : first);
    },
  ],
  [
    'reads a reply that reports no usage, which its test alone knows to be wrong',
    { only: 'no-usage' },
    async (context) => {
      const reply = await (await clientOf(context).chat('hello')).text();
      assert.match(reply, /"total_tokens":/);
    },
  ],
  [
    'suspends an intern that somebody has suspended',
    { only: ['suspended', 'lost'], failOn: 'unnoticed' },
    async (context) => {
      const client = clientOf(context);
      await client.send('POST', `/interns/${client.id}/suspend`).catch(() => {});
      context.print('it sleeps');
    },
  ],
  [
    'talks to the shared intern where it can have none of its own',
    { only: ['unavailable', 'refused'], failOn: 'unnoticed' },
    async (context) => {
      const client = clientOf(context);
      const own = { name: 'own', workspace_id: context.target.workspace_id };
      const made = await client.send('POST', '/interns', own).catch(() => undefined);
      if (!made?.ok) context.print((await wholly(await client.chat('hello'))).text);
      else {
        const gone = await client.send('DELETE', `/interns/${((await made.json()) as { id: string }).id}`);
        if (!gone.ok) throw new Error('it is left');
        context.print('hello');
      }
    },
  ],
  [
    'looks once for each of three jobs, of which one is refused',
    { only: ['rate-limited', 'token-dead'] },
    async (context) => {
      const client = clientOf(context);
      const look = async () => (await client.send('GET', `/interns/${client.id}`)).status;
      const jobs = await Promise.all([look(), look(), look()]);
      if (jobs.some((status) => status !== 200)) throw new Error(`a job was refused: ${jobs}`);
    },
  ],
  [
    'runs three tests one after the other, each of which learns that its key is refused',
    { only: 'token-dead' },
    async (context) => {
      const client = clientOf(context);
      const seen: number[] = [];
      for (const text of ['one', 'two', 'three']) seen.push((await client.chat(text)).status);
      if (seen.some((status) => status !== 200)) throw new Error(`refused: ${seen}`);
    },
  ],
  [
    'has seen the finish reason and the whole text, and does not wait for what comes then',
    { only: ['cut', 'closed'], failOn: 'unnoticed' },
    async (context) => {
      const { finish, text } = await hear(await clientOf(context).chat('hello')).catch(() => ({
        finish: '',
        text: '',
      }));
      context.print(`${text} ${finish}`);
    },
  ],
  [
    'asks once more for what it lost, and reads that',
    { only: ['refused', 'reset'], failOn: 'unnoticed' },
    async (context) => {
      const client = clientOf(context);
      context.print((await wholly(await client.chat('hello').catch(() => client.chat('hello')))).text);
    },
  ],
  [
    'makes another intern beside one that it could not delete',
    { only: ['refused', 'reset', 'unavailable'] },
    async (context) => {
      const client = clientOf(context);
      const problems: unknown[] = [];
      const workspace = { workspace_id: context.target.workspace_id };
      for (const name of ['one', 'two']) {
        const made = await client.send(
          'POST',
          '/interns',
          { name: `explored-${name}`, ...workspace },
          { 'idempotency-key': name },
        );
        const { id } = (await made.json()) as { id: string };
        const gone = await client.send('DELETE', `/interns/${id}`).catch((error: unknown) => problems.push(error));
        if (gone instanceof Response && !gone.ok) problems.push(gone.status);
        if (gone instanceof Response && gone.status === 401) break;
        const { status } = (await (await client.send('GET', `/interns/${id}`)).json()) as { status?: string };
        if (status === 'destroy_failed') problems.push(status);
      }
      if (problems.length > 0) throw new Error(`${problems.length} interns may be left`);
    },
  ],
];

test.each(RIGHT)('a program that %s is not blamed', async (_, options, program) => {
  const report = await explore(program, options);
  expect(report.findings.map(({ law, kind, message }) => `${law} ${kind} ${message}`)).toEqual([]);
});

test('a finding has a sentence, the smallest schedule, a time line, and is found again by its schedule', async () => {
  const program: Program = async (context) => {
    const client = clientOf(context);
    await wholly(await client.chat('hello')).catch(async () => wholly(await client.chat('hello')));
  };
  const report = await explore(program, { only: 'cut' });
  const [finding] = report.findings;
  expect(finding).toMatchObject({
    law: 'once',
    operation: 'chat',
    kind: 'cut',
    count: 5,
    sentence:
      'at the 1st prompt, the stream was cut after its first event: the prompt "hello" took effect twice, once in the undisturbed run',
    schedule: { name: 'cut @ chat 1 first', faults: [{ operation: 'chat', nth: 1, disturb: 'cut', write: 'first' }] },
  });
  expect(finding?.timeLine.map(({ kind }) => kind)).toContain('disturbance');
  const again = await explore(program, { schedule: finding?.schedule ?? { name: '', faults: [] } });
  expect(lawsIn(again)).toEqual(['once cut']);
  expect(again.counts.run).toBe(1);
});

test('one defect is one finding, with all that bring it about', async () => {
  const again: Program = async (context) => {
    const client = clientOf(context);
    const turn = async () => wholly(await client.chat(`hello`));
    await turn().catch(turn);
  };
  const { findings } = await explore(again, { only: ['cut', 'lost', 'closed', 'severed'] });
  expect(findings).toHaveLength(1);
  const [{ request, disturbances, count }] = findings as [ExploreReport['findings'][number]];
  expect(request).toBe('chat');
  expect(disturbances.map(({ kind }) => kind).sort()).toEqual(['closed', 'cut', 'lost', 'severed']);
  expect(disturbances.flatMap(({ schedules }) => schedules)).toHaveLength(count);
});

test('who sends again whatever was refused has one finding, whichever rule of politeness it breaks', async () => {
  const again: Program = async (context) => {
    const client = clientOf(context);
    let response = await client.chat('hello');
    for (let n = 0; n < 3 && !response.ok; n++) response = await client.chat('hello');
    await wholly(response);
  };
  const { findings } = await explore(again, { only: ['rate-limited', 'token-dead'] });
  expect(findings.map(({ law, disturbances }) => [law, disturbances.map(({ kind }) => kind).sort()])).toEqual([
    ['polite', ['rate-limited', 'token-dead']],
  ]);
});

test('what was allowed twice is shown before the prompt that led to it', async () => {
  const turn: Program = async (context) => {
    const client = clientOf(context);
    await wholly(await client.answer(await wholly(await client.chat('script: ask-permission')), 'allow_once'));
  };
  const { findings } = await explore((context) => Promise.resolve(turn(context)).catch(() => turn(context)), {
    only: 'lost',
  });
  expect(findings.map(({ message }) => message)).toEqual([
    expect.stringMatching(/^"[^"]+" was approved twice, once in the undisturbed run$/),
  ]);
});

test('a program that sends the same for ever is impolite, whether it ends or not', async () => {
  const hammers: Program = async (context) => {
    const client = clientOf(context);
    let response = await client.chat('hello');
    while (response.status === 401 && !context.signal.aborted) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      response = await client.chat('hello');
    }
    await wholly(response);
  };
  expect(lawsIn(await explore(hammers, { only: 'token-dead' }))).toEqual(['polite token-dead']);
});

test('half a reply that nobody looks at is reported by default, and fails where that is asked for', async () => {
  const half: Program = async (context) => {
    await hear(await clientOf(context).chat('hello')).catch(() => undefined);
    context.print('done');
  };
  const report = await explore(half, { only: ['closed'] });
  expect(report.findings).toEqual([]);
  expect(report.counts).toMatchObject({ breach: 0, unnoticed: report.unnoticed[0]?.count });
  expect(report.unnoticed).toMatchObject([{ law: 'unnoticed', request: 'chat', kind: 'closed' }]);
  const moments = report.schedules.filter(({ verdict }) => verdict === 'unnoticed').map(({ moment }) => moment.write);
  expect(moments).toEqual(expect.arrayContaining(['first', 'before-finish']));
  expect(moments).not.toContain('before-final');
  expect((await explore(half, { only: ['closed'], failOn: 'unnoticed' })).findings).toHaveLength(1);
});

test('a change that was refused, and a boot that failed, are reported where nobody looks at them', async () => {
  const suspends: Program = async (context) => {
    const client = clientOf(context);
    await client.send('POST', `/interns/${client.id}/suspend`);
    context.print('it sleeps');
  };
  const refused = await explore(suspends, { only: ['unavailable', 'lost', 'suspended'] });
  expect(refused.unnoticed).toMatchObject([
    { request: 'suspend', kind: 'unavailable', message: 'it passed as if the suspend had been done' },
  ]);
  const boots: Program = async (context) => {
    const client = clientOf(context);
    const body = { name: 'booted', workspace_id: context.target.workspace_id, provision: true };
    const { id } = (await (await client.send('POST', '/interns', body)).json()) as { id: string };
    await context.emulator.clock.advance(10_000);
    await (await client.send('GET', `/interns/${id}`)).json();
    context.print('it is ready');
  };
  expect((await explore(boots, { only: 'boot-fails' })).unnoticed).toMatchObject([
    { request: 'create', message: 'it passed as if the intern had booted' },
  ]);
});

test('letters of a reply that a program loses by how the stream came are reported', async () => {
  const skips: Program = async (context) => {
    const { body } = await clientOf(context).chat('schöne Grüße');
    for await (const piece of body as ReadableStream<Uint8Array>) context.print(new TextDecoder().decode(piece));
  };
  expect((await explore(skips, { only: ['split', 'crlf', 'joined'] })).findings).toMatchObject([
    { law: 'harmless-passes', kind: 'split', message: expect.stringMatching(/without letters of it: .*[öüß]/) },
  ]);
});

test('a schedule holds all that its verdict rests on, and reads what the first format held', async () => {
  const laws = { 'speaks once': ({ requests }: { requests: readonly unknown[] }) => expect(requests).toHaveLength(1) };
  const twice: Program = async (context) => {
    const client = clientOf(context);
    const { status } = await client.chat('hello');
    if (status === 503) throw new Error('unavailable');
    if (status !== 200) await client.chat('hello at last');
  };
  const comment: Program = async (context) => {
    const said = await (await clientOf(context).chat('hello')).text();
    if (said.startsWith(':') || said.includes('\n:')) throw new Error('a comment');
  };
  const cases: [Program, ExploreOptions, string][] = [
    [comment, { only: 'comments' }, 'harmless-passes'],
    [twice, { only: 'unavailable', require: 'transient', seed: 'other', runTimeout: '20s' }, 'transient-passes'],
    [twice, { only: 'rate-limited', laws }, 'speaks once'],
  ];
  for (const [program, options, law] of cases) {
    const [found] = (await explore(program, options)).findings;
    expect(found?.law).toBe(law);
    const schedule = JSON.parse(JSON.stringify(found?.schedule));
    const again = await explore(program, { schedule, ...(options.laws ? { laws } : {}) });
    expect(again.findings).toMatchObject([{ law, sentence: found?.sentence, schedule }]);
    const { name, faults } = schedule;
    const first = await explore(program, { ...options, schedule: { name, faults } });
    expect(first.findings.map((one) => one.law)).toEqual([law]);
    if (options.laws) await expect(explore(program, { schedule })).rejects.toThrow(/^schedule: it rests on the law /);
  }
});

test('nothing of a run reaches another: each has an emulator of its own', async () => {
  const names: string[] = [];
  const makes: Program = async (context) => {
    const client = clientOf(context);
    const { data } = (await (await client.send('GET', '/interns')).json()) as { data: { name: string }[] };
    names.push(data.map(({ name }) => name).join());
    await client.send('POST', '/interns', { name: 'left-behind', workspace_id: context.target.workspace_id });
  };
  await explore(makes, { only: 'unknown-headers' });
  expect(names.length).toBeGreaterThan(3);
  expect(new Set(names).size).toBe(1);
});

test('laws of one’s own are judged, and must hold undisturbed', async () => {
  const laws = { 'asks once': ({ runs }: { runs: readonly unknown[] }) => expect(runs).toHaveLength(1) };
  const twice: Program = async (context) => {
    const client = clientOf(context);
    const { status } = await client.chat('one').then((response) => hear(response).then(() => response));
    if (status !== 200) await hear(await client.chat('two'));
  };
  expect(lawsIn(await explore(twice, { only: 'reset', laws }))).toEqual(['asks once reset']);
  await expect(explore(right, { laws: { never: () => expect(1).toBe(2) } })).rejects.toThrow(
    /^the undisturbed run breaks never/,
  );
});

test.each([
  [{ jobs: 0 }, 'jobs: expected a whole number from 1, found 0'],
  [{ maxTime: 'soon' }, 'maxTime: expected a duration such as "10s", found "soon"'],
  [{ shard: '3/2' }, 'shard: expected a part such as 1/4, found "3/2"'],
  [{ only: 'everything' }, /^only: expected a kind, a class or an operation, found "everything"/],
  [{ moments: 'some' }, 'moments: expected "default" or "all", found "some"'],
  [{ maxRun: 3 }, 'unknown option maxRun (did you mean maxRuns?)'],
  [{ schedule: {} }, 'schedule: expected {name, faults: [fault, …]}; found {}'],
  [{ seed: 5 }, 'seed: expected a string; found 5'],
  [5, 'options: expected an object; found 5'],
  [{ schedule: { name: 'none', faults: [] } }, 'schedule: expected a fault, found none'],
])('options %j are refused in one line', async (options, message) => {
  await expect(explore(right, options as ExploreOptions)).rejects.toThrow(message);
});

test('an undisturbed run that fails is said so, and a budget that ends is incomplete', async () => {
  const fails: Program = () => {
    throw new Error('not today');
  };
  await expect(explore(() => new Promise(() => {}), { patience: 50 })).rejects.toThrow(
    /^the undisturbed run did not end: it had sent no request, for 50 ms$/,
  );
  await expect(explore(fails)).rejects.toThrow('the undisturbed run failed: not today');
  const says: Program = ({ print }) => {
    print(`starting\n${'.\n'.repeat(40)}\u001b[31mtwo interns expected, one found\u001b[0m\n\n`);
    return fails({} as Parameters<Program>[0]);
  };
  await expect(explore(says)).rejects.toThrow(
    /^the undisturbed run failed: not today\. Its output ends:\n(\.\n){29}two interns expected, one found$/,
  );
  const { incomplete, counts } = await explore(right, { maxRuns: 3 });
  expect(incomplete).toEqual(['max-runs']);
  expect(counts.run).toBe(3);
});

/** Never settles, and says where it got to. */
const never = (reached: () => void) =>
  new Promise<never>(() => {
    reached();
  });
const begun = (at: number): { readonly program: Program; readonly stop: AbortController } => {
  const stop = new AbortController();
  let runs = 0;
  const program: Program = async (context) => {
    if (runs++ === at) await never(() => stop.abort());
    await wholly(await clientOf(context).chat('hello'));
  };
  return { program, stop };
};

test.each([
  ['the first undisturbed run', 0],
  ['the second', 1],
  ['a schedule', 6],
])('what is ended in %s is reported at once as incomplete, whatever is under way', async (_, at) => {
  const { program, stop } = begun(at);
  // Of one that stalls nothing comes before its end.
  const { incomplete, counts, text } = await explore(program, { only: 'transient', signal: stop.signal, jobs: 1 });
  expect(incomplete).toEqual(['interrupted']);
  expect(counts.run).toBe(Math.max(0, at - 3));
  expect(text).toContain('not all was tried: it was interrupted');
});

test('a law that never settles does not hold an end up', async () => {
  const stop = new AbortController();
  const { incomplete } = await explore(right, {
    signal: stop.signal,
    laws: { stuck: () => never(() => stop.abort()) },
  });
  expect(incomplete).toEqual(['interrupted']);
});

test('the limits of a run and of all are those of the undisturbed runs, too', async () => {
  const stuck: Program = () => new Promise(() => {});
  await expect(explore(stuck, { runTimeout: 300 })).rejects.toThrow(
    /^the undisturbed run did not end: it had sent no request, until the limit of a run, 300 ms$/,
  );
  expect(await explore(stuck, { maxTime: 300 })).toMatchObject({ incomplete: ['max-time'], counts: { schedules: 0 } });
});

test('where more than a tenth is not reached, it is incomplete', async () => {
  let runs = 0;
  // Past the undisturbed runs it says nothing any more.
  const quits: Program = async (context) => {
    if (runs++ < 3) await right(context);
    else await clientOf(context).send('GET', '/interns');
  };
  const { incomplete, counts, text } = await explore(quits, { only: 'harmless' });
  expect(counts.notReached).toBe(counts.run);
  expect(incomplete).toEqual(['not-reached']);
  expect(text).toContain('more than a tenth of the schedules were not reached');
});

test('shards together are the whole', async () => {
  const ids = async (shard?: string) =>
    (await explore(right, { only: ['cut', 'lost'], ...(shard === undefined ? {} : { shard }) })).schedules.map(
      ({ id }) => id,
    );
  const parts = [...(await ids('1/2')), ...(await ids('2/2'))];
  expect(parts.sort()).toEqual((await ids()).sort());
});

test('a suite with a space for each of its tests meets a disturbance in one of them at a time', async () => {
  const statuses: string[] = [];
  const program: Program = async ({ target, fetch }) => {
    const lists: number[] = [];
    for (const name of ['one', 'two']) {
      const space = await fetch(`${target.control_url}/spaces`, { method: 'POST', body: JSON.stringify({ name }) });
      const { base_url, credentials } = (await space.json()) as typeof target;
      const headers = { authorization: `Bearer ${credentials.api_key}` };
      lists.push((await fetch(`${base_url}/interns`, { headers })).status);
    }
    statuses.push(lists.join());
    if (lists.some((status) => status !== 200)) throw new Error('refused');
  };
  const { counts } = await explore(program, { only: 'busy,rate-limited'.split(','), jobs: 1 });
  expect(counts).toMatchObject({ run: statuses.length - 3, surfaced: statuses.length - 3 });
  expect([...new Set(statuses)].sort()).toEqual(['200,200', '200,429', '429,200']);
});

/** Its runs from one on are served by the run that began before them, if there is one. */
const sharing = (from: number): Program => {
  let runs = 0;
  let server: ProgramContext | undefined;
  return async (own) => {
    if (runs++ >= from) server ??= own;
    const context = server ?? own;
    try {
      await clientOf(context).send('GET', '/interns');
      await systemHost.sleep(20);
    } finally {
      if (context === own) server = undefined;
    }
  };
};

test('runs that are served by each other go one by one, or are no whole exploration', async () => {
  const noticed = await explore(sharing(0), { only: 'harmless' });
  expect(noticed.warnings).toEqual([
    expect.stringMatching(/^two undisturbed runs at once .* sent less than it does alone.* went one by one/),
  ]);
  expect(noticed).toMatchObject({ incomplete: [], counts: { notReached: 0, breach: 0 } });
  const late = await explore(sharing(3), { only: 'harmless' });
  expect(late.incomplete).toContain('crossed');
  expect(late.text).toContain('give each run a port and files of its own, or try --jobs 1');
});

test('what is printed is shown line by line, in whatever pieces it came, and much of it in part', async () => {
  const prints =
    (...pieces: string[]): Program =>
    async (context) => {
      await right(context);
      for (const piece of pieces) context.print(piece);
    };
  const shown = async (program: Program) =>
    (await explore(program, { only: 'unknown-headers' })).straight.timeLine.flatMap(({ kind, text }) =>
      kind === 'print' ? [text] : [],
    );
  expect(await shown(prints('on', 'e\n\ntw', 'o'))).toEqual(['one', 'two']);
  const many = await shown(prints(Array.from({ length: 30 }, (_, at) => `${at}\n`).join('')));
  expect([many.length, many[0], many[10], many.at(-1)]).toEqual([21, '0', '… 10 lines more', '29']);
});
