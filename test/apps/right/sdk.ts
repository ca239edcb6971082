import { systemHost } from '../../../conformance/probe/time.js';
import type { AppContext } from '../app.js';
import { check } from '../stories.js';
import { dataOf } from '../stream.js';

/** The common part of the apps with an SDK: they ask for permission and give it, and look closely at the answers. */

/** ms of silence after which they give up: SDKs have a limit for a request, and none for a stream. */
export const IDLE = 1_500;
export const APPROVAL = 'script: ask-permission';

/** One turn as an SDK tells it. */
export interface Turn<Call> {
  text: string;
  finish?: string | undefined;
  session?: string | undefined;
  asked?: Call | undefined;
}

/** Reads a stream of an SDK with a limit for its silences. `leave` ends the request. */
export async function* limited<T>(stream: AsyncIterable<T>, leave: () => void): AsyncGenerator<T> {
  const from = stream[Symbol.asyncIterator]();
  for (;;) {
    let late = () => {};
    const limit = new Promise<never>((_, reject) => {
      late = systemHost.later(IDLE, () => {
        reject(new Error('nothing came'));
        leave();
      });
    });
    const next = from.next();
    next.catch(() => {});
    try {
      const { done, value } = await Promise.race([next, limit]);
      if (done) return;
      yield value;
    } finally {
      late();
    }
  }
}

/** Asks, and answers what is asked. A reply counts only with a finish reason that is good and its final chunk. */
export async function approveWith<Call>(
  { print }: AppContext,
  send: (question?: { asked: Call; session: string }) => Promise<Turn<Call>>,
): Promise<void> {
  const first = whole(await send());
  check(first.asked !== undefined, 'expected a question');
  print(first.text);
  const second = whole(await send({ asked: first.asked, session: first.session }));
  check(second.text === 'Allowed once.', `expected to hear of the permission, heard ${second.text}`);
  print(second.text);
}

function whole<Call>(turn: Turn<Call>): Turn<Call> & { session: string } {
  const { finish, session } = turn;
  check(finish === 'stop' || finish === 'tool_calls' || finish === 'tool-calls', `the reply ended with ${finish}`);
  check(session !== undefined, 'the reply was cut');
  return { ...turn, session };
}

/** The same stream without events of other types than the default one. */
export function ofDefaultType(response: Response): Response {
  const reader = response.body?.getReader();
  if (reader === undefined || !response.headers.get('content-type')?.startsWith('text/event-stream')) return response;
  const events = dataOf({ next: () => reader.read() });
  const body = new ReadableStream<Uint8Array>({
    async pull(sink) {
      const { done, value } = await events.next();
      if (done) sink.close();
      else sink.enqueue(new TextEncoder().encode(`data: ${value}\n\n`));
    },
    cancel: (reason) => reader.cancel(reason),
  });
  return new Response(body, { status: response.status, headers: response.headers });
}
