import { Refusal } from '../../../emulator/contract/errors.js';
import { isReplay } from '../../../emulator/domain/create.js';
import { failed } from '../answers.js';
import { isJson, type Json, parsed } from '../call.js';
import { bearer, isMember, seen } from '../lawful30/helpers.js';
import { memberOf } from '../lawful31/helpers.js';
import type { Way } from '../world.js';
import { asked } from './helpers.js';

const MOST = 5;
const FULL = 'There is room for five interns a member';
const CREATED = ['name', 'workspace_id', 'description', 'instructions', 'provision', 'vault_id'];
const UPDATED = ['name', 'description', 'instructions', 'model'];

export const creating: readonly Way[] = [
  {
    // A retry is one by its key; that a key comes from the body, and that names are unique, is published alone.
    name: 'names are not unique, and a create without a key always makes another intern',
    lawful: true,
    unpublished: true,
    quote: 'A retry with the same idempotency key and the same body resumes unfinished work.',
    factories: (usual, hit) => ({
      createInterns: (deps) => {
        const interns = usual.createInterns(deps);
        interns.nameTaken = () => false;
        return interns;
      },
      createCreate: (interns, provisioning, deps) => {
        const create = usual.createCreate(interns, provisioning, deps);
        return (request) => {
          if (request.key === undefined) hit();
          return create({ ...request, key: request.key ?? `none ${deps.random.uuid()}` });
        };
      },
    }),
  },
  {
    // That the first answer is given again is published; here it is the intern as it is.
    name: 'the retry of a finished create shows the intern as it is now',
    lawful: true,
    unpublished: true,
    quote: 'A retry with the same idempotency key and the same body resumes unfinished work.',
    wrong: (world) =>
      world.later('create', async (response, { request, who }) => {
        if (response.status !== 200 || !isMember(who)) return undefined;
        const { id } = parsed(await response.clone().text()) as { id: string };
        const record = await seen(world, id, bearer(request));
        return record && Response.json(record);
      }),
  },
  {
    // As payment services do it: while the first is at work, a second with its key has to come again.
    name: 'a create takes half a second, and meanwhile its key is in progress',
    lawful: true,
    unpublished: true,
    quote: 'A retry with the same idempotency key and the same body resumes unfinished work.',
    wrong: (world) => {
      const going = new Set<string>();
      return async (call, next) => {
        const key = call.request.headers.get('idempotency-key');
        if (call.op !== 'create' || key === null || !isMember(call.who) || call.regional) return next();
        const whose = `${memberOf(call.who)} ${key}`;
        if (going.has(whose)) {
          world.hit();
          return failed(409, 'A create with this key is in progress', 'idempotency_in_progress', true, {
            'retry-after': '1',
          });
        }
        going.add(whose);
        try {
          const response = await next();
          await world.setting.host.sleep(500);
          return response;
        } finally {
          going.delete(whose);
        }
      };
    },
  },
  {
    // A plan has room for so many.
    name: 'a member has room for five interns',
    lawful: true,
    quote: 'Error catalogue for the intern operations other than signing: not shown.',
    factories: (usual, hit) => ({
      createCreate: (interns, provisioning, deps) => {
        const create = usual.createCreate(interns, provisioning, deps);
        const { store } = deps;
        return (request) => {
          const own = interns.list(request.caller).filter(({ creator }) => creator === request.caller.id);
          const resumes = own.some(({ unfinished }) => unfinished.length > 0);
          if (own.length < MOST || resumes || isReplay(store.collection('idempotency'), request))
            return create(request);
          hit();
          throw new Refusal('vault_full', { message: FULL });
        };
      },
    }),
    wrong: (world) =>
      world.later('create', async (response) => {
        if (response.status !== 409) return undefined;
        const body = parsed(await response.clone().text());
        const full = isJson(body) && isJson(body.error) && body.error.message === FULL;
        return full ? failed(403, FULL, 'quota_exceeded') : undefined;
      }),
  },
  {
    // Which bodies are valid is not shown.
    name: 'a description has 140 characters at most, instructions 4,000',
    lawful: true,
    unpublished: true,
    quote: 'create_intern | Valid body | Creates the intern and its private vault.',
    wrong: (world) =>
      world.instead('create update', async (call) => {
        const { description, instructions } = call.body;
        const long = (value: unknown, most: number) => typeof value === 'string' && value.length > most;
        if (!long(description, 140) && !long(instructions, 4_000)) return undefined;
        if (Buffer.byteLength(call.text) > 1_048_576 || !isMember(call.who) || call.regional) return undefined;
        if (!/^application\/json\b/i.test(call.request.headers.get('content-type') ?? '')) return undefined;
        if (call.op === 'update' && (await asked(world, call)) === undefined) return undefined;
        return failed(400, 'Invalid request body', 'invalid_body');
      }),
  },
  {
    // Fields that are not known are 400 by the published client alone.
    name: 'unknown fields of create and update are ignored',
    lawful: true,
    unpublished: true,
    quote: 'Changes name, description, instructions or model. Omitted fields stay unchanged.',
    wrong: (world) =>
      world.asked('create update', ({ body, op, text }) => {
        if (Buffer.byteLength(text) > 1_048_576) return undefined;
        const known = op === 'create' ? CREATED : UPDATED;
        const left: Json = Object.fromEntries(Object.entries(body).filter(([field]) => known.includes(field)));
        return Object.keys(left).length < Object.keys(body).length ? left : undefined;
      }),
  },
];
