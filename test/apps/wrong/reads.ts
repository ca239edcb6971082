import { systemHost } from '../../../conformance/probe/time.js';
import type { WrongApp } from '../app.js';
import { createClient, type Parts } from '../client.js';
import { check, prompt, seeded, talk } from '../stories.js';
import { type Bytes, type Chunk, dataOf, linesOf, readChunk } from '../stream.js';

/** Apps that fail over what a service may do: how they read streams. */

const law = 'harmless-passes';
const talking =
  (own: Parts): WrongApp['run'] =>
  (context) =>
    talk(createClient(context, own));

/** The pieces of a body as they come, each decoded by itself unless reported otherwise. */
async function* texts(bytes: Bytes, decode: (piece: Uint8Array) => string): AsyncGenerator<string> {
  for (;;) {
    const { done, value } = await bytes.next();
    if (done || value === undefined) return;
    yield decode(value);
  }
}
const streaming = () => {
  const decoder = new TextDecoder();
  return (piece: Uint8Array) => decoder.decode(piece, { stream: true });
};
const dataIn = (line: string) => (line.startsWith('data: ') ? [line.slice('data: '.length)] : []);

/** Events by blank lines of LF alone. */
async function* byBlankLines(bytes: Bytes): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of texts(bytes, streaming())) {
    const events = (rest + piece).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) yield* event.split('\n').flatMap(dataIn);
  }
}

