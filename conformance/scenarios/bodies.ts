import fc from 'fast-check';
import { checksOf } from '../framework/check.js';
import * as expect from '../framework/expect.js';
import { JSON_TYPE, jsonBytes, textBytes } from '../helpers/bytes.js';
import { onRunning, onStopped } from '../helpers/interns.js';
import { operation } from '../helpers/operations.js';
import { internPath } from '../probe/request.js';

/** JSON that is not an object. */
const noObject = fc.oneof<fc.MaybeWeightedArbitrary<unknown>[]>(
  // Inputs that parsers handle carelessly come often.
  { weight: 6, arbitrary: fc.constantFrom<unknown>(null, [], [{}], '', '{}', 'text', 0, 1, true, false) },
  fc.array(fc.jsonValue(), { maxLength: 3 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

/** Media types that are another, some of them nearly the same; undefined sends none. */
const otherType = fc.constantFrom<string | undefined>(
  undefined,
  'text/plain',
  'text/plain; charset=utf-8',
  'text/json',
  'application/jsonx',
  'application/jsonp',
  'application/x-json',
  'application/octet-stream',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=application/json',
  'text/plain; type=application/json',
  'json',
);

const noField = fc.constantFrom<string | undefined>(undefined, '', '{}', ' ', '\n', '\t {} \r\n', '  ');

export const BODIES = checksOf('BODY-3', {
  'bodies/chat-and-invoke-any-type': {
    level: 'C',
    title: 'Chat and invoke do not look at the media type.',
    maxRuns: 20,
    ...onRunning(['control', 'running'], async (ctx, intern) => {
      await ctx.property('types', otherType, fc.constantFrom('chat', 'invoke'), async (type, name) => {
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
      await property('bodies', noObject, async (json) => {
        for (const path of [internPath(stopped.id, '/provision'), internPath(running.id, '/suspend')]) {
          const answer = await request({ method: 'POST', path, json });
          expect.error(answer, { status: 400, reason: 'invalid_body', retryable: false }, `${path} with no object`);
        }
      });
    },
  },
});
