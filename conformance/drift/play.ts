import type { RecordedExchange } from '../../emulator/recording/format.js';
import type { PlacedExchange } from '../../emulator/recording/read.js';
import { Bindings } from '../../emulator/recording/template.js';
import { parsedBody } from './answer.js';
import { recordedBefore, unresolved } from './before.js';
import { aliasOf, type Compared, compared } from './compare.js';
import { dataOf, eventsOf } from './events.js';
import { type Live, type SendDeps, send } from './exchange.js';
import type { Interns } from './interns.js';
import { type Circumstances, type Judgement, judge } from './judge.js';
import { ofTheHour } from './meaning.js';
import { endsRuns, internAliasOf, type Schedule, scheduleOf } from './schedule.js';
import { type Around, lastMessage, scriptOf, streamText } from './script.js';

/** What came of one recorded exchange. */
export interface Played {
  readonly placed: PlacedExchange;
  readonly compared: Compared;
  /** Why it was not judged. */
  readonly skip?: string;
  readonly error?: unknown;
  readonly requests: number;
  /** ms of real time. */
  readonly duration: number;
}

export interface PlayDeps extends Omit<SendDeps, 'unknown'> {
  /** ms that a repeated read may take until it agrees. */
  readonly bootTimeout: number;
  /** Interns for aliases that the recording did not create. */
  readonly interns: Interns;
  /** Told of interns that a create made. */
  created(internId: string): void;
}

/** ms between two reads of what time may mend, at first and at most. */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 4_000;
const isMendable = ({ findings }: Compared) => findings.length > 0 && findings.every(({ byTime }) => byTime);

const isRead = ({ request }: RecordedExchange) => request.method === 'GET' || request.method === 'HEAD';

/** What the exchanges of a scenario say about one another. */
function surroundings(all: readonly RecordedExchange[], { endOf, saidAt }: Schedule): Around {
  const sessionOf = (exchange: RecordedExchange) =>
    aliasOf((parsedBody(exchange.body) as { session_id?: unknown })?.session_id);
  return {
    saidAt,
    answerTo: (question) =>
      all.find((one) => question !== '' && one.status === 200 && one.writes && lastMessage(one).answers === question),
    endedFromOutside: (exchange) =>
      all.some(
        (one) =>
          endsRuns(one) &&
          internAliasOf(one) === internAliasOf(exchange) &&
          one.n > exchange.n &&
          one.at < endOf(exchange),
      ),
    steeredLater(exchange) {
      const session = sessionOf(exchange);
      return all.some(
        (one) =>
          one.n > exchange.n &&
          one.status === 202 &&
          sessionOf(one) === session &&
          /"status":"steered"/.test(JSON.stringify(one.body ?? '')),
      );
    },
  };
}

/**
 * Sends the requests of one scenario in their order, overlapping as they did, and compares each answer with the recorded
 * one. Against an emulator the intern is first given a script made from what the recorded one did.
 */