export const READS: readonly WrongApp[] = [
  {
    id: 'comment-is-data',
    what: 'parses each line of a stream that is neither blank nor an event, comments too',
    seen: 'deepnoodle-ai/dive#206: `: OPENROUTER PROCESSING` fell through to the JSON parser, and the turn failed',
    law,
    run: talking({
      async *data(bytes) {
        for await (const line of linesOf(bytes))
          if (line !== '' && !line.startsWith('event:')) yield line.replace(/^data: ?/, '');
      },
    }),
  },
  {
    id: 'lf-only',
    what: 'ends events at two LF, so that a stream with CRLF has none',
    seen: 'hey-api/hey-api#3054: `buffer.split("\\n\\n")` never finds an event of a server that writes CRLF',
    law,
    run: talking({ data: (bytes) => byBlankLines(bytes) }),
  },
  {
    id: 'decoder-per-piece',
    what: 'decodes each piece of a stream by itself, so that a character that is cut is lost',
    seen: 'mastra-ai/mastra#20216: a new TextDecoder per chunk turned characters at the boundary into U+FFFD',
    law,
    run: talking({ data: (bytes) => dataOf(bytes, (piece) => new TextDecoder().decode(piece)) }),
  },
  {
    id: 'piece-is-lines',
    what: 'takes each piece that it reads for a whole number of lines',
    seen: 'LearningCircuit/local-deep-research#4693: no buffer across reads, so an event in two pieces is not JSON',
    law,
    run: talking({
      async *data(bytes) {
        for await (const piece of texts(bytes, streaming())) yield* piece.split(/\r?\n/).flatMap(dataIn);
      },
    }),
  },
  {
    id: 'piece-is-event',
    what: 'takes each piece that it reads for one event with text, and keeps the last one',
    seen: 'feathersjs/feathers#3643: each chunk of the network was parsed on its own, as if it were one event',
    law,
    async run(context) {
      const client = createClient(context, {
        async *data(bytes) {
          let rest = '';
          for await (const piece of texts(bytes, streaming())) {
            const lines = (rest + piece).split(/\r\n|\n/);
            rest = lines.pop() ?? '';
            const events = lines.flatMap(dataIn);
            const last = events.findLastIndex((data) => /"content":"[^"]/.test(data));
            yield* events.filter((data, at) => at === last || !/"content":"[^"]/.test(data));
          }
        },
      });
      const { text } = await prompt(client, seeded(client), 'script: slow');
      check(text.split(' ').length > 15, `expected a story, got ${text}`);
      context.print(text);
    },
  },
  {
    id: 'every-event-is-a-chunk',
    what: 'ignores the type of an event, and rejects data that is no chunk',
    seen: 'anomalyco/opencode#38106: a named event in a chat stream ended the turn with a TypeValidationError',
    law,
    run: talking({
      async *data(bytes) {
        for await (const line of linesOf(bytes)) yield* dataIn(line);
      },
      chunk(data) {
        const chunk = readChunk(data);
        if (chunk === undefined) throw new Error(`not a chunk: ${data}`);
        return chunk;
      },
    }),
  },
  {
    id: 'usage-is-there',
    what: 'reads the usage of a reply that reports none',
    seen: 'Continuum-AI-Corp/OrcaRouter-Lite#125: a usage of null threw on `total_tokens`, and the reply was lost',
    law,
    async run(context) {
      const client = createClient(context, {
        chunk(data) {
          const { usage } = JSON.parse(data) as { usage?: { total_tokens: number } | null };
          if (usage !== undefined) (usage as { total_tokens: number }).total_tokens.toFixed();
          return readChunk(data);
        },
      });
      const { text } = await prompt(client, seeded(client), 'script: slow');
      context.print(text);
    },
  },
  {
    id: 'strict-chunks',
    what: 'rejects a chunk with a field that it does not know',
    seen: 'dudarenok-maker/Castwright#842: a strict schema rejected one stray key, and the whole answer was discarded',
    law,
    run: talking({ chunk: (data) => strict(data) }),
  },
  {
    id: 'fields-in-order',
    what: 'finds the text of a chunk by a pattern that expects its fields in one order',
    seen: 'cactus-compute/cactus#757: the content of a message was searched behind its role, and lost before it',
    law,
    run: talking({
      chunk(data) {
        const chunk = readChunk(data);
        if (chunk?.choices[0]?.delta?.content === undefined) return chunk;
        const found = /"choices":\[\{"index":0,"delta":\{(?:"role":"assistant",)?"content":("(?:[^"\\]|\\.)*")/.exec(
          data,
        );
        return { choices: [{ ...chunk.choices[0], delta: { content: JSON.parse(found?.[1] ?? '""') } }] };
      },
    }),
  },
  {
    id: 'waits-for-the-end-of-the-connection',
    what: 'reads on after [DONE] until the connection is closed, and fails when that takes a tenth of a second',
    seen: 'ltmoerdani/opencode-copilot-chat#170: a gateway kept the connection open after [DONE], and the turn hung',
    law,
    run: talking({
      async *data(bytes) {
        for await (const data of dataOf(bytes)) {
          if (data === '[DONE]' && !(await closesSoon(bytes))) throw new Error('the connection stayed open');
          yield data;
        }
      },
    }),
  },
  {
    id: 'hurries',
    what: 'gives up on an answer that takes two seconds',
    seen: 'BlockRunAI/Franklin#74: the limit was shorter than the time to the first token that the service documents',
    law,
    run: talking({
      async exchange(client, call) {
        // Its own clock is that of the emulator, as in tests with timers of their own.
        const now = () => client.context.emulator?.clock.now() ?? 0;
        const began = now();
        const response = await createClient(client.context).exchange(client, call);
        if (now() - began >= 2_000) throw new Error('no answer within 2 s');
        return response;
      },
    }),
  },
  {
    id: 'headers-on-a-list',
    what: 'takes the headers of an answer apart by a list, and throws at one that is not on it',
    seen: 'yvgude/lean-ctx#1638: headers went through a list, which was wrong as soon as the service sent others',
    law,
    run: talking({
      async exchange(client, call) {
        const response = await createClient(client.context).exchange(client, call);
        const unknown = [...response.headers.keys()].find((name) => !HEADERS.test(name));
        if (unknown !== undefined) throw new Error(`unknown header ${unknown}`);
        return response;
      },
    }),
  },
  {
    id: 'type-as-a-whole',
    what: 'takes an answer for a stream only where its content type has no parameter',
    seen: 'smithy-lang/smithy-java#1244: `text/event-stream; charset=utf-8` was compared as a whole, and read as JSON',
    law,
    run: talking({
      async exchange(client, call) {
        const response = await createClient(client.context).exchange(client, call);
        const type = response.headers.get('content-type') ?? '';
        if (type.startsWith('text/event-stream;')) throw new Error(`no stream: ${type}`);
        return response;
      },
    }),
  },
];

async function closesSoon(bytes: Bytes): Promise<boolean> {
  const closed = (async () => {
    while (!(await bytes.next()).done);
    return true;
  })();
  return Promise.race([closed, systemHost.sleep(100).then(() => false)]);
}

const HEADERS =
  /^(content-.*|cache-control|x-request-id|x-accel-buffering|retry-after|date|connection|keep-alive|transfer-encoding|vary|x-ratelimit-.*)$/;
const KNOWN = /^(id|object|created|model|choices|session_id|usage|error)$/;
function strict(data: string): Chunk | undefined {
  const unknown = Object.keys(JSON.parse(data)).find((key) => !KNOWN.test(key));
  if (unknown !== undefined) throw new Error(`unrecognized key: ${unknown}`);
  return readChunk(data);
}
