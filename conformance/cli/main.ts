import { createInterface } from 'node:readline/promises';
import { systemHost } from '../probe/time.js';
import { conformance } from './command.js';
import type { Io } from './io.js';

/**
 * Runs the kit as a process, with its streams and signals. The first Ctrl-C ends the run and cleans up, a
 * second one leaves at once, unless a command claims it. Returns the exit code.
 */
export async function main(
  args: readonly string[],
  { name, gone }: { readonly name?: string } & Pick<Io, 'gone'> = {},
): Promise<number> {
  const over = new AbortController();
  const again = new AbortController();
  let isClaimed = false;
  let asked = 0;
  const interrupt = () => {
    const now = systemHost.now();
    // npm and shells pass one Ctrl-C on twice.
    if (over.signal.aborted && now - asked <= 150) return;
    asked = now;
    if (over.signal.aborted && (!isClaimed || again.signal.aborted)) process.exit(130);
    if (over.signal.aborted) return again.abort();
    const under = isClaimed ? 'ending; press Ctrl-C again to report' : 'cleaning up; press Ctrl-C again to leave';
    process.stderr.write(`\n${under} at once\n`);
    over.abort(new Error('interrupted'));
  };
  const ask = async (question: string): Promise<string> => {
    // Not in raw mode, in which Ctrl-C is an ordinary key.
    const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
    try {
      return await lines.question(question, { signal: over.signal });
    } finally {
      lines.close();
    }
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  try {
    return await conformance(
      args,
      {
        out: (text) => void process.stdout.write(text),
        err: (text) => void process.stderr.write(text),
        colour: process.stdout.isTTY === true && process.env.NO_COLOR === undefined,
        live: process.stderr.isTTY === true,
        ask: process.stdin.isTTY === true && process.stderr.isTTY === true ? ask : undefined,
        width: process.stderr.columns ?? 100,
        env: process.env,
        signal: over.signal,
        again() {
          isClaimed = true;
          return again.signal;
        },
        gone,
        host: systemHost,
      },
      name,
    );
  } finally {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  }
}
