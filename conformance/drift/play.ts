import type { RecordedExchange } from '../../emulator/recording/format.js';
import type { PlacedExchange } from '../../emulator/recording/read.js';
import { Bindings } from '../../emulator/recording/template.js';
import { type Finding, findingOf, isUnreached, noAnswerOf } from '../model/finding.js';
import { secretPrefixOf } from '../model/ownership.js';
import { byTheIntern, type Skip, Skipped, Stopped } from '../model/skip.js';
import type { Client } from '../probe/client.js';
import { showsOthers } from '../run/guard.js';
import type { RunBase } from '../run/options.js';
import type { Session } from '../run/session.js';
import { type Compared, compared } from './compare.js';
import { ofTheHour } from './compared.js';
import { dataOf, eventsOf } from './events.js';
import { isRead, type Live, type Names, type SendDeps, send } from './exchange.js';
import { type Circumstances, type DriftJudgement, judge } from './judge.js';
import { createPreparation } from './prepare.js';
import { recordedBefore, unresolved } from './recorded-before.js';
import { scheduleOf } from './schedule.js';
import { relationsOf, streamText } from './script.js';

/** The first and the longest pause between two reads of something that changes with time, in ms. */
const FIRST = 500;
const LONGEST = 4_000;

/** The pauses before each further look. They grow, and are `limit` ms in all. */
function* pauses(limit: number): Generator<number> {
  let pause = FIRST;
  for (let waited = 0; waited < limit; waited += pause) {
    if (waited > 0) pause = Math.min(2 * pause, LONGEST);
    yield pause;
  }
}

/** The outcome of one recorded exchange. */
export interface Played {
  readonly placed: PlacedExchange;
  readonly compared: Compared;
  /** Why it was not judged. */
  readonly skip?: Skip;
  /** The finding before there was anything to compare. */
  readonly met?: Finding;
  readonly error?: unknown;
  readonly requests: number;
  /** ms of real time. */
  readonly duration: number;
}

/** A run and its client, which keeps the run's rate and budget and writes only to the interns that the run made. */
type PlayDeps = RunBase & {
  readonly session: Session;
  /** Sends until the run is over. */
  readonly client: Client;
  readonly names: Names;
};

const isMendable = ({ findings }: Compared) => findings.length > 0 && findings.every(({ byTime }) => byTime);

/** The aliases in an answer that later requests rest on. */
function givenBy({ operation, body, writes }: RecordedExchange): string[] {
  const kinds = `${operation === 'create' ? 'intern|' : ''}session|question|cursor|mapping`;
  const found = JSON.stringify([body, writes]).matchAll(new RegExp(`\\$\\{?((?:${kinds})\\.\\d+)`, 'g'));
  return [...found].flatMap(([, alias = '']) => alias);
}

/** Why an exchange was not judged, by the error that was thrown; undefined for a fault of the kit. */
function skipOf(error: unknown): Skip | undefined {
  if (error instanceof Skipped) return error.skip;
  if (error instanceof Stopped) return { kind: 'stopped', because: { kind: 'over', stop: error.stop } };
  const found = findingOf(error)?.found;
  const got = found === undefined ? undefined : noAnswerOf(found);
  if (found === undefined || got === undefined || !isUnreached(found)) return undefined;
  return { kind: 'stopped', because: { kind: 'unreached', request: found.of, got } };
}

/**
 * Sends the requests of one scenario in their order, overlapping as they did, and judges each answer by the recorded one.
 * Against an emulator the intern is first given a script made from what the recorded one did.
 */
