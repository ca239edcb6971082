import fc from 'fast-check';
import type { Driver } from '../../conformance/drivers/driver.js';
import { createEmulatorDriver } from '../../conformance/drivers/emulator.js';
import { type Outgoing, outgoingOf, requestOf as sentAs, urlOf, withHost } from '../../conformance/probe/request.js';
import { createRandom, systemHost } from '../../conformance/probe/time.js';
import type { Row } from '../../conformance/requests/cover.js';
import { nameOf, rowsOf, tablesOf } from '../../conformance/requests/draw.js';
import { plainest } from '../../conformance/requests/first.js';
import { TABLES } from '../../conformance/requests/rows.js';
import { requestOf } from '../../conformance/requests/send.js';
import type { Ground } from '../../conformance/requests/value.js';
import { WRONG_KEY } from '../../conformance/run/exchange-of.js';
import type { Emulator } from '../../emulator/index.js';
import { BEYOND } from './beyond.js';

/** A request of any operation for a target that no run asks. */
export interface Drawn {
  readonly row: Row;
  /** The intern that it names, among those of the target. */
  readonly which: number;
  /** Decides what is new in it: a name, a digest. */
  readonly nth: number;
}

/** Any row of all tables, for an emulator: it meets each need. What is plainest comes often, so that it comes again. */
export function anyRequest(): fc.Arbitrary<Drawn> {
  const tables = tablesOf(() => true, [...TABLES, ...BEYOND]);
  const rows = fc.oneof(...rowsOf(tables));
  const plain = fc.constantFrom(...tables.map(plainest));
  return fc
    .record({
      row: fc.oneof({ weight: 3, arbitrary: rows }, { weight: 1, arbitrary: plain }),
      which: fc.nat(3),
      nth: fc.nat(2),
    })
    .map((drawn) => ({ ...drawn, [fc.toStringMethod]: () => nameOf(drawn.row, drawn.which) }));
}

/** The context of a check, as far as values are made from it, for a request of no run. */
function ctxOf({ target, prompt }: Driver, nth: number): Ground['ctx'] {
  const name = () => `drawn-interns-${nth}`;
  return {
    target,
    prompt,
    random: createRandom(nth),
    wrongKey: { bearer: WRONG_KEY },
    interns: {
      name,
      body: (more) => ({ name: name(), workspace_id: target.workspaceId, ...more }),
      unknownId: () => `0b000000-0000-4000-8000-00000000000${nth}`,
    },
  };
}

/** The request as it leaves, to the intern of this id. */
export function leaving({ row, nth }: Drawn, driver: Driver, id: string): Outgoing {
  const send = requestOf(row, { ctx: ctxOf(driver, nth), id });
  const url = urlOf(send, driver.target.baseUrl);
  return outgoingOf(
    send,
    send.host === undefined ? url : withHost(url, send.host),
    (name) => driver.credential(name) ?? '',
  );
}

/** A request that is no row. */
interface Call {
  readonly method: string;
  /** From the root of the emulator, or of the space. */
  readonly path: string;
  readonly body?: object;
}
/** A request of either interface, as data: the same is sent wherever it goes. */
export type AnyRequest = Drawn | Call;

const FAULTS = [
  { operation: 'get', status: 503, probability: 0.5, times: 'always' },
  { operation: 'chat', status: 429, after: 1 },
  { operation: 'create', at: 'vault', probability: 0.5 },
  { operation: 'list', status: 500, times: 2 },
];
const CALLS: readonly Call[] = [
  { method: 'GET', path: '/api/v1/nothing' },
  { method: 'GET', path: '/_emulator/runs' },
  ...[1, 700, 5_000, 61_000].map((advance) => ({ method: 'POST', path: '/_emulator/clock', body: { advance } })),
  ...[0, 2, 60].map((turns_per_minute) => ({ method: 'PUT', path: '/_emulator/limits', body: { turns_per_minute } })),
  ...FAULTS.map((body) => ({ method: 'POST', path: '/_emulator/faults', body })),
];

/** Any request of the interface, and some that control time, limits and faults. Unless `resets`, none is a reset. */
export const anyOf = (resets: boolean): fc.Arbitrary<AnyRequest> =>
  fc.oneof(
    { weight: 4, arbitrary: anyRequest() },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...CALLS, ...(resets ? [{ method: 'POST', path: '/_emulator/reset' }] : [])),
    },
  );

/** Whether nothing goes on once a request is answered: no boot, no teardown, no run. */
export const isOver = (request: AnyRequest): boolean =>
  !('row' in request) || !/^(provision|delete)\(|to boot|makes it ask/.test(nameOf(request.row, 0));

/** The plainest request of an operation. */
export const plainOf = (operation: string): readonly Drawn[] =>
  TABLES.filter((table) => table.operation === operation).map((table) => ({ row: plainest(table), which: 0, nth: 0 }));

/** The facts of an emulator, or of a space of it. */
export const driverOf = (emulator: Emulator, target = emulator.target): Driver =>
  createEmulatorDriver({
    descriptor: { ...target },
    fetch: (request) => emulator.fetch(request),
    host: systemHost,
    tag: 'drawn',
    remote: false,
  });

/** A client of an emulator, or of a space of it, that returns status, headers and bytes of every answer. */
export function createClient(emulator: Emulator, target = emulator.target) {
  const driver = driverOf(emulator, target);
  const idOf = async (which: number): Promise<string> => {
    const response = await emulator.fetch(`${target.control_url}/interns`);
    const { data } = (await response.json()) as { data: { id: string }[] };
    return data[which % Math.max(1, data.length)]?.id ?? '0b000000-0000-4000-8000-00000000000f';
  };
  const made = async (request: AnyRequest): Promise<Request> => {
    if ('row' in request) return sentAs(leaving(request, driver, await idOf(request.which)));
    const { method, path, body } = request;
    return new Request(target.control_url.replace('/_emulator', path), {
      method,
      ...(body && { body: JSON.stringify(body) }),
    });
  };
  return async (request: AnyRequest): Promise<string> => {
    const response = await driver.fetch(await made(request));
    return `${response.status} ${JSON.stringify([...response.headers])}\n${await response.text()}`;
  };
}
