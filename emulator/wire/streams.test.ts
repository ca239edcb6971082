import { expect, test } from 'vitest';
import { rewritten } from './answer.js';
import { createEventSplitter, passed, readAhead, through } from './streams.js';

const bytes = (text: string) => new TextEncoder().encode(text);

function source(...pieces: string[]) {
  const left: unknown[] = [];
  const all = pieces.map(bytes);
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const piece = all.shift();
        if (piece === undefined) controller.close();
        else controller.enqueue(piece);
      },
      cancel: (reason) => void left.push(reason),
    },
    { highWaterMark: 0 },
  );
  return { body, left };
}

const streamed = (...pieces: string[]) =>
  new Response(source(...pieces).body, { headers: { 'content-type': 'text/event-stream' } });

test('a stream comes apart into events, however it is cut', () => {
  const text = 'data: ä\n\n: a comment\n\ndata: last';
  const cut = [...bytes(text)].map((byte) => Uint8Array.of(byte));
  const split = createEventSplitter();
  expect([...cut, undefined].flatMap((piece) => split(piece))).toEqual([
    'data: ä\n\n',
    ': a comment\n\n',
    'data: last',
  ]);
});

test('events are changed one by one, and one that becomes nothing is left out', async () => {
  const text = (event: string) => (event === 'b' ? '' : `${event}${event}\n\n`);
  expect(await (await rewritten(streamed('a\n', '\nb\n\nc', '\n\n'), { text })).text()).toBe('aa\n\ncc\n\n');
});

test('something is sent before the end', async () => {
  const body = passed(source('a', 'b').body, { sends: (piece) => piece ?? 'end' });
  expect(await new Response(body).text()).toBe('abend');
});

test('the source learns that its client has left, at once or when it is said', async () => {
  const plain = source('a', 'b');
  await passed(plain.body, {}).cancel('gone');
  const later = source('a', 'b');
  let cancel = () => Promise.resolve();
  await passed(later.body, {
    left(now) {
      cancel = now;
    },
  }).cancel('gone');
  expect([plain.left, later.left]).toEqual([['gone'], []]);
  await cancel();
  expect(later.left).toEqual(['gone']);
});

test('a source that breaks off breaks the body off too', async () => {
  let broken = 0;
  const body = new ReadableStream<Uint8Array>({
    pull() {
      throw new Error('broken');
    },
  });
  const response = through(new Response(body), { broken: () => void broken++ });
  await expect(response.text()).rejects.toThrow('broken');
  expect(broken).toBe(1);
});

test('an answer keeps what is not changed', async () => {
  const answer = Response.json({ id: 1 }, { status: 201, headers: { 'x-other': 'kept' } });
  const changed = await rewritten(answer, {
    status: 202,
    headers: (headers) => headers.set('x-new', 'made'),
    json: () => ({ id: 2 }),
  });
  expect([changed.status, changed.headers.get('x-other'), changed.headers.get('x-new')]).toEqual([202, 'kept', 'made']);
  expect(await changed.json()).toEqual({ id: 2 });
});

test('what is read ahead is not lost', async () => {
  const { text, body } = await readAhead(source('a', 'b', 'c').body, (sofar) => sofar.length > 1);
  expect([text, await new Response(body).text()]).toEqual(['ab', 'abc']);
  const whole = await readAhead(source('a', 'b').body, () => false);
  expect([whole.text, await new Response(whole.body).text()]).toEqual(['ab', 'ab']);
});
