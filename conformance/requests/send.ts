import { LATE } from '../model/options.js';
import { Skipped } from '../model/skip.js';
import type { Answer } from '../probe/client.js';
import { isRecord } from '../probe/json.js';
import type { Send } from '../probe/request.js';
import type { Ctx } from '../run/context.js';
import { cover, isGood, type Row } from './cover.js';
import { firstRows } from './first.js';
import { TABLES } from './rows.js';
import { manySecrets, type RowSequence, sendLists, sequences } from './sequences.js';
import { createStock, type Stock } from './stock.js';
import { unanswered } from './unanswered.js';
import type { Ground, State, Table } from './value.js';

/** The circumstances for sending rows. */
export interface RowsOptions {
  /** Whether the target meets the needs of a value. */
  has(need: string): boolean;
  /** The number of kinds of breaches so far. */
  broken(): number;
  /** Whether the run has reached a limit. */
  over(): boolean;
  /** Whether the run will not have enough requests for all rows and sequences. */
  readonly short?: boolean | undefined;
}

/** The request of a row. */
export function requestOf({ table, values }: Row, ground: Ground): Send {
  const parts = values.map((value) => value.make(ground));
  const headers = Object.assign({}, ...parts.map((part) => part.headers ?? {}));
  const base: Send = { method: table.method, path: table.path(ground.id) };
  return Object.assign({}, base, ...parts, Object.keys(headers).length === 0 ? {} : { headers });
}

/** Sends the request of a row, and reads its answer to the end. Returns undefined for a stream. */
export async function ask(ctx: Ctx, row: Row, id: string, send: Send): Promise<Answer | undefined> {
  if (row.table.operation !== 'chat' || !isGood(row)) return ctx.send(send).catch(unanswered);
  const { json = {}, method: _, path: __, ...options } = send;
  const { messages, stream, session_id, approval_mode, ...extra } = json as Record<string, unknown>;
  await ctx
    .chat(
      id,
      {
        ...(Array.isArray(messages) ? { messages } : {}),
        ...(typeof session_id === 'string' ? { session_id } : {}),
        ...(typeof approval_mode === 'string' ? { approval_mode } : {}),
        ...(stream === true ? { extra } : { extra: { ...extra, stream } }),
      },
      options,
    )
    .then((reply) => reply.end())
    .catch(unanswered);
  return undefined;
}

/** Sends the request of a row to an intern in the row's state. */
async function sent(
  ctx: Ctx,
  stock: Stock,
  row: Row,
  { before, sparing }: { readonly before: Answer | undefined | null; readonly sparing: boolean },
): Promise<{ answer: Answer | undefined; id: string; as: Send['as'] } | undefined> {
  const { table, state } = row;
  const again = before !== null;
  const missed = before?.status === 404;
  const isRefused = !isGood(row) || (before?.status ?? 0) >= 400;
  const refused = !sparing && table.uses === true && isRefused && state !== 'unknown' && state !== 'gone';
  // Reads may lag behind writes and creates. A boot or a teardown ends soon, so the wait is short.
  const passes = state === 'booting' || state === 'going';
  const waits = async () => ctx.wait(passes ? 2_000 : missed ? LATE : refused ? 11_000 : 2_000);
  if (again && passes) await waits();
  const id =
    state === undefined
      ? ''
      : await stock.intern(state).catch((error: unknown) => {
          // Without interns in this state, rows of other states go on.
          if (!stock.isLost(state)) throw error;
        });
  if (id === undefined) return undefined;
  if (again && !passes) await waits();
  // A read before the call shows whether a refused call has an effect.
  if (refused) await stock.readBefore(id);
  if (table.method !== 'GET') stock.writes(id);
  const send = requestOf(row, { ctx, id });
  return { answer: await ask(ctx, row, id, send), id, as: send.as };
}

/** A record with more characters is shortened. Otherwise it would bloat every list. */
const LONG = 50_000;

/** Sends a row, and reads the intern that it may have changed. Does both again if a rule broke. */
async function done(
  ctx: Ctx,
  stock: Stock,
  row: Row,
  { broken }: RowsOptions,
  { sparing = false } = {},
): Promise<void> {
  let last: Answer | undefined | null = null;
  for (let tries = 0; tries < 2; tries++) {
    const before = broken();
    const one = await sent(ctx, stock, row, { before: last, sparing });
    if (one === undefined) return;
    const { answer, id, as } = one;
    last = answer;
    const accepted = answer !== undefined && answer.status < 300;
    const { table, state } = row;
    const there = state !== undefined && state !== 'unknown' && state !== 'gone';
    const writes = (table.method !== 'GET' || (accepted && row.badState)) && there;
    const signs = table.operation.startsWith('sign');
    const isTurn = table.prompts === true || signs;
    // The sparing pass does not look for effects of refused calls. A later read shows those of a refused update.
    const isUndone = !sparing && (table.uses === true || (table.operation === 'update' && stock.refuses(state)));
    // A personal operation may answer 404 for an intern that exists: a read shows whether it does.
    const isMissing =
      (signs || table.operation.startsWith('daemon')) && there && as === 'api_key' && answer?.status === 404;
    if (isMissing || (writes && !isTurn && (accepted || isUndone))) {
      if (tries > 0 && state !== 'going') await ctx.wait(2_000);
      if (await stock.read(id)) stock.usedUp(state);
    }
    const shown = accepted && table.method !== 'GET' && isRecord(answer.json) ? answer.json.id : undefined;
    if (typeof shown === 'string' && (answer?.text.length ?? 0) > LONG)
      await ctx.api.update(shown, { instructions: 'Short.' }).catch(unanswered);
    if ((accepted && table.uses === true) || (accepted && !isGood(row))) stock.usedUp(state);
    if (broken() === before) return;
    // The next attempt looks for the breach on a fresh intern.
    stock.usedUp(state);
  }
}

