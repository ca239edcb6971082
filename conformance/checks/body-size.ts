import fc from 'fast-check';
import { oneOfRows } from '../arbitraries/one-of.js';
import { ok } from '../framework/assert.js';
import { checksOf } from '../framework/check.js';
import type { Ctx } from '../framework/context.js';
import * as expect from '../framework/expect.js';
import { JSON_TYPE, padded, pieces, textBytes } from '../helpers/bytes.js';
import { operation } from '../helpers/operations.js';
import { signWrites, type Write, writes } from '../helpers/writes.js';
import type { Send } from '../probe/request.js';

const CAP = 1_048_576;
const TOO_LARGE = {
  status: 413,
  message: /^Request body exceeds 1048576 bytes/,
  reason: 'payload_too_large',
  retryable: false,
} as const;
/** Message and reason are stated in the catalogue of signing alone. */
const refusalOf = ({ row }: Write) => (row.name.startsWith('sign') ? TOO_LARGE : { status: 413 });

const send = (ctx: Ctx, write: Write, path: string, body: Send['body']) =>
  ctx.send({
    method: write.row.method,
    path,
    as: write.as,
    headers: JSON_TYPE,
    ...(body === undefined ? {} : { body }),
  });

/** A body at the cap is accepted, one byte more is refused: sent whole and chunk by chunk. */
async function atTheCap(ctx: Ctx, all: readonly Write[]): Promise<void> {
  for (const one of ctx.sample(all, all.length)) {
    const refused = await send(ctx, one, await one.path(), padded(one.body(), CAP + 1));
    expect.error(refused, refusalOf(one), `${CAP + 1} bytes to ${one.row.name}`);
  }
  const write = oneOfRows(all, ({ row }) => row.name);
  const chunk = fc.constantFrom(undefined, 65_536, 1_000_003);
  const over = fc.constantFrom(1, 1, 2, 70_000);
  await ctx.property('bodies', write, chunk, over, async (one, length, more) => {
    const how = `${one.row.name}, ${length === undefined ? 'with a length' : `in chunks of ${length}`}`;
    const path = await one.path();
    const cut = (bytes: Uint8Array) => (length === undefined ? bytes : pieces(bytes, length));
    const refused = await send(ctx, one, path, cut(padded(one.body(), CAP + more)));
    expect.error(refused, refusalOf(one), `${CAP + more} bytes to ${how}`);
    const accepted = await send(ctx, one, path, cut(padded(one.body(), CAP)));
    expect.status(accepted, one.accepted, `${CAP} bytes to ${how}`);
  });
}

export const BODY_SIZE = checksOf('BODY-2', {
  'bodies/cap': {
    title: 'Create, update and delete take 1048576 bytes, and not one more, with a length and in chunks.',
    needs: ['write'],
    maxRuns: 18,
    run: (ctx) => atTheCap(ctx, writes(ctx)),
  },
  'bodies/cap-of-signing': {
    title: 'Signing and its alias take 1048576 bytes, and not one more, with a length and in chunks.',
    needs: ['write', 'oauth_token'],
    maxRuns: 10,
    run: (ctx) => atTheCap(ctx, signWrites(ctx)),
  },
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
  'bodies/cap-reason': {
    level: 'P',
    title: 'The 413 of create, update and delete is payload_too_large, in the words that signing has.',
    needs: ['write'],
    async run(ctx) {
      for (const write of ctx.sample(writes(ctx))) {
        const answer = await send(ctx, write, await write.path(), padded(write.body(), CAP + 1));
        expect.error(answer, TOO_LARGE, `${CAP + 1} bytes to ${write.row.name}`);
      }
    },
  },
  'bodies/cap-elsewhere': {
    level: 'P',
    title: 'Chat, invoke, provision and suspend refuse a body over the cap too, and take one at the cap.',
    needs: ['running'],
    async run(ctx) {
      // Provision needs an intern that does not run: it comes after suspend.
      const names = ['chat', 'invoke', 'suspend', 'provision'].slice(0, ctx.upTo(4, 2));
      const intern = await ctx.interns.running();
      for (const name of names) {
        const row = operation(name);
        const body = row.body?.(ctx) ?? {};
        for (const length of ctx.sample([undefined, 65_536])) {
          const bytes = padded(body, CAP + 1);
          const answer = await ctx.send({
            method: 'POST',
            path: row.path(intern.id),
            headers: JSON_TYPE,
            body: length === undefined ? bytes : pieces(bytes, length),
          });
          expect.error(answer, TOO_LARGE, `${CAP + 1} bytes to ${name}`);
        }
        const taken = await ctx.send({
          method: 'POST',
          path: row.path(intern.id),
          headers: JSON_TYPE,
          body: padded(body, CAP),
        });
        expect.status(taken, expect.ACCEPTED, `${CAP} bytes to ${name}`);
      }
    },
  },
});
