import fc from 'fast-check';
import { Skipped } from '../model/skip.js';
import type { Answer } from '../probe/client.js';
import { isRecord } from '../probe/json.js';
import type { Ctx } from '../run/context.js';
import { isGood, type Row } from './cover.js';
import { goodOf, nameOf, rowOf, rowsOf, tablesOf } from './draw.js';
import { ask, requestOf } from './send.js';
import { pages } from './sequences.js';
import { unanswered } from './unanswered.js';
import type { State, Table } from './value.js';

/** The interns of a walk, each with a retry of its create. The run knows everything else about them. */
interface Walk {
  readonly made: { readonly id: string; readonly again: () => Promise<Answer | undefined> }[];
}
type Step = fc.AsyncCommand<Walk, Ctx>;

/** Ends the walk if an answer has broken a rule. */
function throwBreach(ctx: Ctx): void {
  const finding = ctx.breach();
  if (finding !== undefined) throw finding;
}

/** The choice of the intern for a request, and of the look at it afterwards. */
interface Choice {
  readonly which: number;
  /** The intern should be in a state in which the request is accepted. */
  readonly fits: boolean;
  /** The step waits for its boot or teardown, and reads it. */
  readonly looks: boolean;
  /** No other step runs at the same time. */
  readonly alone: boolean;
}
const choice: fc.Arbitrary<Omit<Choice, 'alone'>> = fc.record({
  which: fc.nat({ max: 3 }),
  fits: fc.constantFrom(true, true, false),
  looks: fc.boolean(),
});

/** Phases of the states that tables name. */
const PHASES: Partial<Record<State, readonly string[]>> = {
  stopped: ['new', 'off'],
  suspended: ['off'],
  running: ['up'],
  booting: ['booting'],
};

/** Waits until boot and teardown of an intern have ended. */
async function settled(ctx: Ctx, id: string): Promise<void> {
  // After a concurrent delete and provision, a read shows which took effect.
  const seen = ctx.known(id).phases;
  const read = seen.has('booting') && seen.has('gone') ? await ctx.api.get(id).catch(unanswered) : undefined;
  if (read?.status === 404) return;
  const { phases } = ctx.known(id);
  // An intern that waits for its first boot may be shown as booting.
  if (phases.has('booting') && !phases.has('new')) await ctx.interns.until(id, ['running', 'failed', 'stopped']);
  if (phases.has('going')) await ctx.interns.untilGone(id);
}

/**
 * The intern of a walk for a choice. With `fits`, it is in a state in which the request is accepted, if any is. A stopped one is
 * booted for that.
 */
async function chosen({ made }: Walk, ctx: Ctx, { states }: Table, { which, fits, alone }: Choice): Promise<string> {
  const among = (wanted: readonly State[]) => {
    const phases = wanted.flatMap((state) => PHASES[state] ?? []);
    return made.filter(({ id }) => phases.some((phase) => ctx.known(id).phases.has(phase)));
  };
  const fit = fits ? among(states?.good ?? []) : [];
  const resting = fits && fit.length === 0 && states?.good.includes('running') ? among(['stopped', 'booting']) : [];
  const those = [fit, resting, made].find(({ length }) => length > 0) ?? made;
  const id = those[which % those.length]?.id ?? '';
  if (those !== resting || !alone) return id;
  if (!ctx.known(id).phases.has('booting')) await ctx.api.provision(id).catch(unanswered);
  await settled(ctx, id);
  return id;
}

/** Most interns that a walk makes. */
const MOST = 4;

