import { createInterface } from 'node:readline';

/** The kit's request: one call (docs/lab.md). */
export interface Run {
  run: string;
  url: string;
  base_url: string;
  headers: { authorization: string };
  body: Record<string, unknown>;
  timeout: number;
  retries: 0 | 'default';
  stop_after?: number;
}

const say = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`);

/** The status of an error, wherever its client keeps it. */
const statusOf = (error: unknown): number | undefined => {
  const { status, statusCode, code } = Object(error) as Record<string, unknown>;
  return [status, statusCode, code].find((one): one is number => Number.isInteger(one));
};

/** Says who the adapter is, and answers each run: what `call` puts into `answer`, and how it ends. */
export async function adapt(
  hello: { adapter: string; version: string; layers: string[] },
  call: (run: Run, answer: Record<string, unknown>, tell: (event: unknown) => void) => Promise<void>,
): Promise<void> {
  say(hello);
  for await (const text of createInterface({ input: process.stdin })) {
    if (text.trim() === '') continue;
    const run = JSON.parse(text) as Run;
    const answer = {};
    try {
      await call(run, answer, (event) => say({ run: run.run, event }));
      say({ run: run.run, outcome: 'complete', ...answer });
    } catch (error) {
      const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      say({ run: run.run, outcome: 'error', ...answer, error: { message, status: statusOf(error) } });
    }
  }
}
