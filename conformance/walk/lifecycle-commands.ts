import fc from 'fast-check';
import { equal, fail, gist, ok } from '../framework/assert.js';
import type { Ctx } from '../framework/context.js';
import * as expect from '../framework/expect.js';
import { type Command, on, type Real, which } from './command.js';
import { exists, type Life, stops } from './lives.js';

const note = fc.constantFrom('a', 'b', 'é', 'two words');
/** The note, where the target takes it. */
const noted = ({ plain }: Ctx, text: string): string => (plain() && !/^[a-z ]+$/.test(text) ? 'plain' : text);

/** The record agrees with the model. */
function agrees(record: Record<string, unknown>, intern: Life, what: string, lists = false): void {
  equal(record.id, intern.id, `id of ${what}`);
  for (const key of ['name', 'description', 'instructions', 'model'] as const) {
    // What a list shows of an intern may be less than the record.
    if (lists && !(key in record)) continue;
    equal(record[key] ?? null, intern.settings[key], `${key} of ${what}`);
  }
}

/** Published statuses by phase. What waits for its first provision may be queued for it. */
const STATUS = {
  stopped: ['stopped', 'queued'],
  booting: ['queued', 'provisioning', 'running'],
  running: ['running'],
} as const;

async function read(intern: Life, { ctx, published }: Real): Promise<void> {
  const answer = await ctx.api.get(intern.id);
  if (intern.phase === 'gone') return expect.status(answer, 404, 'the read of an intern that is gone');
  if (intern.phase === 'deleting') return expect.status(answer, [200, 404], 'the read of an intern that is torn down');
  const record = expect.intern(answer, 200, 'the read of an intern that exists');
  agrees({ ...record }, intern, 'the intern read');
  if ('vault_id' in record) equal(record.vault_id, intern.vaultId, 'vault_id of the intern read');
  if (published) {
    const allowed: readonly string[] = STATUS[intern.phase];
    ok(allowed.includes(record.status), 'status of the intern read', allowed.join(' or '), record.status);
  }
}

/** Waits for the boot that a create or provision began, or leaves it to the `wait` command. */
async function boots(intern: Life, real: Real): Promise<void> {
  if (real.inTime) return;
  await real.ctx.interns.until(intern.id, ['running']);
  intern.phase = 'running';
}

export const create = fc.record({ provision: fc.boolean(), description: fc.option(note, { nil: undefined }) }).map(
  ({ provision, description: text }): Command => ({
    check: (model) => model.interns.length < 4,
    async run(model, real) {
      const { ctx } = real;
      const description = text === undefined ? undefined : noted(ctx, text);
      const body = ctx.interns.body({
        ...(provision ? { provision } : {}),
        ...(description === undefined ? {} : { description }),
      });
      const key = `model-${body.name}`;
      const answer = await ctx.api.create(body, { headers: { 'idempotency-key': key } });
      const record = expect.intern(answer, real.published ? 201 : expect.CREATED, 'a valid create');
      ok(
        !model.interns.some((known) => known.id === record.id),
        'id of a new intern',
        'one that no other has',
        record.id,
      );
      const intern: Life = {
        id: record.id,
        settings: {
          name: body.name,
          description: description ?? null,
          instructions: null,
          model: record.model ?? null,
        },
        phase: provision ? 'booting' : 'stopped',
        created: { key, body },
        vaultId: record.vault_id,
        sessions: [],
        waiting: [],
      };
      agrees({ ...record }, intern, 'the intern created');
      model.interns.push(intern);
      if (provision) await boots(intern, real);
      else await ctx.interns.settled(record);
    },
    toString: () =>
      `create(${provision ? 'provision' : 'later'}${text === undefined ? '' : `, ${JSON.stringify(text)}`})`,
  }),
);

export const retry = which.map((at) =>
  on(`retry(${at})`, at, exists, async (intern, { ctx }, model) => {
    const answer = await ctx.api.create(intern.created.body, { headers: { 'idempotency-key': intern.created.key } });
    const breaks = { requirement: 'CREATE-4', level: 'S' } as const;
    if (answer.status >= 400) expect.answered(answer, 'success', 'a create sent again with its key', { breaks });
    const record = expect.intern(answer, expect.CREATED, 'a create that is sent again');
    const nth = model.interns.indexOf(intern) + 1;
    if (record.id !== intern.id)
      fail(`id of create ${nth} sent again`, 'the id that it was answered first', gist('another', record.id), {
        breaks,
      });
  }),
);

export const get = which.map((at) => on(`get(${at})`, at, () => true, read));