export async function play(scenario: readonly PlacedExchange[], deps: PlayDeps): Promise<Played[]> {
  const { driver, host } = deps;
  const all = scenario.map(({ exchange }) => exchange);
  const schedule = scheduleOf(scenario);
  const around = surroundings(all, schedule);
  const before = recordedBefore(all);
  const bindings = new Bindings();
  const circumstances: Circumstances = { bindings, written: before.written, free: driver.control === undefined };
  const results: Promise<Played>[] = [];
  const open: { exchange: RecordedExchange; live: Live }[] = [];
  /** Sessions and questions that rest on a conversation that went otherwise. */
  const otherwise = new Set<string>();
  /** Clients that leave at a time of the schedule. */
  const leaving: { at: number; leave: () => void }[] = [];
  /** Where in the schedule this is, ms. */
  let now = 0;

  const sending: SendDeps = {
    ...deps,
    unknown(alias) {
      if (alias.startsWith('workspace.'))
        return alias === 'workspace.1' ? driver.target.workspaceId : (driver.target.foreignWorkspaceId ?? host.tag(12));
      if (alias.startsWith('mapping.') && driver.target.scimMappingId) return driver.target.scimMappingId;
      // Of the form that a digest has: what it was made over is the client's affair.
      if (alias.startsWith('digest.')) return Buffer.from(host.tag(32)).toString('hex');
      return `drift-${host.tag(16)}`;
    },
  };

  /** Waits until open streams are as far as they were when the next request came. */
  const catchUp = async (at: number) => {
    for (const { exchange, live } of open) {
      const writes = (exchange.writes ?? []).filter((write) => exchange.at + write.at <= at);
      const before = streamText({ ...exchange, writes });
      // An emulator says what a script says, if in other pieces; an intern of a deployment says something else.
      const wanted = driver.control ? eventsOf(before).length : dataOf(before).length;
      const come = () => (driver.control ? eventsOf(live.text()).length : live.events());
      const until = host.now() + deps.timeout;
      while (come() < wanted && !live.over() && host.now() < until) await driver.settle();
    }
  };

  /** Lets time pass until a place of the schedule. */
  const moveTo = async (at: number) => {
    if (driver.clock && at > now) await driver.clock.advance(at - now);
    now = Math.max(now, at);
    for (const one of leaving.filter((other) => other.at <= now)) {
      leaving.splice(leaving.indexOf(one), 1);
      one.leave();
    }
  };

  /** On a deployment nothing is made but what has to be in another state than its running intern. */
  const standIn = async (alias: string): Promise<string> => {
    const likeness = before.likenessOf(alias);
    if (!driver.control && likeness.status === 'running') return deps.interns.running();
    const [id] = await deps.interns.like([driver.control ? likeness : { status: 'stopped' }]);
    if (id === undefined) throw new Error(`nothing stands for $${alias}`);
    return id;
  };

  /** What lists of the recording show is made before anything that it made itself: newest first. */
  const prepareLists = async () => {
    const { listed } = before;
    if (!driver.control || listed.length === 0) return;
    const ids = await deps.interns.like(listed.map(before.likenessOf));
    for (const [index, alias] of listed.entries()) bindings.bind(alias, ids[index] ?? '');
  };

  const prepare = async (exchange: RecordedExchange) => {
    const alias = internAliasOf(exchange);
    if (alias !== undefined && bindings.get(alias) === undefined && !before.created.has(alias)) {
      const own = exchange.request.headers.authorization?.endsWith('$own_key') ? driver.target.ownInternId : undefined;
      if (own !== undefined) bindings.bind(alias, own);
      else if (exchange.status !== 404) bindings.bind(alias, await standIn(alias));
    }
    const intern = alias === undefined ? undefined : bindings.get(alias);
    const script = driver.control && intern !== undefined ? scriptOf(exchange, around) : undefined;
    if (script && driver.control && intern !== undefined) {
      await driver.control.useScript(intern, await driver.control.script(script));
    }
  };

  const judged = async (exchange: RecordedExchange, live: Live): Promise<Judgement> => {
    const ended = await within(live);
    return judge(exchange, { status: live.status, headers: live.headers, text: live.text(), ended }, circumstances);
  };

  /** Reads again what time may mend, less and less often, until the answers agree. Answers what was found last. */
  const again = async (exchange: RecordedExchange, first: Judgement, requests: { count: number }) => {
    let last = first;
    let waited = 0;
    for (let pause = FIRST_PAUSE; isMendable(last) && waited < deps.bootTimeout; waited += pause) {
      if (waited > 0) pause = Math.min(2 * pause, LONGEST_PAUSE);
      if (driver.clock) await driver.clock.advance(pause);
      else await host.sleep(pause, deps.signal);
      requests.count++;
      last = await judged(exchange, await send(sending, bindings, exchange));
    }
    return last;
  };

  const restsOn = (exchange: RecordedExchange) =>
    [...otherwise].find((alias) => new RegExp(`\\$${alias}(?!\\d)`).test(JSON.stringify(exchange.request)));

  /** How a body ended; one that stays open is left. */
  const within = async (live: Live): Promise<RecordedExchange['ended']> => {
    const cancel = host.later(deps.timeout, live.leave);
    return live.ended.finally(cancel);
  };

  const one = async (placed: PlacedExchange): Promise<Played> => {
    const { exchange } = placed;
    const began = host.now();
    const requests = { count: 1 };
    const done = (more: Partial<Played>): Played => ({
      placed,
      compared: compared(),
      requests: requests.count,
      duration: host.now() - began,
      ...more,
    });
    const leftOut = (skip: string) => {
      for (const alias of JSON.stringify([exchange.body, exchange.writes]).matchAll(
        /\$((?:session|question|cursor)\.\d+)/g,
      )) {
        if (alias[1] !== undefined && bindings.get(alias[1]) === undefined) otherwise.add(alias[1]);
      }
      return done({ skip, requests: 0 });
    };
    const needed = restsOn(exchange);
    if (needed !== undefined) return leftOut(`it rests on $${needed}, of an answer that was another`);
    const missing = unresolved(exchange, bindings);
    if (missing !== undefined) return leftOut(`it rests on $${missing}, which no answer of the recording gave`);
    const { status, left_out, not_passed_on } = exchange;
    if (left_out?.request) return leftOut(`the request was not recorded as a whole: ${left_out.request.why}`);
    if (left_out?.answer) return leftOut(`the answer was not recorded as a whole: ${left_out.answer.why}`);
    if (not_passed_on !== undefined)
      return leftOut(`the recorder answered in place of the deployment: ${not_passed_on}`);
    if (status === null) return leftOut('the recorded connection broke off before an answer');
    const hour = driver.control && ofTheHour({ ...exchange, status });
    if (hour) return leftOut(`the deployment answered ${status}: ${hour} at that time`);
    try {
      await prepare(exchange);
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
      const first = await judged(exchange, live);
      open.splice(open.indexOf(entry), 1);
      const found = isRead(exchange) ? await again(exchange, first, requests) : first;
      if (found.otherwise !== undefined) return { ...leftOut(found.otherwise), requests: requests.count };
      if (exchange.operation === 'create' && live.status === 201) {
        const { id } = parsedBody(live.text()) as { id?: string };
        if (id !== undefined) deps.created(id);
      }
      return done({ compared: found });
    } catch (error) {
      if (error instanceof Error && error.name === 'Unmade') return leftOut(error.message);
      return done({ error });
    }
  };

  /** Streams that go on as time passes. */
  const paced = new Set<Promise<Played>>();
  const started = new Map<PlacedExchange, () => void>();
  await prepareLists();
  for (const placed of scenario) {
    const { exchange } = placed;
    // What had ended by then has ended here too.
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
