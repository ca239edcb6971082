import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Learned } from './aliases.js';
import { type PackedExchange, pack, withoutBodies } from './packed.js';
import { type Before, createWriter, type Writer, type WriterOptions, type Written } from './writer.js';

export interface Beginning {
  readonly options: WriterOptions;
  readonly before: Before | undefined;
}

export interface Order {
  readonly packed: PackedExchange;
  readonly path: string;
}

export interface Outcome {
  readonly written?: Written;
  readonly problem?: string;
  /** The values that got an alias in this line. */
  readonly learned: readonly Learned[];
}

/** The file that the build makes of `writer-main.ts`. It is beside every chunk; beside the source there is none. */
const MAIN = import.meta.url.endsWith('.ts') ? undefined : fileURLToPath(new URL('./recorder.js', import.meta.url));

/** Memory for text, in MB for each MB of an exchange: a stream of small deltas takes about ten. */
const HEAP = 12;
const LEAST_HEAP = 256;

const WHY = 'making its line took more memory than there is';

const heapFor = (limit: number) => Math.max(LEAST_HEAP, Math.ceil((limit * HEAP) / 1_048_576));

function started(main: string, heap: number, beginning: Beginning): ChildProcess {
  const child = fork(main, [], {
    serialization: 'advanced',
    // V8 prints much when it runs out of memory.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    execArgv: [`--max-old-space-size=${heap}`],
  });
  child.on('error', () => {});
  child.send(beginning, () => {});
  return child;
}

/**
 * A writer in a process of its own, so that no exchange waits for a line. An exchange that takes too
 * much memory ends only that process. A new process, which knows what the
 * former one did, then records it without its bodies.
 *
 * From source, which Node 20 cannot run, it is a writer in this process.
 *
 * @param heap memory for text, in MB
 */
export function createWriterProcess(
  options: WriterOptions,
  { main = MAIN, heap = heapFor(options.limit) }: { readonly main?: string | undefined; readonly heap?: number } = {},
): Writer {
  if (main === undefined) return createWriter(options);
  const learned: Learned[] = [];
  const paths = new Set<string>();
  let current: ChildProcess | undefined;
  const start = (before?: Before) => {
    const child = started(main, heap, { options, before });
    child.once('exit', () => {
      if (current === child) current = undefined;
    });
    return child;
  };
  current = start();

  const ask = (order: Order) =>
    new Promise<Outcome>((resolve, reject) => {
      current ??= start({ learned, paths: [...paths] });
      const child = current;
      const ended = (status: number | null, signal: string | null) =>
        reject(new Error(`the process that writes ended with ${signal ?? `status ${status}`}`));
      child.once('exit', ended);
      child.once('message', (outcome: Outcome) => {
        child.off('exit', ended);
        resolve(outcome);
      });
      child.send(order, () => {});
    });

  const write = async (order: Order): Promise<Written> => {
    const { packed, path } = order;
    const outcome = await ask(order).catch(() => ask({ packed: withoutBodies(packed, WHY), path }));
    for (const one of outcome.learned) learned.push(one);
    paths.add(path);
    if (!outcome.written) throw new Error(outcome.problem);
    return outcome.written;
  };

  let last: Promise<unknown> = Promise.resolve();
  return {
    // One exchange at a time, so that it is known which one ended the process.
    write(raw, path) {
      const written = last.then(() => write({ packed: pack(raw), path }));
      last = written.catch(() => {});
      return written;
    },
    async close() {
      await last;
      current?.disconnect();
    },
  };
}
