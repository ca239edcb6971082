import { failed } from '../answers.js';
import { type Json, parsed, withBody, withHeaders } from '../call.js';
import type { Way } from '../world.js';
import { bodyOf, bytesOf, FIELDS, type InternRow, isMember, seen, tokenOf, withJson } from './helpers.js';

const CHANGES = 'Changes name, description, instructions or model.';
const OMITTED = 'Omitted fields stay unchanged.';
const MEDIA = 'A non-empty body must declare `Content-Type: application/json`, or it is refused with 415.';

/** The fields of a record that an update may change. */
const fieldsOf = (record: Json | InternRow['record']) => {
  const { name, description, instructions, model } = record;
  return { name, description, instructions, model };
};
const settingsOf = ({ name, description, instructions, model }: InternRow['record']) => ({
  name,
  description,
  instructions,
  model,
});
const differ = (one: Json, other: Json) => FIELDS.some((field) => one[field] !== other[field]);
const withoutAstral = (value: unknown) =>
  typeof value === 'string' ? value.replace(/[\u{10000}-\u{10ffff}]/gu, '?') : value;

export const updates: readonly Way[] = [
  {
    // The session of a caller holds the entity as read last, and all of it is saved.
    name: "an update puts back what somebody else changed since the caller's last read",
    quote: OMITTED,
    wrong: (world) => {
      const read = new Map<string, Json>();
      return async (call, next) => {
        const key = `${call.who} ${call.id}`;
        let sent: Request | undefined;
        const held = read.get(key);
        if (call.op === 'update' && held !== undefined && Object.keys(call.body).length > 0) {
          const now = await seen(world, call);
          if (now !== undefined && differ(now, held)) sent = withBody(call, { ...held, ...call.body });
        }
        const response = await next(sent);
        if ((call.op !== 'get' && call.op !== 'update') || !response.ok) return response;
        if (sent !== undefined) world.hit();
        read.set(key, fieldsOf(await bodyOf(response)));
        return response;
      };
    },
  },
  {
    // `if (body.description)`.
    name: 'an update to an empty text is taken for one that leaves it out',
    quote: CHANGES,
    wrong: (world) =>
      world.asked('update', ({ body }) => {
        const empty = (['description', 'instructions'] as const).filter((field) => body[field] === '');
        if (empty.length === 0) return undefined;
        return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== ''));
      }),
  },
  {
    // A column of three bytes a character.
    name: 'an update stores a question mark for each character beyond the basic plane',
    quote: CHANGES,
    wrong: (world) =>
      world.asked('update', ({ body }) => {
        const { description, instructions } = body;
        const stored = {
          ...body,
          ...(description === undefined ? {} : { description: withoutAstral(description) }),
          ...(instructions === undefined ? {} : { instructions: withoutAstral(instructions) }),
        };
        return JSON.stringify(stored) === JSON.stringify(body) ? undefined : stored;
      }),
  },
  {
    // A caller who parses the body does not wait for who checks its type.
    name: 'an update that is refused with 415 is made',
    quote: MEDIA,
    wrong: (world) => async (call, next) => {
      const response = await next();
      if (call.op !== 'update' || response.status !== 415 || parsed(call.text) === undefined) return response;
      const made = await world.ask('PATCH', `/interns/${call.id}`, { as: tokenOf(call), body: call.text });
      if (made.ok) world.hit();
      return response;
    },
  },
  {
    name: 'an update may declare application/merge-patch+json',
    quote: MEDIA,
    wrong: (world) =>
      world.asked('update', (call) =>
        /^application\/merge-patch\+json/i.test(call.request.headers.get('content-type') ?? '')
          ? withHeaders(call, { 'content-type': 'application/json' })
          : undefined,
      ),
  },
  {
    // The boot saves the row that it began with.
    name: 'what is updated while an intern boots is undone when it is up',
    quote: CHANGES,
    factories: (usual, hit) => ({
      createInterns(deps) {
        const interns = usual.createInterns(deps);
        const begun = new Map<string, ReturnType<typeof settingsOf>>();
        return {
          ...interns,
          move(row, event, record, change) {
            if (event === 'provision') begun.set(row.id, settingsOf(row.record));
            const old = begun.get(row.id);
            if (event !== 'boot_succeeded' || old === undefined) return interns.move(row, event, record, change);
            if (differ(old, row.record)) hit();
            return interns.move(row, event, { ...record, ...old }, change);
          },
        };
      },
    }),
  },
  {
    // The configuration is restored from what was archived at suspension.
    name: 'what is updated while an intern is suspended is lost when it resumes',
    quote: CHANGES,
    factories: (usual, hit) => ({
      createInterns(deps) {
        const interns = usual.createInterns(deps);
        const archived = new Map<string, ReturnType<typeof settingsOf>>();
        return {
          ...interns,
          move(row, event, record, change) {
            if (event === 'suspend') archived.set(row.id, settingsOf(row.record));
            const old = archived.get(row.id);
            if (event !== 'provision' || old === undefined) return interns.move(row, event, record, change);
            archived.delete(row.id);
            if (differ(old, row.record)) hit();
            return interns.move(row, event, { ...record, ...old }, change);
          },
        };
      },
    }),
  },
  {
    // `else if`.
    name: 'of an update of several fields only the first is made',
    quote: CHANGES,
    wrong: (world) => async (call, next) => {
      if (call.op !== 'update' || Object.keys(call.body).length < 2) return next();
      const before = await seen(world, call);
      const response = await next();
      if (before === undefined || !response.ok) return response;
      const [, ...others] = FIELDS.filter((field) => call.body[field] !== undefined);
      const undone = others.filter((field) => call.body[field] !== before[field]);
      if (undone.length === 0) return response;
      const body = Object.fromEntries(undone.map((field) => [field, before[field]]));
      const put = await world.ask('PATCH', `/interns/${call.id}`, { as: tokenOf(call), body });
      if (!put.ok) return response;
      world.hit();
      return withJson(response, await bodyOf(put));
    },
  },
  {
    // The default of a body parser.
    name: 'an update of more than 100 KiB is refused with 413',
    quote: 'The 1048576-byte cap, 413 and 415 rules apply as for create.',
    wrong: (world) =>
      world.later('update', ({ ok }, call) =>
        ok && isMember(call) && bytesOf(call.text) > 102_400
          ? failed(413, 'Request body exceeds 102400 bytes', 'payload_too_large')
          : undefined,
      ),
  },
];