export async function play(scenario: readonly PlacedExchange[], deps: PlayDeps): Promise<Played[]> {
  const { client, driver, host, names, session, settings, signal } = deps;
  const all = scenario.map(({ exchange }) => exchange);
  const schedule = scheduleOf(scenario);
  const relations = relationsOf(all, schedule);
  const before = recordedBefore(all);
  const shown = new Set(all.flatMap(givenBy));
  const bindings = new Bindings();
  const circumstancesOf = (exchange: RecordedExchange): Circumstances => ({
    bindings,
    written: before.writtenBefore(exchange),
    nameOf: names.of,
    free: driver.control === undefined,
  });
  const results: Promise<Played>[] = [];
  const open: { exchange: RecordedExchange; live: Live }[] = [];
  /** Aliases for which no answer gave a value. Exchanges that need one are left out. */
  const missed = new Set<string>();
  /** The times of the schedule at which clients leave. */
  const leaving: { at: number; leave: () => void }[] = [];
  /** The place in the schedule, in ms. */
  let now = 0;
  // Other users may share an emulator that is only read.
  const clock = settings.readOnly ? undefined : driver.control;
  const pass = (ms: number) => (clock ? clock.advance(ms) : host.sleep(ms, signal));

  const unknown: SendDeps['unknown'] = (alias) => {
    if (alias.startsWith('workspace.'))
      return alias === 'workspace.1' ? driver.target.workspaceId : (driver.target.foreignWorkspaceId ?? host.tag(12));
    // A mapping that no answer of the recording shows is nobody's.
    if (alias.startsWith('mapping.') && !shown.has(alias))
      return `00000000-0000-4000-8000-${Buffer.from(host.tag(6)).toString('hex')}`;
    if (alias.startsWith('mapping.') && driver.target.scimMappingId) return driver.target.scimMappingId;
    // A value in the form of a digest will do: only the client knows what it was made of.
    if (alias.startsWith('digest.')) return Buffer.from(host.tag(32)).toString('hex');
    if (alias.startsWith('secret.')) return `${secretPrefixOf(session.prefix)}${host.tag(8)}`;
    const made = `drift-${host.tag(16)}`;
    return alias.startsWith('intern.') ? session.own.madeUp(made) : made;
  };

  const preparation = createPreparation({
    ...deps,
    own: session.own,
    before,
    relations,
    bindings,
    isReadOnly: settings.readOnly,
    async until(look) {
      for (const pause of pauses(settings.bootTimeout)) {
        if (await look()) return true;
        await pass(pause);
      }
      return look();
    },
  });

  /** Waits until open streams are as far as they were when the next request came. */
  const catchUp = async (at: number) => {
    for (const { exchange, live } of open) {
      const writes = (exchange.writes ?? []).filter((write) => exchange.at + write.at <= at);
      const before = streamText({ ...exchange, writes });
      // An emulator sends the script's words, perhaps in other pieces. An intern of a deployment says something else.
      const wanted = driver.control ? eventsOf(before).length : dataOf(before).length;
      const come = () => (driver.control ? eventsOf(live.text()).length : live.events());
      const until = host.now() + settings.timeout;
      while (come() < wanted && !live.over() && !signal.aborted && host.now() < until) await driver.settle();
    }
  };

  /** Waits until a place of the schedule. */
  const moveTo = async (at: number) => {
    if (clock && at > now) await clock.advance(at - now);
    now = Math.max(now, at);
    for (const one of leaving.filter((other) => other.at <= now)) {
      leaving.splice(leaving.indexOf(one), 1);
      one.leave();
    }
  };

  /** Judges an answer at its end; one that stays open is left. */
  const judged = async (exchange: RecordedExchange, live: Live): Promise<DriftJudgement> => {
    const ended = await live.ended.finally(host.later(settings.timeout, live.leave));
    const { status, headers } = live;
    return judge(exchange, { status, headers, text: live.text(), ended }, circumstancesOf(exchange));
  };

  /** Reads again until the answers agree, while waiting may remove the difference. Returns the last finding. */
  const again = async (
    sending: SendDeps,
    exchange: RecordedExchange,
    first: DriftJudgement,
  ): Promise<DriftJudgement> => {
    let last = first;
    for (const pause of pauses(settings.bootTimeout)) {
      if (!isMendable(last)) break;
      await pass(pause);
      last = await judged(exchange, await send(sending, bindings, exchange));
    }
    return last;
  };

  /** Why an exchange cannot be tried. */
  const leftOut = (exchange: RecordedExchange): Skip | undefined => {
    const because = (note: string): Skip => byTheIntern({ kind: 'conversation', note }).skip;
    const request = JSON.stringify(exchange.request);
    const needed = [...missed].find((alias) => new RegExp(`\\$\\{?${alias}(?!\\d)`).test(request));
    if (needed !== undefined) return because(`it rests on $${needed}, of an answer that was another`);
    const missing = unresolved(exchange, bindings);
    if (missing !== undefined) return because(`it rests on $${missing}, which no answer of the recording gave`);
    const { status, left_out, not_passed_on } = exchange;
    if (left_out?.request) return because(`the request was not recorded as a whole: ${left_out.request.why}`);
    if (left_out?.answer) return because(`the answer was not recorded as a whole: ${left_out.answer.why}`);
    if (not_passed_on !== undefined)
      return because(`the recorder answered in place of the deployment: ${not_passed_on}`);
    if (
      driver.control === undefined &&
      showsOthers(exchange.request.method, exchange.request.path.replace(/\?.*$/, ''))
    )
      return because('the list shows what others have: of a deployment the kit sees its own alone');
    if (status === null) return because('the recorded connection broke off before an answer');
    const hour = driver.control && ofTheHour({ ...exchange, status });
    return hour ? because(`the deployment answered ${status}: ${hour} at that time`) : undefined;
  };

  const tried = async (
    placed: PlacedExchange,
    sending: SendDeps,
  ): Promise<Pick<Played, 'compared' | 'skip' | 'met' | 'error'>> => {
    const { exchange } = placed;
    const skip = leftOut(exchange);
    if (skip) return { compared: compared(), skip };
    await preparation.request(exchange);
    const live = await send(sending, bindings, exchange);
    const entry = { exchange, live };
    open.push(entry);
    started.get(placed)?.();
    if (exchange.ended === 'client') {
      const at = schedule.overAt(exchange);
      if (at !== undefined && at > now) await new Promise<void>((leave) => leaving.push({ at, leave }));
      await catchUp(Number.POSITIVE_INFINITY);
      live.leave();
    }
    const first = await judged(exchange, live).finally(() => open.splice(open.indexOf(entry), 1));
    const { undecided, ...found } = isRead(exchange) ? await again(sending, exchange, first) : first;
    if (undecided === undefined) return { compared: found };
    return { compared: compared(), skip: byTheIntern({ kind: 'conversation', note: undecided }).skip };
  };

  const one = async (placed: PlacedExchange): Promise<Played> => {
    const began = host.now();
    let requests = 0;
    const open: SendDeps['client']['open'] = (send) => {
      requests++;
      return client.open(send);
    };
    const came = await tried(placed, { driver, host, client: { open }, unknown, names }).catch((error: unknown) => {
      const skip = skipOf(error);
      if (skip) return { compared: compared(), skip };
      const met = findingOf(error);
      return { compared: compared(), ...(met === undefined ? { error } : { met }) };
    });
    for (const alias of givenBy(placed.exchange)) if (bindings.get(alias) === undefined) missed.add(alias);
    return { placed, ...came, requests, duration: host.now() - began };
  };

  /** Streams that go on as time passes. */
  const paced = new Set<Promise<Played>>();
  const started = new Map<PlacedExchange, () => void>();
  await preparation.first();
  for (const placed of scenario) {
    const { exchange } = placed;
    // Where the recorded run had ended by then, the replayed one has ended too.
    const ended = results.filter((_, index) => {
      const other = all[index];
      return other !== undefined && schedule.endOf(other) <= exchange.at;
    });
    await Promise.all(ended.filter((result) => !paced.has(result)));
    await moveTo(schedule.sentAt(exchange));
    await catchUp(exchange.at);
    await Promise.all(ended);
    const begun = new Promise<void>((resolve) => started.set(placed, resolve));
    const result = one(placed).finally(() => started.get(placed)?.());
    if (schedule.overAt(exchange) !== undefined) paced.add(result);
    results.push(result);
    await begun;
  }
  await Promise.all(results.filter((result) => !paced.has(result)));
  await moveTo(schedule.end);
  return Promise.all(results);
}
