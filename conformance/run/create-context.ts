import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { Intern } from '../../emulator/contract/intern.js';
import { plainText, readable, text } from '../arbitraries/text.js';
import { equal, fail, gist } from '../model/assert.js';
import { byTheIntern, lacking, raced } from '../model/skip.js';
import { type Need, proofHeadersOf } from '../model/target.js';
import { internIn, type Send } from '../probe/request.js';
import { type AttemptParts, declaredBy } from './check.js';
import { startOver } from './cleaning.js';
import { type Ctx, createApi } from './context.js';
import { createConversation, createPrompter } from './conversation.js';
import { WRONG_KEY } from './exchange-of.js';
import * as expect from './expect.js';
import { createInternFactory } from './intern-factory.js';
import { isCutShort } from './limits.js';
import { oneOfRows } from './property.js';
import type { RunContext } from './session.js';

/** Most pages that are read for one look. */
const PAGES = 20;

/** The fields of a record that stay the same while nobody changes it. */
const STAYS = [
  'id',
  'name',
  'description',
  'instructions',
  'model',
  'status',
  'workspace_id',
  'vault_id',
  'attached_vault_id',
  'created_at',
] as const;

/** ms after which a read must show what was written. */
export const LATE_READ = 10_000;
/** ms between two reads of a value that may be late. */
const BETWEEN_READS = 1_000;

const isNamed = <T>(item: T): item is T & { readonly name: string } =>
  typeof item === 'object' && item !== null && 'name' in item && typeof item.name === 'string';

/** One of the items. A counterexample shows an item by its name, where it has one. */
const oneOf = <T>(items: readonly T[]): fc.Arbitrary<T> =>
  items.every(isNamed) ? oneOfRows(items, ({ name }) => name) : fc.constantFrom(...items);

/** Whether the ids are in the order of `made`. Interns of the same time of creation have no order. */
function isAsOld(found: readonly string[], made: readonly Pick<Intern, 'id' | 'created_at'>[]): boolean {
  const times = new Map(made.map(({ id, created_at }) => [id, created_at ?? id]));
  const timesOf = (order: readonly string[]) => order.map((id) => times.get(id));
  return isDeepStrictEqual(timesOf(found), timesOf(made.map(({ id }) => id)));
}

/**
 * The part of a check's context that knows the kind of target, so that no check needs to. On an emulator scripts decide,
 * nobody else acts and requests cost nothing: everything is expected at once.
 */
export function createTolerance(
  { driver, pool, session, settings, host }: RunContext,
  { api, property, random, signal }: Pick<Ctx, 'api' | 'property' | 'random'> & { readonly signal: AbortSignal },
) {
  const controlled = driver.control !== undefined;
  const unmet: Ctx['unmet'] = (need, note, got) => {
    const met = { ...(note === undefined ? {} : { note }), ...(got === undefined ? {} : { got }) };
    throw lacking({ kind: 'met', need, ...met });
  };
  const sample: Ctx['sample'] = (items, few = 1) => {
    if (controlled || settings.thorough || few >= items.length) return items;
    const left = [...items];
    const taken: typeof left = [];
    while (taken.length < few && left.length > 0) taken.push(...left.splice(Math.floor(random() * left.length), 1));
    return taken;
  };
  return {
    unmet,
    assume(holds, need, note, got) {
      if (holds || controlled) return;
      if (typeof need === 'string') unmet(need, note, got);
      throw lacking(need);
    },
    internDid(holds, { finding, ...observed }) {
      if (holds) return;
      if (!controlled) throw byTheIntern({ kind: 'did-otherwise', ...observed });
      if (finding !== undefined) fail(finding.what, finding.expected, finding.actual);
    },
    undisturbed(holds, what, expected, actual) {
      if (holds) return;
      if (controlled) fail(what, expected, actual);
      throw raced({ kind: 'disturbed', of: what, got: actual });
    },
    async eventually(read, holds, within = LATE_READ) {
      const until = host.now() + (controlled ? 0 : within);
      for (;;) {
        const value = await read();
        if (holds(value) || host.now() >= until) return value;
        await host.sleep(BETWEEN_READS, signal);
      }
    },
    sample,
    async each(name, items, look, few = 1) {
      if (!controlled && few === 1) return property(name, oneOf(items), look);
      for (const item of sample(items, few)) await look(item);
    },
    async twin(name, accepted) {
      if (!controlled && pool.accepted.has(name)) return;
      await accepted();
      pool.accepted.add(name);
    },
    upTo: (many, few) => (controlled ? many : few),
    same(one, other, of) {
      if (controlled) return equal(one, other, of);
      const [mine, its] = [one, other].map((record) => Object.fromEntries(STAYS.map((key) => [key, record[key]])));
      equal(mine, its, of);
    },
    newestFirst(found, made, of) {
      const ids = made.map(({ id }) => id);
      const missing = ids.filter((id) => !found.includes(id)).length;
      if (missing > 0) fail(of, 'all that are there', gist(`without ${missing} of ${ids.length}`, found));
      if (found.length > ids.length) fail(of, 'each once', gist('some more than once', found));
      if (controlled ? isDeepStrictEqual(found, ids) : isAsOld(found, made)) return;
      const turned = isDeepStrictEqual(found, ids.toReversed());
      fail(of, 'newest first', gist(turned ? 'oldest first' : 'in another order', found));
    },
    /**
     * The list, newest first. An emulator answers it as one page. Elsewhere pages may be short, and interns of others push
     * entries down: further pages are read until all of `having` is there.
     */
    async listed(of, { having = [], query = {}, options } = {}) {
      if (controlled) return expect.page(await api.list(query, options), of).data;
      const data: Intern[] = [];
      let after: string | undefined;
      let limit: { limit?: number } = { limit: 500 };
      for (let pages = 0; pages < PAGES; pages++) {
        const more = after === undefined ? {} : { starting_after: after };
        let answer = await api.list({ ...query, ...limit, ...more }, options);
        if ([400, 404, 422].includes(answer.status) && limit.limit !== undefined) {
          // The interface does not state paging: a target may know no limit.
          limit = {};
          answer = await api.list({ ...query, ...more }, options);
        }
        const page = expect.page(answer, of);
        data.push(...page.data);
        if (typeof page.next_cursor !== 'string' || having.every((id) => data.some((one) => one.id === id))) break;
        after = page.next_cursor;
      }
      return data;
    },
    texts: (constraints = {}) =>
      controlled ? text(constraints) : session.learnt.plain ? plainText(constraints) : readable(constraints),
  } satisfies Partial<Ctx>;
}

