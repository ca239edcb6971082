import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { listening } from '../testing/listening.harness.js';

/** Sends a request over a connection of its own and reports what came back and how the connection ended. */
async function exchange(head: string, body: Uint8Array): Promise<{ answer: string; error?: string }> {
  const { at } = await listening();
  const socket = connect(Number(new URL(at.url).port), '127.0.0.1');
  let answer = '';
  let error: string | undefined;
  socket.on('data', (bytes) => {
    answer += bytes.toString();
  });
  socket.on('error', (failed: NodeJS.ErrnoException) => {
    error = failed.code;
  });
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  // In two writes: a sender in the middle of a body finds out by the second that nobody takes it.
  socket.write(head);
  const half = body.length / 2;
  socket.write(body.subarray(0, half), () => setImmediate(() => socket.write(body.subarray(half))));
  await closed;
  return { answer, ...(error === undefined ? {} : { error }) };
}

const KEY = 'Authorization: Bearer emu-key-alice-0000000000000000\r\n';
const OUTSIDER = 'Authorization: Bearer emu-key-oscar-0000000000000000\r\n';

// Many clients look at the answer only once all of their body is sent; to them a cut connection is not an answer.
test.each([
  ['BODY-2: over the cap, as declared', `POST /api/v1/interns HTTP/1.1\r\n${KEY}`, 413],
  ['AUTH-1: without a credential', 'POST /api/v1/interns HTTP/1.1\r\n', 401],
  ['AUTH-5: from outside the programme', `PATCH /api/v1/interns/none HTTP/1.1\r\n${OUTSIDER}`, 404],
  ['BASE-5: with a method that is not taken', `PUT /api/v1/interns HTTP/1.1\r\n${KEY}`, 405],
])('a sender that closes afterwards gets its answer whole: %s', async (_what, head, status) => {
  const body = Buffer.alloc(6 * 1_048_576, 0x20);
  const outcome = await exchange(
    `${head}Host: localhost\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n`,
    body,
  );
  expect(outcome).toEqual({
    answer: expect.stringMatching(new RegExp(`^HTTP/1.1 ${status} [^]*"code":${status}[^]*\\}$`)),
  });
});
