import fc from 'fast-check';
import type { OperationName } from '../model/operations.js';
import { created, json, said, says } from './contents.js';
import type { Row } from './cover.js';
import { TABLES } from './rows.js';
import { usableOf } from './send.js';
import type { Ground, Table, Value } from './value.js';

/** The latest session of the intern that began by chat or by invoke, if any. */
const sessionOf = ({ known }: Ground, origin: 'chat' | 'invoke') => {
  const id = known?.sessions.findLast((one) => one.origin === origin)?.id;
  return id === undefined ? {} : { session_id: id };
};
const answering =
  (content: string) =>
  (ground: Ground): unknown => {
    const asked = ground.known?.questions.at(-1);
    if (asked === undefined) return said()(ground);
    const messages = [{ role: 'tool', tool_call_id: asked.call, content }];
    return { messages, stream: true, session_id: asked.session };
  };
const asking = ({ ctx }: Ground) => ({
  messages: [{ role: 'user', content: ctx.prompt('ask-permission') }],
  stream: true,
  approval_mode: 'manual',
});
const controlled = (value: Value): Value => ({ ...value, needs: ['control'] });

/** Bodies that only a walk can send, because they refer to earlier requests. */
const LATER: Partial<Record<OperationName, readonly Value[]>> = {
  create: [json('to boot', created({ provision: true }))],
  chat: [
    json('a prompt in its session', (ground: Ground) => said(sessionOf(ground, 'chat'))(ground)),
    json('a prompt in the session of an invoke', (ground: Ground) => said(sessionOf(ground, 'invoke'))(ground)),
    controlled(json('a prompt that makes it ask', asking)),
    ...(['fails', 'cancelled', 'no-usage'] as const).map((behaviour) =>
      controlled(json(`a prompt that leads it to ${behaviour}`, ({ ctx }: Ground) => says(ctx.prompt(behaviour))())),
    ),
    controlled(json('an answer', answering('allow_once'))),
    controlled(json('an answer of other words', answering('whatever'))),
  ],
  invoke: [
    json('an input in its session', (ground: Ground) => ({
      input: ground.ctx.prompt('echo'),
      ...sessionOf(ground, 'invoke'),
    })),
    json('an input in a session of chat', (ground: Ground) => ({
      input: ground.ctx.prompt('echo'),
      ...sessionOf(ground, 'chat'),
    })),
  ],
};

/** Weights of the operations that lead an intern through its life. Others have weight 1. */
const OFTEN: Partial<Record<OperationName, number>> = {
  create: 3,
  get: 2,
  update: 2,
  list: 2,
  provision: 4,
  suspend: 3,
  chat: 6,
  invoke: 3,
};

/** Tables that can be used, each with the bodies that refer to earlier requests. */
export const tablesOf = (has: (need: string) => boolean, tables = TABLES): readonly Table[] =>
  usableOf(
    tables.map((table) => ({
      ...table,
      parts: table.parts.map((part, at) => (at === 1 ? [...part, ...(LATER[table.operation] ?? [])] : part)),
    })),
    has,
  ).filter(({ parts }) => parts.every((part) => part.some(({ bad }) => bad !== true)));

export const goodOf = (table: Table): Table => ({
  ...table,
  parts: table.parts.map((part) => part.filter(({ bad }) => bad !== true)),
});

/** Any row of a table: with good values only, or with one bad value. */
export function rowOf(table: Table): fc.Arbitrary<Row> {
  const good = goodOf(table).parts.map((part) => fc.constantFrom(...part));
  const bad = table.parts.flatMap((part, at) => part.flatMap((value) => (value.bad === true ? [{ at, value }] : [])));
  const wrong = fc.oneof(
    { weight: 4, arbitrary: fc.constant(undefined) },
    { weight: bad.length === 0 ? 0 : 1, arbitrary: fc.constantFrom(undefined, ...bad) },
  );
  return fc.tuple(fc.tuple(...good), wrong).map(([values, one]) => ({
    table,
    state: undefined,
    badState: false,
    values: one === undefined ? values : values.with(one.at, one.value),
  }));
}

/** Any row of some tables, by the weight of its operation. */
export const rowsOf = (tables: readonly Table[]): { weight: number; arbitrary: fc.Arbitrary<Row> }[] =>
  tables.map((table) => ({ weight: OFTEN[table.operation] ?? 1, arbitrary: rowOf(table) }));

/** A row in words. */
export const nameOf = ({ table, values }: Row, which: number): string =>
  `${table.operation}(${[table.states === undefined ? [] : [which], values.map(({ name }) => name)].flat().join(', ')})`;
