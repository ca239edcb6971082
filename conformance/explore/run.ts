import { stripVTControlCharacters } from 'node:util';
import type { ClockControl } from '../../emulator/clock/types.js';
import { counted } from '../../emulator/contract/counted.js';
import type { Journaled } from '../../emulator/contract/journal-entry.js';
import { messageOf } from '../../emulator/contract/system-error.js';
import { createDisturber } from '../../emulator/disturbances/disturber.js';
import { assemble } from '../../emulator/emulator.js';
import { defaultFactories, type Factories } from '../../emulator/factories.js';
import type { Faults } from '../../emulator/http/faults.js';
import type { EmulatorOptions } from '../../emulator/index.js';
import { HARMLESS } from '../habits/harmless/index.js';
import type { Host } from '../probe/time.js';
import { keepsRules } from './own.js';
import type { Rejections } from './rejections.js';
import type { Slot } from './slots.js';
import {
  type Outcome,
  type Program,
  type ProgramContext,
  ProgramCrashed,
  ProgramFailed,
  ProgramStuck,
  type ScheduleFile,
  type Seen,
  type SeenQuestion,
  type SeenRequest,
} from './types.js';
import { createWatch, type Watch } from './watch.js';

/** One run of the program, with what came of it. */
export interface AppRun {
  readonly seen: Seen;
  /** Kinds of the disturbances that have happened. */
  readonly disturbed: readonly string[];
  readonly ms: number;
  /** Places of what was printed among the requests: how many had come before. */
  readonly prints: readonly { readonly after: number; readonly text: string }[];
  readonly rejected: readonly string[];
}

/** The processes of a program that runs outside of ours. */
export interface Outside {
  /**
   * Runs their time forward, to their next timer or by `leap` ms, by `most` ms at most, if they only wait for `open` answers of the
   * emulator. `ahead` is called before they learn of it. Resolves with whether it was; undefined where their time is the real one.
   */
  forward(most: number, open: number, ahead: (ms: number) => void, leap?: number): Promise<boolean | undefined>;
  /** How long the wait that they are in may take, in ms; 0 where it has no limit, or none is known. */
  limit(): number;
}
/** The variables of a program that runs outside of our process. */
export interface OutsideContext extends ProgramContext {
  readonly outside?: (its: Outside) => void;
}

export interface RunSettings {
  readonly host: Host;
  readonly rejections: Rejections;
  readonly emulator: EmulatorOptions;
  readonly factories: Factories;
  readonly seed: string;
  /** Undefined: as long as is right for the program's time. */
  readonly patience: number | undefined;
  readonly runTimeout: number;
  /** Time in which it only waits does not count to that: patience bounds it. */
  readonly rests?: boolean;
  /** Whether a run that sent these goes on for ever: what follows shows nothing new. */
  endless?(requests: readonly SeenRequest[]): boolean;
  /** Aborts when the whole exploration ends. */
  readonly signal: AbortSignal;
}

/** Factories that load once what every run reads and none changes. */
export function loadedOnce(): Factories {
  const once = <A extends unknown[], T>(load: (...args: A) => T) => {
    let loaded: { readonly value: T } | undefined;
    return (...args: A): T => {
      loaded ??= { value: load(...args) };
      return loaded.value;
    };
  };
  return {
    ...defaultFactories,
    loadProfile: once(defaultFactories.loadProfile),
    loadSeed: once(defaultFactories.loadSeed),
    loadStockScripts: once(defaultFactories.loadStockScripts),
    loadSigningKey: once(defaultFactories.loadSigningKey),
  };
}

