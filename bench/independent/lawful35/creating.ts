import { type Call, type Json, withHeaders } from '../call.js';
import { bearer } from '../lawful30/helpers.js';
import { chained } from '../lawful31/helpers.js';
import { asked } from '../lawful34/helpers.js';
import type { Way } from '../world.js';
import { isOrdinary } from './helpers.js';

/** A create that says otherwise whether it boots. */
const booting =
  (provision: boolean) =>
  (call: Call): Json | undefined => {
    const said = call.body.provision;
    if (!isOrdinary(call) || (said !== undefined && typeof said !== 'boolean') || said === provision) return undefined;
    return { ...call.body, provision };
  };

export const waits: Way = {
  name: 'a create never boots: that waits for the provision call',
  lawful: true,
  unpublished: true,
  quote: 'It may start provisioning at once or wait for a later provision call.',
  wrong: (world) => world.asked('create', booting(false)),
};

export const creating: readonly Way[] = [
  waits,
  {
    name: 'every create boots at once, and a provision of what boots or runs is accepted',
    lawful: true,
    unpublished: true,
    quote: 'It may start provisioning at once or wait for a later provision call.',
    wrong(world) {
      const provisions = world.instead('provision', async (call) => {
        if (call.text.trim() !== '') return undefined;
        const intern = await asked(world, call);
        return ['queued', 'provisioning', 'running'].includes(String(intern?.status))
          ? Response.json({ provisioning: true }, { status: 202 })
          : undefined;
      });
      return chained(world.asked('create', booting(true)), provisions);
    },
  },
  {
    name: 'the key of a finished create is forgotten after a minute',
    lawful: true,
    unpublished: true,
    quote: 'A retry with the same idempotency key and the same body resumes unfinished work.',
    wrong(world) {
      const made = new Map<string, { at: number; epoch: number }>();
      return async (call, next) => {
        const key = call.request.headers.get('idempotency-key') ?? '';
        if (call.op !== 'create' || key === '' || key.length > 240) return next();
        const now = world.setting.host.now();
        const name = `${bearer(call.request)} ${key}`;
        const last = made.get(name);
        const epoch = last === undefined ? 0 : last.epoch + (now - last.at > 60_000 ? 1 : 0);
        if (epoch > 0) world.hit();
        const response = await next(
          epoch === 0 ? undefined : withHeaders(call, { 'idempotency-key': `${key}~${epoch}` }),
        );
        if (response.status === 201) made.set(name, { at: now, epoch });
        return response;
      };
    },
  },
  {
    name: 'a replayed create is 201 like the first, and marked in a header',
    lawful: true,
    unpublished: true,
    quote: 'Success status codes other than 202 for invoke: not shown.',
    wrong: (world) =>
      world.later('create', ({ status, body, headers }) => {
        if (status !== 200) return undefined;
        const marked = new Headers(headers);
        marked.set('idempotency-replayed', 'true');
        return new Response(body, { status: 201, headers: marked });
      }),
  },
];
