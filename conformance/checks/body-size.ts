import { ok } from '../framework/assert.js';
import { checksOf } from '../framework/check.js';
import type { Ctx } from '../framework/context.js';
import * as expect from '../framework/expect.js';
import { JSON_TYPE, padded, textBytes } from '../helpers/bytes.js';
import { type Write, writes } from '../helpers/writes.js';
import type { Send } from '../probe/request.js';

const CAP = 1_048_576;
const send = (ctx: Ctx, write: Write, path: string, body: Send['body']) =>
  ctx.send({
    method: write.row.method,
    path,
    as: write.as,
    headers: JSON_TYPE,
    ...(body === undefined ? {} : { body }),
  });

export const BODY_SIZE = checksOf('BODY-2', {
  'bodies/cap-in-bytes': {
    title: 'The cap counts bytes, not characters: a text of half as many characters of two bytes is too large.',
    needs: ['write'],
    async run(ctx) {
      for (const write of ctx.sample(writes(ctx))) {
        const path = await write.path();
        const text = JSON.stringify({ ...write.body(), x: 'é'.repeat(CAP / 2) });
        ok(text.length < CAP, 'characters of the body', 'less than the cap', text.length);
        expect.error(
          await send(ctx, write, path, textBytes(text)),
          { status: 413 },
          `a body of two-byte characters to ${path}`,
        );
        const twin = async () =>
          expect.status(await send(ctx, write, path, padded(write.body(), 100)), write.accepted, 'the valid twin');
        await ctx.twin(`${write.row.name} as bytes`, twin);
      }
    },
  },
  'bodies/cap-whatever-it-holds': {
    title: 'A body over the cap is 413 whatever it holds: white space, no JSON, a field too long.',
    needs: ['write'],
    async run(ctx) {
      for (const write of ctx.sample(writes(ctx))) {
        const path = await write.path();
        const bodies = [
          new Uint8Array(CAP + 1).fill(0x20),
          new Uint8Array(CAP + 1).fill(0x7b),
          textBytes(JSON.stringify({ ...write.body(), description: 'a'.repeat(CAP) })),
        ];
        for (const body of bodies) {
          expect.error(
            await send(ctx, write, path, body),
            { status: 413 },
            `${body.length} bytes to ${write.row.name}`,
          );
        }
        const twin = async () =>
          expect.status(await send(ctx, write, path, padded(write.body(), 200)), write.accepted, 'the valid twin');
        await ctx.twin(`${write.row.name} as bytes`, twin);
      }
    },
  },
});