/** One set of faults for an emulator and its spaces: a request meets one in the space that it is sent to, and no other does. */
function sharedFaults(make: Factories['createFaults']): Factories['createFaults'] {
  let all: Faults | undefined;
  return (deps) => {
    if (all === undefined) {
      all = make(deps);
      return all;
    }
    const first = all;
    const own = make({ ...deps, initial: [] });
    return {
      ...own,
      take: (...call) => first.take(...call) ?? own.take(...call),
      takeDisturbing: (...call) => [...first.takeDisturbing(...call), ...own.takeDisturbing(...call)],
      disturbing: () => first.disturbing() || own.disturbing(),
    };
  };
}

/** How often a run is looked at, in ms of real time. */
const LOOK = 50;
/** How long a program waits for what will not come until it is said to, in ms of its own time. */
export const OWN_PATIENCE = 300_000;
/** The same where its time is the real one, and no limit of its own is known: longer than the 30 s between two keepalives. */
const PATIENCE = 40_000;
/** How long a program may take to act when its own limit is over, in ms. */
const LATE = 2_000;
/** Nothing is held back for longer by what is harmless, in ms of real time. */
const HELD = 600;
/** The part of the time for which a program has asked again and again, by which its time leaps. */
const LEAP = 10;
/** How long the processes of a run that is given up may take to end, in ms. */
const GONE = 1_000;
/** After which a program that has a request open only waits for it, and needs no processor. */
const IDLE = 100;

/** The longest message of a failure, in characters. */
const LONGEST = 2_000;

/** The waits of the program, as far as the emulator knows. */
function waitsFor(
  { requests }: Watch,
  waits: readonly SeenRequest['ended'][] = ['open'],
): { readonly waitsFor: string; readonly at?: string } {
  const open = requests.filter(({ ended }) => waits.includes(ended));
  const last = open.at(-1) ?? requests.at(-1);
  if (last === undefined) return { waitsFor: 'it had sent no request' };
  const what = `the ${last.operation} request no. ${last.nth}`;
  const text = open.length === 0 ? `its last was ${what}, which had ended` : `it waits for ${what}`;
  return { waitsFor: text, at: last.operation };
}

const lengthOf = (ms: number): string => {
  if (ms < 1_000) return `${ms} ms`;
  return ms % 60_000 === 0 ? counted(ms / 60_000, 'minute') : `${Math.round(ms / 1_000)} s`;
};

/** How many answers to a question the program itself delivered. */
const answersTo = (id: string, { requests }: Watch): number =>
  requests.filter(
    ({ operation, acted, body }) => operation === 'answer' && (acted ?? 500) < 300 && body.includes(JSON.stringify(id)),
  ).length;

interface Listed {
  readonly data: readonly { readonly id: string; readonly name: string; readonly status: string }[];
}
interface RunLine {
  readonly type: string;
  readonly text?: string;
  readonly id?: string;
  readonly ask?: unknown;
  readonly answer?: unknown;
}
interface RunsListed {
  readonly data: readonly Omit<Seen['runs'][number], 'prompt'>[];
}

