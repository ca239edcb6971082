import type { Ctx } from '../framework/context.js';
import { findingOf } from '../framework/finding.js';
import { Skipped } from '../framework/skip.js';
import type { Answer } from '../probe/client.js';
import type { Send } from '../probe/request.js';
import { cover, isGood, type Row } from './cover.js';
import { createShelf, type Shelf } from './ground.js';
import { TABLES } from './rows.js';

/** What rows are sent with. */
export interface RowsOptions {
  /** Whether the target has what a value needs. */
  has(need: string): boolean;
  /** How many passes of each table. */
  readonly passes: number;
  /** Kinds of breaches so far. */
  broken(): number;
  /** Whether the limits of the run leave room for no more. */
  over(): boolean;
}

/** No answer is one that says nothing. Whatever else is thrown ends the run. */
function unanswered(error: unknown): undefined {
  if (findingOf(error) === undefined) throw error;
}

/** Sends a request of a row, and reads its answer to the end. */
async function sent(
  ctx: Ctx,
  shelf: Shelf,
  row: Row,
  again: boolean,
): Promise<{ answer: Answer | undefined; id: string }> {
  const { table, state, values } = row;
  const id = state === undefined ? '' : await shelf.intern(state);
  // What was written may be read late.
  if (again) await ctx.wait(2_000);
  const ground = { ctx, id };
  const base: Send = { method: table.method, path: table.path(id) };
  const parts = values.map((value) => value.make(ground));
  const headers = Object.assign({}, ...parts.map((part) => part.headers ?? {}));
  const send: Send = Object.assign({}, base, ...parts, Object.keys(headers).length === 0 ? {} : { headers });
  if (table.operation !== 'chat' || !isGood(row)) return { answer: await ctx.send(send).catch(unanswered), id };
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
  return { answer: undefined, id };
}

/** Sends a row, reads after it what it may have changed, and does both again where a rule was broken. */
async function done(ctx: Ctx, shelf: Shelf, row: Row, { broken }: RowsOptions): Promise<void> {
  for (let tries = 0; tries < 2; tries++) {
    const before = broken();
    const { answer, id } = await sent(ctx, shelf, row, tries > 0);
    const accepted = answer !== undefined && answer.status < 300;
    const { table, state } = row;
    const writes = table.method !== 'GET' && state !== undefined && state !== 'unknown' && state !== 'gone';
    if (writes && !table.prompts && !table.operation.startsWith('sign')) {
      if (tries > 0) await ctx.wait(2_000);
      await ctx.api.get(id).catch(unanswered);
    }
    if ((accepted && table.uses === true) || (accepted && !isGood(row))) shelf.usedUp(id);
    if (broken() === before) return;
    // A breach is looked for again on fresh things.
    shelf.usedUp(id);
  }
}

/** Follows the cursors of a list to its end. */
async function pages(ctx: Ctx, query: string): Promise<void> {
  let cursor: string | undefined;
  for (let page = 0; page < 20; page++) {
    const after = cursor === undefined ? '' : `&starting_after=${encodeURIComponent(cursor)}`;
    const answer = await ctx.send({ path: `/interns?${query}${after}` }).catch(unanswered);
    const { has_more, next_cursor } = (answer?.json ?? {}) as { has_more?: unknown; next_cursor?: unknown };
    if (has_more !== true || typeof next_cursor !== 'string') return;
    cursor = next_cursor;
  }
}

/** Creates that repeat each other, by key and by body. */
async function retries(ctx: Ctx): Promise<void> {
  const { interns, api } = ctx;
  const keyed = (body: unknown, key: string) =>
    api.create(body, { headers: { 'idempotency-key': key } }).catch(unanswered);
  for (const more of [{}, { description: 'kept', provision: false }]) {
    const body = interns.body(more);
    const key = `retry-${body.name}`;
    await keyed(body, key);
    await keyed(body, key);
    await keyed(Object.fromEntries(Object.entries(body).reverse()), key);
    await keyed({ ...body, description: 'another' }, key);
    await keyed({ ...body, name: interns.name() }, key);
    await keyed(body, key);
    await keyed(body, `${key}-2`);
    await keyed({ ...body, instructions: 'of a third' }, `${key}-3`);
  }
}

/** Sends the rows of every table: all tables once before any twice. What they show is for the rules to say. */
export async function sendRows(ctx: Ctx, options: RowsOptions): Promise<void> {
  const shelf = createShelf(ctx);
  const usable = TABLES.map((table) => ({
    ...table,
    parts: table.parts.map((part) => part.filter(({ needs = [] }) => needs.every(options.has))),
  }));
  const plans = usable.map((table) => cover(table, () => ctx.random()));
  let spent = false;
  for (let pass = 0; pass < options.passes; pass++) {
    for (const rows of plans)
      for (const row of rows[pass] ?? []) {
        const prompts = row.table.prompts === true && isGood(row);
        if (options.over()) {
          // The clean-up reads what nothing has shown yet: one list shows all.
          await ctx.send({ path: '/interns' }).catch(unanswered);
          return;
        }
        if (prompts && spent) continue;
        try {
          await done(ctx, shelf, row, options);
        } catch (error) {
          // No more prompts: what costs none goes on.
          if (!prompts || !(error instanceof Skipped)) throw error;
          spent = true;
        }
      }
    if (pass > 0) continue;
    await retries(ctx);
    for (const query of ['limit=1', 'limit=2', 'limit=3&status=stopped,running']) await pages(ctx, query);
  }
  // All else is done: what was changed is shown once more.
  for (const query of ['', '?status=running', '?status=stopped', `?workspace_id=${ctx.target.workspaceId}`])
    await ctx.send({ path: `/interns${query}` }).catch(unanswered);
}