/** An intern that followed its prompt this often is expected to follow it again. */
const OFTEN = 4;

const PROMPTS = /\/(chat\/completions|invoke)(\?|$)/;

/** The context of one check. A part whose need the check has not declared throws. */
export function createContext(run: RunContext, attempt: AttemptParts): Ctx {
  const { check, client, signal, random } = attempt;
  const { driver, host, obstacles, session } = run;
  const { target } = driver;
  const declared = declaredBy(check);
  const prompter = attempt.beside ? createPrompter(run, check) : undefined;

  /** Adds the credential for prompts to a request, and the time that an intern may take to accept one. */
  const prepared = async (send: Send): Promise<Send> => {
    if (typeof send.as === 'string' && send.as !== 'api_key') declared.require(`the credential ${send.as}`, send.as);
    const address = send.path ?? send.url ?? '';
    if (driver.control !== undefined || !PROMPTS.test(address)) return send;
    const isChosen = prompter === undefined || send.as !== undefined || send.limited === true;
    const by = isChosen ? {} : await prompter(internIn(address) ?? '');
    return { ...send, timeout: send.timeout ?? run.settings.streamTimeout, ...by };
  };
  const send: Ctx['send'] = async (request) => client.send(await prepared(request));
  const open: Ctx['open'] = async (request) => client.open(await prepared(request));
  const interns = createInternFactory(run, attempt);
  const api = createApi(send);
  const control = () => {
    declared.require('the control interface', 'control');
    if (driver.control === undefined) throw lacking({ kind: 'lacks', need: 'control' });
    return driver.control;
  };

  return {
    target,
    profile: target.profile,
    proof: proofHeadersOf(target.profile),
    send,
    open,
    api,
    interns,
    ...createConversation(run, attempt.by, open),
    ...createTolerance(run, { ...attempt, api }),
    needsStreaming: () => obstacles.pass('streaming', check.id),
    streamsAreHeldBack: () => obstacles.met('streaming', check.id),
    prompt(behaviour, text) {
      attempt.led.add(behaviour);
      if (behaviour !== 'echo' && !declared.has('control')) declared.require(behaviour, `behaviour:${behaviour}`);
      return driver.prompt(behaviour, text);
    },
    async script(turn) {
      return `script: ${await control().script({ turn })}\nGo on.`;
    },
    get control() {
      return control();
    },
    async reset() {
      declared.require('a reset', 'disposable');
      control();
      await startOver(run);
    },
    get clock() {
      declared.require('the clock', 'clock');
      if (driver.control === undefined) throw lacking({ kind: 'lacks', need: 'clock' });
      return driver.control;
    },
    async wait(ms) {
      declared.requireWait(ms);
      if (driver.control !== undefined) await driver.control.advance(ms);
      else await host.sleep(ms, signal);
    },
    settle: () => driver.settle(),
    async daemon(path, init) {
      declared.require('the daemon', 'daemon');
      const url = /^https?:/.test(path) ? path : `${target.daemonOrigin}${path}`;
      return client.send({ ...init, url, as: null, method: init.method ?? 'POST' });
    },
    race: (n, start) => Promise.all(Array.from({ length: n }, (_, index) => start(index))),
    wrongKey: { bearer: WRONG_KEY },
    reliable(behaviour) {
      const { did = 0, otherwise = 0 } = session.learnt.led.get(behaviour) ?? {};
      return driver.control !== undefined || (did >= OFTEN && otherwise === 0);
    },
    mustGoOn: (reply) => void attempt.goingOn.add(reply),
    property: attempt.property,
    plain: () => session.learnt.plain,
    limited: () => session.limited,
    elapsed: () => host.now(),
    random,
    has: (need) => driver.lacks(need as Need) === undefined,
    broken: () => session.monitors.broken(attempt.by.id),
    breach: () => session.monitors.breach(attempt.by.id),
    known: (id) => session.model.known(id),
    over: () => run.ending.without(false) !== undefined,
    short: isCutShort(run.settings.limits, run.settings.rate),
  };
}