/** Runs the program once, beside an emulator of its own that serves a schedule. */
export async function runOnce(
  program: Program,
  schedule: ScheduleFile | undefined,
  settings: RunSettings,
  place?: Slot,
): Promise<AppRun> {
  const { host, rejections } = settings;
  // The time of the program: it runs ahead where it only waits for us.
  let skipped = 0;
  const now = () => host.now() + skipped;
  const watch = createWatch(now);
  const emulator = assemble(
    {
      ...settings.emulator,
      seed: settings.seed,
      clock: 'auto',
      quiet: true,
      chaos: schedule?.faults ?? [],
      disturbances: async () => HARMLESS,
    },
    {
      ...settings.factories,
      createFaults: sharedFaults(settings.factories.createFaults),
      createDisturber: (deps) => createDisturber({ ...deps, observe: watch.observe }),
    },
  );
  const began = host.now();
  const prints: { after: number; text: string }[] = [];
  const rejected: string[] = [];
  const over = new AbortController();
  // A program may have closed its emulator.
  const control = async (path: string): Promise<unknown> => {
    try {
      return await (await emulator.fetch(new URL(path, `${emulator.target.control_url}/`).href)).json();
    } catch {
      return { data: [] };
    }
  };
  const fetch: typeof globalThis.fetch = (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input, `${emulator.target.base_url}/`);
    const { base_url, daemon_origin } = emulator.target;
    const given = input instanceof Request ? input : url;
    if (url.origin === new URL(daemon_origin).origin) return emulator.daemon.fetch(given, init);
    if (url.origin === new URL(base_url).origin) return emulator.fetch(given, init);
    return globalThis.fetch(input, init);
  };

  let outside: Outside | undefined;
  // Time that a program lets pass on the emulator's clock has passed for it.
  const advance = async (ms: number, signal?: AbortSignal) => {
    await emulator.clock.advance(ms, signal);
    skipped += ms;
    watch.noteActivity();
  };
  const clock: ClockControl = Object.create(emulator.clock, { advance: { value: advance } });
  const context: OutsideContext = {
    emulator: { ...emulator, clock },
    target: emulator.target,
    fetch,
    signal: over.signal,
    print(text) {
      watch.noteActivity();
      prints.push({ after: watch.requests.length, text });
    },
    outside(its) {
      outside = its;
    },
  };
  let exit: number | undefined;
  const ended = (async (): Promise<Outcome> => {
    try {
      await rejections.within(
        (reason) => rejected.push(messageOf(reason)),
        async () => program(context),
      );
      return { kind: 'passed' };
    } catch (error) {
      if (error instanceof ProgramCrashed) return { kind: 'crashed', message: error.message };
      if (error instanceof ProgramStuck) {
        const { at } = waitsFor(watch, ['open', 'left', 'broken']);
        return { kind: 'hung', waitsFor: error.message, ...(at === undefined ? {} : { at }) };
      }
      exit = error instanceof ProgramFailed ? error.exit : undefined;
      const asserted = error instanceof Error && /^Assert|^JestAssert/.test(error.name);
      const by = error instanceof ProgramFailed ? error.by : asserted ? 'test' : 'app';
      return { kind: 'failed', message: stripVTControlCharacters(messageOf(error)).slice(0, LONGEST), by };
    }
  })();
  let outcome: Outcome | undefined;
  void ended.then((value) => {
    outcome ??= value;
  });
  const waiting = new AbortController();
  // At once: the one who ends the exploration may leave.
  const giveUp = () => {
    over.abort(new Error('the exploration was ended'));
    waiting.abort();
  };
  settings.signal.addEventListener('abort', giveUp, { once: true });
  if (settings.signal.aborted) giveUp();
  void ended.then(() => waiting.abort());
  let waited = 0;
  // How much of its real time it only waited.
  let rested = 0;
  let looked = now();
  let lookedReal = host.now();
  let own = false;
  // In real time it may wait as long as it says itself.
  let real = PATIENCE;
  while (outcome === undefined && !settings.signal.aborted) {
    const at = now();
    const asked = watch.askedUntil() - at;
    const since = Math.max(watch.lastActivity(), watch.askedUntil());
    // Time in which this process was held up is none that the program waits, but where it runs ahead of ours anyway.
    if (own) waited = Math.max(0, at - since);
    else waited = since >= looked ? 0 : waited + Math.min(at - looked, 2 * LOOK);
    if (waited === 0) real = PATIENCE;
    const open = watch.requests.filter((request) => request.ended === 'open').length;
    // One that has nothing open may be starting, or at work by itself.
    const waits = waited >= IDLE && open > 0;
    place?.waits(waits);
    // A program that asks again and again waits for another answer: the longer it does, the further its time leaps.
    const polls = open === 0 ? watch.pollsSince() : undefined;
    const polled = polls === undefined ? 0 : at - polls;
    if (settings.rests && (own ? polled > 0 : waits)) rested += host.now() - lookedReal;
    looked = at;
    lookedReal = host.now();
    if (waited >= real && !own) {
      const limit = (outside?.limit() ?? 0) + LATE;
      // One that is too long need not be waited for.
      if (limit > waited && limit < OWN_PATIENCE) real = limit;
    }
    const patience = settings.patience ?? (own ? OWN_PATIENCE : real);
    const late = host.now() - began - rested >= settings.runTimeout;
    const unchanged: number = own ? Math.max(waited, polled) : waited;
    if (late || unchanged >= patience) {
      const limit = late
        ? `until the limit of a run, ${lengthOf(settings.runTimeout)}`
        : `for ${lengthOf(patience)}${own ? ' of its own time' : ''}`;
      const found = waitsFor(watch);
      outcome = { kind: 'hung', ...found, waitsFor: `${found.waitsFor}, ${limit}` };
      break;
    }
    if (settings.endless?.(watch.requests)) {
      outcome = { kind: 'hung', ...waitsFor(watch) };
      break;
    }
    const quiet = polled > 0 || (at - watch.lastActivity() >= HELD && (open > 0 || asked > 0));
    const most = asked > 0 ? asked : (settings.patience ?? OWN_PATIENCE) - unchanged;
    const leap = Math.min(most, polled / LEAP);
    const ahead = (ms: number) => {
      skipped += ms;
    };
    const gone = quiet ? await outside?.forward(most, open, ahead, leap) : false;
    own ||= quiet && (open > 0 || polled > 0) && gone !== undefined;
    if (!gone) await host.sleep(LOOK, waiting.signal).catch(() => {});
  }
  settings.signal.removeEventListener('abort', giveUp);
  outcome ??= { kind: 'hung', waitsFor: 'the exploration was ended' };
  // A stream that it leaves because it is given up is not its own doing.
  const requests = (): SeenRequest[] => watch.requests.map((request) => ({ ...request }));
  const given = outcome.kind === 'hung' ? requests() : undefined;
  // Rejections are reported once no promise has anything left to do.
  await host.turn();
  over.abort(new Error('the run is over'));
  if (outside !== undefined)
    await new Promise<void>((resolve) => {
      const late = host.later(GONE, resolve);
      void ended.then(() => {
        late();
        resolve();
      });
    });

  const runs = (await control('runs')) as RunsListed;
  const lines = await Promise.all(
    runs.data.map(
      async ({ id }) => ((await control(`runs/${id}`)) as { transcript?: readonly RunLine[] }).transcript ?? [],
    ),
  );
  // Teardowns that are due are run out; nothing else is.
  await emulator.clock.advance(600_000).catch(() => {});
  const interns = ((await control('interns')) as Listed).data;
  keepsRules(((await control('journal')) as { data: readonly Journaled[] }).data, emulator.target.profile);
  const ms = host.now() - began;
  await emulator.close();

  const questions = new Map<string, { id: string; ask: unknown; answers: unknown[] }>();
  for (const line of lines.flat()) {
    if (line.type === 'ask') questions.set(line.id ?? '', { id: line.id ?? '', ask: line.ask, answers: [] });
    if (line.type === 'answer') questions.get(line.id ?? '')?.answers.push(line.answer);
  }
  const seen: Seen = {
    requests: given ?? requests(),
    runs: runs.data.map((run, at) => ({
      id: run.id,
      intern_id: run.intern_id,
      status: run.status,
      ...(run.ended === undefined ? {} : { ended: run.ended }),
      prompt: lines[at]?.find(({ type }) => type === 'prompt')?.text ?? '',
    })),
    questions: [...questions.values()].map(
      (question): SeenQuestion => ({ ...question, others: question.answers.length - answersTo(question.id, watch) }),
    ),
    interns: interns.map(({ id, name, status }) => ({ id, name, status })),
    stdout: prints.map(({ text }) => text).join(''),
    exit,
    outcome,
  };
  return { seen, disturbed: [...watch.disturbed], ms, prints, rejected };
}
