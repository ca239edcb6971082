import fc from 'fast-check';
import { JSON_FAMILY, JSON_TYPES, jsonType, OTHER_TYPES, otherType } from '../arbitraries/media-type.js';
import { noObject } from '../arbitraries/no-object.js';
import { oneOfRows } from '../arbitraries/one-of.js';
import { equal } from '../framework/assert.js';
import { checksOf } from '../framework/check.js';
import type { Ctx } from '../framework/context.js';
import * as expect from '../framework/expect.js';
import { JSON_TYPE, jsonBytes, textBytes } from '../helpers/bytes.js';
import { onRunning, onStopped } from '../helpers/interns.js';
import { operation, request } from '../helpers/operations.js';
import { type Write, writes } from '../helpers/writes.js';
import { internPath } from '../probe/request.js';

const UNSUPPORTED = {
  status: 415,
  message: /^Request body must be sent as application\/json/,
  reason: 'unsupported_media_type',
  retryable: false,
} as const;
/** Message and reason are stated in the catalogue of signing alone. */
const refusalOf = ({ row }: Write) => (row.name.startsWith('sign') ? UNSUPPORTED : { status: 415 });

const send = (ctx: Ctx, write: Write, path: string, type: string | undefined) =>
  ctx.send({
    method: write.row.method,
    path,
    as: write.as,
    body: jsonBytes(write.body()),
    headers: type === undefined ? {} : { 'content-type': type },
  });

/** A body in another media type is refused. The same body as JSON is accepted, in any spelling of that type. */
async function mediaTypes(ctx: Ctx, all: readonly Write[], few = 1): Promise<void> {
  for (const write of ctx.sample(all, few)) {
    const { name } = write.row;
    const path = name === 'delete' ? undefined : await write.path();
    await ctx.each(`${name} as another type`, OTHER_TYPES, async (type) => {
      const answer = await send(ctx, write, path ?? (await write.path()), type);
      expect.error(answer, refusalOf(write), `${name} as ${type ?? 'no type'}`);
    });
    await ctx.each(`${name} as JSON`, JSON_TYPES, async (type) => {
      const answer = await send(ctx, write, path ?? (await write.path()), type);
      expect.status(answer, write.accepted, `${name} as ${type}`);
    });
    await ctx.property(`${name} in any spelling`, jsonType(), async (type) => {
      expect.status(await send(ctx, write, path ?? (await write.path()), type), write.accepted, `${name} as ${type}`);
    });
  }
}

const noField = fc.constantFrom<string | undefined>(undefined, '', '{}', ' ', '\n', '\t {} \r\n', '  ');

export const BODIES = checksOf('BODY-3', {
  'bodies/media-type': {
    title: 'A body of create, update and delete must be application/json, in any spelling of that, else it is 415.',
    needs: ['write'],
    maxRuns: 4,
    async run(ctx) {
      const { id, status } = await ctx.interns.stopped();
      const refused = async (write: Write, type: string | undefined) => {
        const answer = await send(ctx, write, write.row.path(id), type);
        expect.error(answer, refusalOf(write), `${write.row.name} as ${type ?? 'no type'}`);
      };
      // In every run: what clients forget, and what they send where nobody set it.
      for (const write of writes(ctx)) for (const type of [undefined, 'text/plain']) await refused(write, type);
      const rows = oneOfRows(writes(ctx), ({ row }) => row.name);
      await ctx.property('other types', rows, fc.constantFrom(...OTHER_TYPES, ...JSON_FAMILY), refused);
      const after = expect.intern(await ctx.api.get(id), 200, 'the read after what was refused');
      equal(after.status, status, 'status after writes that were refused');
      // The other writes of a run are sent in other spellings of it.
      await mediaTypes(ctx, writes(ctx), 0);
    },
  },
  'bodies/chat-and-invoke-any-type': {
    level: 'C',
    title: 'Chat and invoke do not look at the media type.',
    maxRuns: 20,
    ...onRunning(['control', 'running'], async (ctx, intern) => {
      await ctx.property('types', otherType(), fc.constantFrom('chat', 'invoke'), async (type, name) => {
        const row = operation(name);
        const answer = await ctx.send({
          method: 'POST',
          path: row.path(intern.id),
          body: jsonBytes(row.body?.(ctx)),
          headers: type === undefined ? {} : { 'content-type': type },
        });
        expect.status(answer, name === 'chat' ? 200 : 202, `${name} as ${type ?? 'no type'}`);
      });
    }),
  },
  'bodies/no-field': {
    requirement: 'BODY-1',
    level: 'C',
    title: 'No body, white space and {} have no field: provision and suspend accept them.',
    maxRuns: 15,
    ...onStopped(['control', 'running'], async (ctx, intern) => {
      await ctx.property('bodies', noField, noField, async (first, second) => {
        for (const [text, path, expected] of [
          [first, 'provision', 202],
          [second, 'suspend', 200],
        ] as const) {
          const answer = await ctx.send({
            method: 'POST',
            path: internPath(intern.id, `/${path}`),
            ...(text === undefined ? {} : { body: textBytes(text), headers: JSON_TYPE }),
          });
          expect.status(answer, expected, `${path} with the body ${JSON.stringify(text)}`);
          if (path === 'provision') await ctx.interns.until(intern.id, ['running']);
        }
      });
    }),
  },
  'bodies/no-object-where-none-is-taken': {
    requirement: 'BODY-1',
    level: 'C',
    title: 'An array, a string, a number, a boolean and null are 400 on provision and suspend.',
    needs: ['control', 'running'],
    async run({ interns, send: request, property }) {
      const stopped = await interns.stopped();
      const running = await interns.running();
      await property('bodies', noObject(), async (json) => {
        for (const path of [internPath(stopped.id, '/provision'), internPath(running.id, '/suspend')]) {
          const answer = await request({ method: 'POST', path, json });
          expect.error(answer, { status: 400, reason: 'invalid_body', retryable: false }, `${path} with no object`);
        }
      });
    },
  },
  'bodies/provision-media-type': {
    requirement: 'BODY-1',
    level: 'P',
    title: 'A body of provision and suspend that is not JSON by its content type is 415.',
    needs: ['running'],
    maxRuns: 30,
    async run({ interns, send: request, property }) {
      const stopped = await interns.stopped();
      const running = await interns.running();
      await property('types', otherType(), fc.constantFrom('{}', '{"a":1}', 'a=1'), async (type, text) => {
        for (const path of [internPath(stopped.id, '/provision'), internPath(running.id, '/suspend')]) {
          const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
          const answer = await request({ method: 'POST', path, body: textBytes(text), headers });
          expect.error(answer, { status: 415 }, `${path} as ${type ?? 'no type'}`);
        }
      });
    },
  },
  'bodies/empty': {
    requirement: 'BODY-4',
    title: 'Create and signing without a body are 400, with and without a content type.',
    ...onStopped(['oauth_token'], async (ctx, intern) => {
      for (const name of ctx.sample(['create', 'sign', 'sign alias'])) {
        const row = operation(name);
        const twin = async () =>
          expect.status(await ctx.send(request(ctx, row, intern.id)), expect.ACCEPTED, `the valid twin of ${name}`);
        await ctx.twin(name, twin);
        for (const headers of [JSON_TYPE, {}]) {
          const answer = await ctx.send({ method: 'POST', path: row.path(intern.id), as: row.as, headers });
          // Without a body, signing may miss the media type first.
          const status = row.name !== 'create' && answer.status === 415 ? 415 : 400;
          expect.error(answer, { status }, `${name} without a body`);
        }
      }
    }),
  },
});
