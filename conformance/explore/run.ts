import { createDisturber } from '../../emulator/disturbances/disturber.js';
import { assemble } from '../../emulator/emulator.js';
import { defaultFactories, type Factories } from '../../emulator/factories.js';
import type { EmulatorOptions } from '../../emulator/index.js';
import { HARMLESS } from '../habits/harmless/index.js';
import type { Host } from '../probe/time.js';
import type { Rejections } from './rejections.js';
import type { Place } from './slots.js';
import {
  type Outcome,
  type Program,
  ProgramCrashed,
  ProgramFailed,
  type ScheduleFile,
  type Seen,
  type SeenQuestion,
} from './types.js';
import { createWatch, type Watch } from './watch.js';

/** One run of the program, with what came of it. */
export interface Run {
  readonly seen: Seen;
  /** Kinds of the disturbances that have happened. */
  readonly disturbed: readonly string[];
  readonly ms: number;
  /** Places of what was printed among the requests: how many had come before. */
  readonly prints: readonly { readonly after: number; readonly text: string }[];
  readonly rejected: readonly string[];
}

export interface RunSettings {
  readonly host: Host;
  readonly rejections: Rejections;
  readonly emulator: EmulatorOptions;
  readonly factories: Factories;
  readonly seed: string;
  readonly patience: number;
  readonly runTimeout: number;
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

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
/** How often a run is looked at, in ms of real time. */
const LOOK = 50;
/** After which a program that has a request open only waits for it, and needs no processor. */
const IDLE = 200;

/** What the program waits for, as far as the emulator knows. */
function waitsFor({ requests }: Watch): string {
  const open = requests.filter(({ ended }) => ended === 'open');
  const last = open.at(-1) ?? requests.at(-1);
  if (last === undefined) return 'it had sent no request';
  const what = `the ${last.operation} request no. ${last.nth}`;
  return open.length === 0 ? `its last was ${what}, which had ended` : `it waits for ${what}`;
}

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
  readonly data: readonly {
    readonly id: string;
    readonly intern_id: string;
    readonly status: string;
    readonly ended?: string;
  }[];
}

/** Runs the program once, beside an emulator of its own that serves a schedule. */
export async function runOnce(
  program: Program,
  schedule: ScheduleFile | undefined,
  settings: RunSettings,
  place?: Place,
): Promise<Run> {
  const { host, rejections } = settings;
  const watch = createWatch(host.now);
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

  let exit: number | undefined;
  const ended = (async (): Promise<Outcome> => {
    try {
      await rejections.within(
        (reason) => rejected.push(messageOf(reason)),
        async () =>
          program({
            emulator,
            target: emulator.target,
            fetch,
            signal: over.signal,
            print(text) {
              watch.noteActivity();
              prints.push({ after: watch.requests.length, text });
            },
          }),
      );
      return { kind: 'passed' };
    } catch (error) {
      if (error instanceof ProgramCrashed) return { kind: 'crashed', message: error.message };
      exit = error instanceof ProgramFailed ? error.exit : undefined;
      return { kind: 'failed', message: messageOf(error) };
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
  // Time in which the process was held up is no time that the program waits.
  let waited = 0;
  let looked = began;
  while (outcome === undefined && !settings.signal.aborted) {
    const now = host.now();
    waited = watch.lastActivity() >= looked ? 0 : waited + Math.min(now - looked, 2 * LOOK);
    looked = now;
    // One that has nothing open may be starting, or at work by itself.
    place?.waits(waited >= IDLE && watch.requests.some((request) => request.ended === 'open'));
    if (waited >= settings.patience || now - began >= settings.runTimeout)
      outcome = { kind: 'hung', waitsFor: waitsFor(watch) };
    else await host.sleep(LOOK, waiting.signal).catch(() => {});
  }
  settings.signal.removeEventListener('abort', giveUp);
  outcome ??= { kind: 'hung', waitsFor: 'the exploration was ended' };
  // Rejections are reported once no promise has anything left to do.
  await host.turn();
  over.abort(new Error('the run is over'));

  const runs = (await control('runs')) as RunsListed;
  const lines = await Promise.all(
    runs.data.map(
      async ({ id }) => ((await control(`runs/${id}`)) as { transcript?: readonly RunLine[] }).transcript ?? [],
    ),
  );
  // Teardowns that are due are run out; nothing else is.
  await emulator.clock.advance(600_000).catch(() => {});
  const interns = ((await control('interns')) as Listed).data;
  const ms = host.now() - began;
  await emulator.close();

  const questions = new Map<string, { id: string; ask: unknown; answers: unknown[] }>();
  for (const line of lines.flat()) {
    if (line.type === 'ask') questions.set(line.id ?? '', { id: line.id ?? '', ask: line.ask, answers: [] });
    if (line.type === 'answer') questions.get(line.id ?? '')?.answers.push(line.answer);
  }
  const seen: Seen = {
    requests: watch.requests.map((request) => ({ ...request })),
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
