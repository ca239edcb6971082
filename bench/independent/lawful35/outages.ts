import { failed } from '../answers.js';
import { everyNth, isMember } from '../lawful30/helpers.js';
import { asked } from '../lawful34/helpers.js';
import type { Way } from '../world.js';
import { isOrdinary, isServed } from './helpers.js';

const WRITES = ['update', 'delete', 'provision', 'suspend', 'chat', 'invoke', 'sign', 'sign-alias'];

export const failover: Way = {
  name: 'a failover every four minutes: for ten seconds all but reads is 503, and signing 500',
  lawful: true,
  unpublished: true,
  quote: 'Error catalogue for the intern operations other than signing: not shown. Server failure: 500.',
  wrong: (world) =>
    world.instead(
      'create update delete provision suspend chat invoke sign sign-alias',
      async (call): Promise<Response | undefined> => {
        const left = 10_000 - ((world.setting.host.now() + 180_000) % 240_000);
        if (left <= 0 || !isMember(call.who) || call.regional) return undefined;
        if (WRITES.includes(call.op) && !(await isServed(world, call))) return undefined;
        if (call.op.startsWith('sign'))
          return failed(500, 'The request could not be completed', 'internal_error', true);
        const after = { 'retry-after': String(Math.ceil(left / 1_000)) };
        return failed(503, 'A failover is under way', 'maintenance', true, after);
      },
    ),
};

export const outages: readonly Way[] = [
  failover,
  {
    name: 'every second provision finds no capacity at first: 503 with a Retry-After of two seconds',
    lawful: true,
    unpublished: true,
    quote: 'Error catalogue for the intern operations other than signing: not shown.',
    wrong(world) {
      const full = everyNth(2);
      return world.instead('provision', async (call) => {
        if (call.text.trim() !== '') return undefined;
        const intern = await asked(world, call);
        if (intern === undefined || !['stopped', 'failed'].includes(String(intern.status)) || full()) return undefined;
        return failed(503, 'No capacity at the moment', 'no_capacity', true, { 'retry-after': '2' });
      });
    },
  },
  {
    name: 'an update within half a second of the last change is 409, to be tried again',
    lawful: true,
    unpublished: true,
    quote: 'Error catalogue for the intern operations other than signing: not shown.',
    wrong: (world) =>
      world.instead('update', async (call) => {
        const intern = isOrdinary(call) ? await asked(world, call) : undefined;
        if (intern === undefined || world.setting.host.now() - Date.parse(String(intern.updated_at)) >= 500)
          return undefined;
        return failed(409, 'The intern is being changed', 'write_conflict', true, { 'retry-after': '1' });
      }),
  },
  {
    name: 'every twelfth lifecycle call times out with 408 before anything was done',
    lawful: true,
    unpublished: true,
    quote: 'Error catalogue for the intern operations other than signing: not shown.',
    wrong(world) {
      const late = everyNth(12);
      return world.instead('get update delete provision suspend', async (call) => {
        if (!(await isServed(world, call)) || !late()) return undefined;
        await world.setting.host.sleep(10_000);
        return failed(408, 'Operation timed out after 10s', 'timeout', true);
      });
    },
  },
];