/** The request of a row, to an intern of the walk if its path names one. */
const asks = (row: Row, how: Choice): Step => {
  const { table } = row;
  const names = table.states !== undefined;
  const creates = table.operation === 'create' && isGood(row);
  return {
    check: ({ made }) => (names ? made.length > 0 : !creates || made.length < MOST),
    async run(walk, ctx) {
      const id = names ? await chosen(walk, ctx, table, how) : '';
      const send = requestOf(row, { ctx, id, ...(names ? { known: ctx.known(id) } : {}) });
      const answer = await ask(ctx, row, id, send).catch((error: unknown) => {
        // The walk goes on without prompts once there are no more.
        if (table.prompts !== true || !isGood(row) || !(error instanceof Skipped)) throw error;
      });
      const given = creates && isRecord(answer?.json) && answer.status < 300 ? String(answer.json.id) : undefined;
      if (given !== undefined) walk.made.push({ id: given, again: () => ctx.send(send).catch(unanswered) });
      throwBreach(ctx);
      const about = given ?? id;
      if (!how.looks || !how.alone || about === '') return;
      if (table.method !== 'GET') await settled(ctx, about);
      await ctx.api.get(about).catch(unanswered);
      throwBreach(ctx);
    },
    toString: () => nameOf(row, how.which),
  };
};

/** A retried create. */
const repeats = (which: number): Step => ({
  check: ({ made }) => made.length > 0,
  async run({ made }, ctx) {
    await made[which % made.length]?.again();
    throwBreach(ctx);
  },
  toString: () => `create again(${which})`,
});

/** Two concurrent steps. They may take effect in either order. */
const both = (one: Step, other: Step): Step => ({
  check: (walk) => one.check(walk) && other.check(walk),
  async run(walk, ctx) {
    const ended = await Promise.allSettled([one.run(walk, ctx), other.run(walk, ctx)]);
    for (const end of ended) if (end.status === 'rejected') throw end.reason;
  },
  toString: () => `at once(${one}, ${other})`,
});

/** Every page of a list, and the whole list. */
const lists: Step = {
  check: () => true,
  async run(_, ctx) {
    for (const query of ['limit=3', 'limit=500', 'limit=500&status=running', 'limit=500&status=stopped'])
      await pages(ctx, query);
    throwBreach(ctx);
  },
  toString: () => 'lists()',
};

/** Waits until boots and teardowns have ended. */
const waits: Step = {
  check: () => true,
  async run({ made }, ctx) {
    for (const { id } of made) await settled(ctx, id);
    throwBreach(ctx);
  },
  toString: () => 'wait()',
};

/** Any sequence of requests; the first is a create, so that the others have something to work on. */
function steps(ctx: Ctx, most: number): fc.Arbitrary<Step[]> {
  const tables = tablesOf((need) => ctx.has(need));
  const creates = tables.filter(({ operation }) => operation === 'create');
  const which = fc.nat({ max: 3 });
  const asked = (row: fc.Arbitrary<Row>, alone = true) =>
    fc.tuple(row, choice).map(([one, how]) => asks(one, { ...how, alone }));
  const one = (alone: boolean) =>
    fc.oneof(
      ...rowsOf(tables).map(({ weight, arbitrary }) => ({ weight, arbitrary: asked(arbitrary, alone) })),
      { weight: 2, arbitrary: which.map(repeats) },
      { weight: 1, arbitrary: fc.constant(lists) },
    );
  const any = fc.oneof(
    { weight: 32, arbitrary: one(true) },
    { weight: 6, arbitrary: fc.tuple(one(false), one(false)).map(([first, second]) => both(first, second)) },
    { weight: 4, arbitrary: fc.constant(waits) },
  );
  return fc
    .tuple(
      fc.oneof(...creates.map((table) => asked(rowOf(goodOf(table))))),
      fc.noBias(fc.array(any, { maxLength: most, size: 'max' })),
    )
    .map(([create, more]) => [create, ...more]);
}

/** Sends random sequences of requests. Every rule judges each answer. The sequence of the first breach is shrunk. */
export async function walk(ctx: Ctx): Promise<void> {
  await ctx.property('steps', steps(ctx, ctx.upTo(60, 16)), async (sequence: Step[]) => {
    // Interns of the walk before would be in each list.
    if (ctx.has('disposable')) await ctx.reset();
    // Drops a breach from before this walk.
    ctx.breach();
    const before = ctx.broken();
    const go = () => fc.asyncModelRun(() => ({ model: { made: [] }, real: ctx }), sequence);
    await go();
    // The walk is repeated with new interns after a breach that waits for the end of the run.
    if (ctx.broken() > before) await go();
  });
}
