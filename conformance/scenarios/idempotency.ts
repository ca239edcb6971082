import fc from 'fast-check';
import type { Intern } from '../../emulator/contract/intern.js';
import { equal, fail, gist, notEqual } from '../model/assert.js';
import type { Answer } from '../probe/client.js';
import { checksOf } from '../run/check.js';
import type { Ctx } from '../run/context.js';
import * as expect from '../run/expect.js';

const REUSED = { status: 409, reason: 'idempotency_key_reused', retryable: false } as const;
const BAD_KEY = { status: 400, reason: 'invalid_body', retryable: false } as const;
const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });

/** The number of creates that are sent at once. */
const racers = (ctx: Pick<Ctx, 'upTo'>) => fc.integer({ min: 2, max: ctx.upTo(8, 3) });

/** The number of interns with a name. */
async function countNamed(ctx: Pick<Ctx, 'listed'>, name: string, having: readonly string[] = []): Promise<number> {
  return (await ctx.listed('the list', { having })).filter((intern) => intern.name === name).length;
}

/** A retried create returns the original intern, with one of `statuses`. */
function replayed(
  answer: Answer,
  key: 'given' | 'derived',
  statuses: number | readonly number[] = expect.CREATED,
  first?: Intern,
): Intern {
  const what = `a repeated create, ${key === 'given' ? 'with its key' : 'without a key'}`;
  // The retry with a given key is stated. Its status and derived keys are published.
  const more = key === 'given' ? ({ breaks: { requirement: 'CREATE-4', level: 'S' } } as const) : {};
  if (answer.status >= 400) expect.answered(answer, 'success', what, more);
  if (answer.status < 300 && first !== undefined) {
    const { id } = expect.intern(answer, answer.status, what);
    if (id !== first.id) fail(`id of ${what}`, first.id, id, more);
  }
  return expect.intern(answer, statuses, what);
}

/** A peer's create with the caller's key or body makes another intern. */
function distinct(theirs: Intern, ours: Intern): void {
  if (theirs.id !== ours.id) return;
  const got = gist('the intern of the other caller', ours.id);
  fail("a peer's create that equals one of another caller", 'an intern of its own', got);
}
const OTHER_BODY = 'a create with a used key and another body';

