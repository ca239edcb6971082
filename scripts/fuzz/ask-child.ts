import { once } from 'node:events';
import { type Child, checkChild } from './child.js';
import { Broken } from './law.js';

/** In a process of ours: answers each message, and says that it is ready. */
export function answerEach(answer: (message: string) => Promise<object>): void {
  process.on('message', (message: string) => {
    answer(message).then(
      (answered) => process.send?.(answered),
      (error: unknown) => process.send?.({ threw: error instanceof Error ? error.stack : String(error) }),
    );
  });
  process.stdout.write('ready\n');
}

/** Sends a message to a process of ours, and waits for its answer. @throws Broken if it ends, or if it threw */
export async function askChild<Result extends object>(
  child: Child,
  message: string,
  mostMegabytes: number,
): Promise<Result> {
  const over = new AbortController();
  const { signal } = over;
  try {
    const answered = once(child.process, 'message', { signal }).then(([answer]: unknown[]) => answer);
    const ended = child.closed.then(() => ({ threw: 'the process ended' }));
    answered.catch(() => {});
    child.process.send(message);
    const answer = (await Promise.race([answered, ended])) as Result | { threw: string };
    await checkChild(child, mostMegabytes);
    if ('threw' in answer) throw new Broken('nothing of ours throws', String(answer.threw));
    return answer;
  } finally {
    over.abort();
  }
}
