import { ok } from '../model/assert.js';
import type { Send } from '../probe/request.js';
import { JSON_TYPE, operation, padded, textBytes } from '../requests/operations.js';
import { checksOf } from '../run/check.js';
import type { Ctx } from '../run/context.js';
import * as expect from '../run/expect.js';

const CAP = 1_048_576;

/** An operation whose body has a cap. */
interface Write {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  body(): Record<string, unknown>;
}

/** Some of the operations that the interface names for the cap: create, update and delete. */
async function writes({ interns, sample }: Ctx): Promise<Write[]> {
  const bodies: Readonly<Record<string, Write['body']>> = {
    create: () => interns.body(),
    update: () => ({ description: 'sent' }),
    delete: () => ({ acknowledge_workspace_loss: true }),
  };
  const all: Write[] = [];
  for (const [name, body] of sample(Object.entries(bodies))) {
    const { method, path } = operation(name);
    all.push({ name, method, path: name === 'create' ? '/interns' : path((await interns.stopped()).id), body });
  }
  return all;
}

const send = (ctx: Ctx, { method, path }: Write, body: Send['body']) =>
  ctx.send({ method, path, headers: JSON_TYPE, ...(body === undefined ? {} : { body }) });

/** A body within the cap, of the same operation, is accepted. */
const accepts = (ctx: Ctx, write: Write) =>
  ctx.twin(`${write.name} as bytes`, async () =>
    expect.status(await send(ctx, write, padded(write.body(), 200)), expect.ACCEPTED, 'the valid twin'),
  );

export const BODIES = checksOf('BODY-3', {
  'bodies/cap-in-bytes': {
    requirement: 'BODY-2',
    title: 'The cap counts bytes, not characters: a text of half as many characters of two bytes is too large.',
    needs: ['write'],
    async run(ctx) {
      for (const write of await writes(ctx)) {
        const text = JSON.stringify({ ...write.body(), x: 'é'.repeat(CAP / 2) });
        ok(text.length < CAP, 'characters of the body', 'less than the cap', text.length);
        const answer = await send(ctx, write, textBytes(text));
        expect.error(answer, { status: 413 }, `a body of two-byte characters to ${write.path}`);
        await accepts(ctx, write);
      }
    },
  },
  'bodies/cap-whatever-it-holds': {
    requirement: 'BODY-2',
    title: 'A body over the cap is 413 with any content: white space, no JSON, a field that is too long.',
    needs: ['write'],
    async run(ctx) {
      for (const write of await writes(ctx)) {
        const bodies = [
          new Uint8Array(CAP + 1).fill(0x20),
          new Uint8Array(CAP + 1).fill(0x7b),
          textBytes(JSON.stringify({ ...write.body(), description: 'a'.repeat(CAP) })),
        ];
        for (const body of bodies)
          expect.error(await send(ctx, write, body), { status: 413 }, `${body.length} bytes to ${write.name}`);
        await accepts(ctx, write);
      }
    },
  },
});