export const IDEMPOTENCY = checksOf('CREATE-4', 'P', {
  'create/racing-equal-creates': {
    level: 'S',
    title: 'Equal creates with one key, sent at once, make one intern.',
    needs: ['write'],
    maxRuns: 10,
    async run(ctx) {
      const { api, interns, race, property, undisturbed } = ctx;
      await property('races', racers(ctx), fc.boolean(), async (n, provision) => {
        const body = interns.body(provision ? { provision } : {});
        const answers = await race(n, () => api.create(body, keyed(`race-${body.name}`)));
        for (const answer of answers) expect.status(answer, [...expect.CREATED, 409, 429, 503], 'a racing create');
        const made = answers.filter(({ status }) => status < 300);
        const ids = new Set(made.map((answer) => expect.intern(answer, expect.CREATED, 'a create').id));
        const overload = answers.find(({ status }) => status === 429 || status === 503)?.status;
        if (made.length === 0) undisturbed(overload === undefined, 'the target', 'one that takes creates', overload);
        equal(ids.size, 1, `interns answered to ${n} equal creates`);
        equal(await countNamed(ctx, body.name, [...ids]), 1, `interns made by ${n} equal creates`);
      });
    },
  },
  'create/replay-200': {
    title: 'A finished create replays with 200 and the first answer, also after the intern was changed.',
    needs: ['running'],
    async run({ api, interns }) {
      const body = interns.body({ description: 'as created' });
      const key = keyed(`replay-${body.name}`);
      const first = expect.intern(await api.create(body, key), expect.CREATED, 'the create');
      equal(replayed(await api.create(body, key), 'given', 200, first), first, 'the replayed answer');
      expect.status(
        await api.update(first.id, { description: 'changed', name: interns.name() }),
        expect.ACCEPTED,
        'an update',
      );
      await interns.settled(first);
      expect.done(await api.provision(first.id), 'a provision');
      await interns.until(first.id, ['running']);
      equal(replayed(await api.create(body, key), 'given', 200, first), first, 'the answer replayed later');
    },
  },
  'create/key-lengths': {
    title: 'An Idempotency-Key has up to 255 characters; one of 256 is 400 and makes nothing.',
    needs: ['write'],
    async run(ctx) {
      const { api, interns } = ctx;
      const longest = interns.name().padEnd(255, 'k');
      expect.status(await api.create(interns.body(), keyed(longest)), expect.CREATED, 'a key of 255 characters');
      const names: string[] = [];
      for (const key of [`${longest}k`, longest.repeat(2)]) {
        const body = interns.body();
        names.push(body.name);
        expect.error(await api.create(body, keyed(key)), BAD_KEY, `a key of ${key.length} characters`);
      }
      const made = (await ctx.listed('the list')).filter(({ name }) => names.includes(name));
      equal(made.length, 0, 'interns made with keys that are too long');
    },
  },
  'create/derived-key': {
    title: 'Without the header an equal create replays, and one that differs is a create of its own.',
    needs: ['write'],
    async run(ctx) {
      const { api, interns } = ctx;
      const body = interns.body({ description: 'derived' });
      const first = expect.intern(await api.create(body), expect.CREATED, 'the create');
      equal(replayed(await api.create(body), 'derived', 200), first, 'the replayed answer');
      const other = await api.create({ ...body, description: 'another' });
      expect.error(other, { status: 409, reason: 'name_conflict', retryable: false }, 'a create that differs');
      equal(await countNamed(ctx, body.name, [first.id]), 1, 'interns of the name');
    },
  },
  'create/key-per-caller': {
    title: 'A key is scoped to its caller: the same key of a peer is another, with and without the header.',
    needs: ['write', 'peer_api_key'],
    async run({ api, interns }) {
      const body = interns.body();
      const key = keyed(`shared-${body.name}`);
      const ours = expect.intern(await api.create(body, key), expect.CREATED, 'the create');
      const peer = { as: 'peer_api_key' } as const;
      const theirs = expect.intern(
        await api.create(body, { ...key, ...peer }),
        expect.CREATED,
        "a peer's equal create",
      );
      distinct(theirs, ours);
      replayed(await api.create(body, { ...key, ...peer }), 'given');
      expect.status(await api.create(interns.body(), { ...key, ...peer }), 409, OTHER_BODY);
      const derived = interns.body();
      const one = expect.intern(await api.create(derived), expect.CREATED, 'a create without key');
      const two = expect.intern(await api.create(derived, peer), expect.CREATED, "a peer's equal create without key");
      distinct(two, one);
    },
  },
  'create/keys-and-deleted-interns': {
    level: 'C',
    title: 'A derived key is forgotten with its intern; a given one is not, and replays the first answer.',
    needs: ['control', 'clock', 'write'],
    async run({ api, interns, clock }) {
      const body = interns.body();
      const first = expect.intern(await api.create(body), expect.CREATED, 'a create without key');
      expect.status(await api.remove(first.id), 202, 'the delete');
      await interns.untilGone(first.id);
      const second = expect.intern(await api.create(body), expect.CREATED, 'an equal create after the teardown');
      notEqual(second.id, first.id, 'id of the new intern');

      const named = interns.body();
      const key = keyed(`kept-${named.name}`);
      const kept = expect.intern(await api.create(named, key), expect.CREATED, 'a create with a key');
      expect.status(await api.remove(kept.id), 202, 'the delete');
      await interns.untilGone(kept.id);
      await clock.advance(25 * 3_600_000);
      equal(expect.intern(await api.create(named, key), 200, 'a retry a day later'), kept, 'the replayed answer');
      expect.error(await api.create(interns.body(), key), REUSED, 'the key with another body');
    },
  },
});