export const list = fc.constant<Command>({
  check: () => true,
  async run(model, { ctx }) {
    const seen = new Map<string, Record<string, unknown>>();
    let query: Record<string, string | number> = {};
    for (let pages = 0; pages < 50; pages++) {
      const { data, next_cursor } = expect.page(await ctx.api.list(query), 'the list');
      for (const record of data) {
        ok(!seen.has(record.id), 'the list', 'every intern once', record.id);
        seen.set(record.id, { ...record });
      }
      if (typeof next_cursor !== 'string') break;
      query = { starting_after: next_cursor };
    }
    for (const intern of model.interns) {
      const record = seen.get(intern.id);
      if (intern.phase === 'gone') ok(record === undefined, 'the list', 'no intern that is gone', record?.id);
      if (!exists(intern)) continue;
      if (record === undefined) fail('the list', `every visible intern, ${intern.id} too`, [...seen.keys()]);
      agrees(record, intern, 'the intern listed', true);
    }
    // Newest first: the reverse order of their creation.
    const made = model.interns.map(({ id }) => ({ id, created_at: String(seen.get(id)?.created_at ?? id) })).reverse();
    const order = [...seen.keys()].filter((id) => made.some((one) => one.id === id));
    const listed = made.filter(({ id }) => order.includes(id));
    ctx.newestFirst(order, listed, 'order of the list, newest first');
  },
  toString: () => 'list()',
});

export const update = fc
  .record({ at: which, key: fc.constantFrom('description', 'instructions', 'name'), text: note })
  .map(({ at, key, text }) =>
    on(`update(${at}, ${key})`, at, exists, async (intern, { ctx }) => {
      const value = key === 'name' ? ctx.interns.name() : noted(ctx, text);
      const answer = await ctx.api.update(intern.id, { [key]: value });
      const record = expect.intern(answer, expect.ACCEPTED, `an update of ${key}`);
      intern.settings[key as 'name'] = value;
      agrees({ ...record }, intern, 'the intern updated');
    }),
  );

export const provision = which.map((at) =>
  on(
    `provision(${at})`,
    at,
    (intern) => intern.phase === 'stopped' || intern.phase === 'running' || intern.phase === 'gone',
    async (intern, real) => {
      const answer = await real.ctx.api.provision(intern.id);
      if (intern.phase === 'gone') return expect.status(answer, 404, 'provision of an intern that is gone');
      if (intern.phase === 'running') {
        if (real.published) {
          expect.error(
            answer,
            { status: 409, reason: 'intern_busy', retryable: false },
            'provision of a running intern',
          );
        }
        return;
      }
      expect.status(answer, expect.ACCEPTED, 'provision of a stopped intern');
      intern.phase = 'booting';
      await boots(intern, real);
    },
  ),
);

export const suspend = which.map((at) =>
  on(
    `suspend(${at})`,
    at,
    (intern) => intern.phase === 'stopped' || intern.phase === 'running' || intern.phase === 'gone',
    async (intern, real) => {
      const answer = await real.ctx.api.suspend(intern.id);
      if (intern.phase === 'gone') return expect.status(answer, 404, 'suspend of an intern that is gone');
      if (intern.phase === 'stopped') {
        if (real.published) {
          expect.error(answer, { status: 409, reason: 'intern_busy', retryable: false }, 'suspend of a stopped intern');
        }
        return;
      }
      expect.status(answer, expect.ACCEPTED, 'suspend of a running intern');
      await real.ctx.interns.untilSuspended(intern.id);
      intern.phase = 'stopped';
      const ended = intern.waiting;
      stops(intern);
      for (const index of ended) {
        const asked = real.asked[index];
        if (asked === undefined) continue;
        const reply = await (await real.ctx.answer(intern.id, asked, 'allow_once')).whole();
        expect.refused(reply, 'an answer to a run that suspend ended');
      }
    },
  ),
);

export const remove = which.map((at) =>
  on(
    `delete(${at})`,
    at,
    (intern) => intern.phase !== 'deleting',
    async (intern, real) => {
      const answer = await real.ctx.api.remove(intern.id);
      if (intern.phase === 'gone') return expect.status(answer, 404, 'delete of an intern that is gone');
      expect.status(answer, expect.ACCEPTED, 'delete of an intern');
      intern.phase = 'deleting';
      stops(intern);
      if (real.inTime) return;
      await real.ctx.interns.untilGone(intern.id);
      intern.phase = 'gone';
    },
  ),
);

/** Lets boots and teardowns come to their end. */
export const wait = fc.constant<Command>({
  check: (model) => model.interns.some((intern) => intern.phase === 'booting' || intern.phase === 'deleting'),
  async run(model, { ctx }) {
    for (const intern of model.interns) {
      if (intern.phase === 'booting') {
        await ctx.interns.until(intern.id, ['running']);
        intern.phase = 'running';
      } else if (intern.phase === 'deleting') {
        await ctx.interns.untilGone(intern.id);
        intern.phase = 'gone';
      }
    }
  },
  toString: () => 'wait()',
});