/** Interleaves the rows of all tables, so that a limit cuts the tail of each. */
const inTurn = (tables: readonly (readonly Row[])[]): readonly Row[] =>
  tables
    .flatMap((rows) => rows.map((row, at) => ({ row, share: at / rows.length })))
    .toSorted((one, other) => one.share - other.share)
    .map(({ row }) => row);

/** Tables without the values whose needs the target lacks. */
export const usableOf = (tables: readonly Table[], has: RowsOptions['has']): readonly Table[] =>
  tables.map((table) => ({
    ...table,
    parts: table.parts.map((part) => part.filter(({ needs = [] }) => needs.every(has))),
  }));

/** The tables that can be used, and the rows of each. */
function plansOf(ctx: Ctx, { has }: RowsOptions) {
  const usable = usableOf(TABLES, has);
  return { usable, plans: usable.map((table) => cover(table, () => ctx.random(), has('control'))) };
}

/** Whether a row is a turn, which a limiter may refuse for a while. */
const isTurn = ({ table: { operation } }: Row): boolean => /^(chat|invoke|sign)/.test(operation);

/** Whether a right target accepts a row as a prompt. */
const prompting = (row: Row): boolean => row.table.prompts === true && isGood(row);

/** Most rows of the second pass, which are sent while turns wait. */
const SECOND = 4;

/** Sends each operation once, and each mistake that several operations share once. */
export async function sendFirst(ctx: Ctx, options: RowsOptions): Promise<void> {
  const stock = createStock(ctx, options.has);
  const rows = firstRows(plansOf(ctx, options).plans.map(([rows = []]) => rows));
  // It boots while other rows are sent.
  stock.intern('running').catch(() => {});
  const resting = rows.filter(({ state }) => state !== 'running');
  for (const row of [...resting, ...rows.filter(({ state }) => state === 'running')]) {
    if (options.over()) return;
    await done(ctx, stock, row, options, { sparing: true }).catch((error: unknown) => {
      if (!prompting(row) || !(error instanceof Skipped)) throw error;
    });
  }
}

/**
 * Sends the rows of every table, and the sequences. The rules judge the answers. While limited turns wait, other rows are sent
 * with other interns: first each value once, then random rows.
 */
export async function sendRows(ctx: Ctx, options: RowsOptions): Promise<void> {
  const { usable, plans } = plansOf(ctx, options);
  let spent = false;
  const lost = new Map<State, unknown>();
  const send = async (stock: Stock, row: Row) => {
    if (spent && prompting(row)) return;
    try {
      await done(ctx, stock, row, options, { sparing: options.short });
    } catch (error) {
      // Without prompts left, rows that cost none go on.
      if (row.table.prompts !== true || !(error instanceof Skipped)) throw error;
      spent = true;
    }
  };
  const rows = inTurn(plans.map(([first = []]) => first));
  // Sequences come before rows, as they show the most. In a short run only those come first that are looked at later: single
  // requests find more for each that is sent. A sequence that runs out of prompts ends early.
  const parts = sequences(ctx, options).map(({ send, ...part }) => ({
    ...part,
    send: () =>
      send().catch((error: unknown) => {
        if (!(error instanceof Skipped) || error.skip.kind !== 'stopped') throw error;
      }),
  }));
  const partsAt = (at?: RowSequence['place']) => parts.filter(({ place }) => place === at);
  const strand = async (isOf: (turn: boolean) => boolean) => {
    const stock = createStock(ctx, options.has, lost);
    const own = rows.map((row) => ({ turn: isTurn(row), send: () => send(stock, row) }));
    const early = options.short ? partsAt('first') : parts.filter(({ place }) => place !== 'last');
    const late = options.short ? partsAt() : [];
    const failed: unknown[] = [];
    // Sequences are sent even if a row ends the rows, as where no intern comes to run.
    for (const some of [[...early, ...own], late])
      try {
        for (const { turn, send } of some) if (isOf(turn) && !options.over()) await send();
      } catch (error) {
        failed.push(error);
      }
    if (failed.length > 0) throw failed[0];
  };
  let turnsWait = true;
  const second = async () => {
    const stock = createStock(ctx, options.has, lost);
    const drawn = plans
      .flatMap(([, rows = []]) => rows)
      .filter((row) => !isTurn(row) || !isGood(row))
      .map((row) => ({ row, at: ctx.random() }))
      .toSorted((one, other) => one.at - other.at);
    for (const { row } of drawn.slice(0, SECOND)) if (turnsWait && !options.over()) await send(stock, row);
  };
  // An emulator limits no turns, and all its rows share one clock.
  const strands = options.has('control')
    ? [strand(() => true)]
    : [
        strand((turn) => turn).finally(() => {
          turnsWait = false;
        }),
        strand((turn) => !turn).then(second),
      ];
  const ended = await Promise.allSettled(strands);
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
  // One list shows all interns. Otherwise the clean-up would have to read each.
  if (options.over()) await ctx.send({ path: '/interns' }).catch(unanswered);
  // Lists show the outcome of all rows, so they come last.
  for (const { send } of partsAt('last')) if (!options.over()) await send();
  const stock = createStock(ctx, options.has, lost);
  for (const rows of plans.filter((_, at) => usable[at]?.operation === 'list'))
    for (const row of rows.slice(0, 2).flat().filter(isGood)) if (!options.over()) await done(ctx, stock, row, options);
  if (!options.over()) await sendLists(ctx);
  // So many requests for one list come after all others.
  if (!options.over()) await manySecrets(ctx);
}
