import type { Ctx } from '../framework/context.js';
import { Skipped } from '../framework/skip.js';
import { LATE } from '../model/options.js';
import type { Answer } from '../probe/client.js';
import { isRecord } from '../probe/json.js';
import type { Send } from '../probe/request.js';
import { cover, isGood, type Row } from './cover.js';
import { firstRows } from './first.js';
import { createShelf, type Shelf } from './ground.js';
import { type Ground, type State, TABLES, type Table } from './rows.js';
import { sendLists, sequences } from './sequences.js';
import { unanswered } from './unanswered.js';

/** The values that rows are sent with. */
export interface RowsOptions {
  /** Whether the target meets the needs of a value. */
  has(need: string): boolean;
  /** Kinds of breaches so far. */
  broken(): number;
  /** Whether the limits of the run leave room for no more. */
  over(): boolean;
}

/** The request that a row makes. */
export function requestOf({ table, values }: Row, ground: Ground): Send {
  const parts = values.map((value) => value.make(ground));
  const headers = Object.assign({}, ...parts.map((part) => part.headers ?? {}));
  const base: Send = { method: table.method, path: table.path(ground.id) };
  return Object.assign({}, base, ...parts, Object.keys(headers).length === 0 ? {} : { headers });
}

/** Sends the request of a row, and reads its answer to the end. No answer comes back where it streamed. */
export async function ask(row: Row, { ctx, id }: Ground, send: Send): Promise<Answer | undefined> {
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

/** Sends a request of a row to an intern of the state that it asks for. */
async function sent(
  ctx: Ctx,
  shelf: Shelf,
  row: Row,
  { before, sparing }: { readonly before: Answer | undefined | null; readonly sparing: boolean },
): Promise<{ answer: Answer | undefined; id: string } | undefined> {
  const { table, state } = row;
  const again = before !== null;
  const missed = before?.status === 404;
  const isRefused = !isGood(row) || (before?.status ?? 0) >= 400;
  const refused = !sparing && table.uses === true && isRefused && state !== 'unknown' && state !== 'gone';
  // A write may be read late, and a new intern is found late. One that boots or goes does not wait.
  const passes = state === 'booting' || state === 'going';
  const waits = async () => ctx.wait(passes ? 2_000 : missed ? LATE : refused ? 11_000 : 2_000);
  if (again && passes) await waits();
  const id =
    state === undefined
      ? ''
      : await shelf.intern(state).catch((error: unknown) => {
          // Rows of other states go on.
          if (!shelf.isLost(state)) throw error;
        });
  if (id === undefined) return undefined;
  if (again && !passes) await waits();
  // The state before the call shows whether a refused call has acted.
  if (refused) await shelf.read(id);
  const ground = { ctx, id };
  return { answer: await ask(row, ground, requestOf(row, ground)), id };
}

/** A record of more characters would be most of each list that shows it. */
const LONG = 50_000;

/** Sends a row, reads the things that it may have changed, and does both again where a rule was broken. */
async function done(
  ctx: Ctx,
  shelf: Shelf,
  row: Row,
  { broken }: RowsOptions,
  { sparing = false } = {},
): Promise<void> {
  let last: Answer | undefined | null = null;
  for (let tries = 0; tries < 2; tries++) {
    const before = broken();
    const one = await sent(ctx, shelf, row, { before: last, sparing });
    if (one === undefined) return;
    const { answer, id } = one;
    last = answer;
    const accepted = answer !== undefined && answer.status < 300;
    const { table, state } = row;
    const there = state !== undefined && state !== 'unknown' && state !== 'gone';
    const writes = (table.method !== 'GET' || (accepted && row.badState)) && there;
    const isTurn = table.prompts === true || table.operation.startsWith('sign');
    // Where there is little time, a refused call is taken to have changed nothing. A refused update shows in any later read.
    const isUndone = !sparing && (table.uses === true || (table.operation === 'update' && shelf.refuses(state)));
    if (writes && !isTurn && (accepted || isUndone)) {
      if (tries > 0 && state !== 'going') await ctx.wait(2_000);
      if (await shelf.read(id)) shelf.usedUp(state);
    }
    const shown = accepted && table.method !== 'GET' && isRecord(answer.json) ? answer.json.id : undefined;
    if (typeof shown === 'string' && (answer?.text.length ?? 0) > LONG)
      await ctx.api.update(shown, { instructions: 'Short.' }).catch(unanswered);
    if ((accepted && table.uses === true) || (accepted && !isGood(row))) shelf.usedUp(state);
    if (broken() === before) return;
    // A breach is looked for again on fresh things.
    shelf.usedUp(state);
  }
}

/** The rows of all tables side by side, so that a limit cuts the tail of each. */
const inTurn = (tables: readonly (readonly Row[])[]): readonly Row[] =>
  tables
    .flatMap((rows) => rows.map((row, at) => ({ row, share: at / rows.length })))
    .toSorted((one, other) => one.share - other.share)
    .map(({ row }) => row);

/** Tables without the values for which the target lacks something. */
export const usableOf = (tables: readonly Table[], has: RowsOptions['has']): readonly Table[] =>
  tables.map((table) => ({
    ...table,
    parts: table.parts.map((part) => part.filter(({ needs = [] }) => needs.every(has))),
  }));

/** The tables that can be used, and the rows of each. */
function plansOf(ctx: Ctx, { has }: RowsOptions) {
  const usable = usableOf(TABLES, has);
  return { usable, plans: usable.map((table) => cover(table, () => ctx.random())) };
}

/** Whether a row is a turn, which a limiter may put off. */
const isTurn = ({ table: { operation } }: Row): boolean => /^(chat|invoke|sign)/.test(operation);

/** Whether a row may cost a prompt where all is as it should be. */
const prompting = (row: Row): boolean => row.table.prompts === true && isGood(row);

/** Rows of the second pass that are sent while turns wait: they leave room to send again what broke a rule. */
const SECOND = 30;

/** Sends each operation once, and once each mistake that several share. */
export async function sendFirst(ctx: Ctx, options: RowsOptions): Promise<void> {
  const shelf = createShelf(ctx, options.has);
  const rows = firstRows(plansOf(ctx, options).plans.map(([rows = []]) => rows));
  // It boots while other rows are sent.
  shelf.intern('running').catch(() => {});
  const resting = rows.filter(({ state }) => state !== 'running');
  for (const row of [...resting, ...rows.filter(({ state }) => state === 'running')]) {
    if (options.over()) return;
    await done(ctx, shelf, row, options, { sparing: true }).catch((error: unknown) => {
      if (!prompting(row) || !(error instanceof Skipped)) throw error;
    });
  }
}

/**
 * Sends the rows of every table, and the sequences. The rules judge the answers. Where turns are limited they wait, and others go on
 * beside them, with interns of their own: each value once, then drawn rows in which it meets others.
 */
export async function sendRows(ctx: Ctx, options: RowsOptions): Promise<void> {
  const { usable, plans } = plansOf(ctx, options);
  let spent = false;
  const lost = new Map<State, unknown>();
  const send = async (shelf: Shelf, row: Row) => {
    if (spent && prompting(row)) return;
    try {
      await done(ctx, shelf, row, options);
    } catch (error) {
      // No more prompts: rows that cost none go on.
      if (row.table.prompts !== true || !(error instanceof Skipped)) throw error;
      spent = true;
    }
  };
  const rows = inTurn(plans.map(([first = []]) => first));
  // Sequences are few, and show the most: a limit cuts rows. Without prompts left the rest of a sequence stays unsent.
  const parts = sequences(ctx, options).map(({ send, ...part }) => ({
    ...part,
    send: () =>
      send().catch((error: unknown) => {
        if (!(error instanceof Skipped) || error.skip.kind !== 'stopped') throw error;
      }),
  }));
  const strand = async (isOf: (turn: boolean) => boolean) => {
    const shelf = createShelf(ctx, options.has, lost);
    const own = rows.map((row) => ({ turn: isTurn(row), last: undefined, send: () => send(shelf, row) }));
    for (const { turn, last, send } of [...parts, ...own])
      if (isOf(turn) && last === undefined && !options.over()) await send();
  };
  let turnsWait = true;
  const second = async () => {
    const shelf = createShelf(ctx, options.has, lost);
    const drawn = plans
      .flatMap(([, rows = []]) => rows)
      .filter((row) => !isTurn(row) || !isGood(row))
      .map((row) => ({ row, at: ctx.random() }))
      .toSorted((one, other) => one.at - other.at);
    for (const { row } of drawn.slice(0, SECOND)) if (turnsWait && !options.over()) await send(shelf, row);
  };
  // An emulator limits nothing, and its clock is moved by each.
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
  // The clean-up reads the interns that nothing has shown yet: one list shows all.
  if (options.over()) await ctx.send({ path: '/interns' }).catch(unanswered);
  // The rest is done: lists show its outcome.
  for (const { last, send } of parts) if (last === true && !options.over()) await send();
  const shelf = createShelf(ctx, options.has, lost);
  for (const rows of plans.filter((_, at) => usable[at]?.operation === 'list'))
    for (const row of rows.slice(0, 2).flat().filter(isGood)) if (!options.over()) await done(ctx, shelf, row, options);
  if (!options.over()) await sendLists(ctx);
}
