import { failed } from '../answers.js';
import { internsIn, isMember } from '../lawful30/helpers.js';
import { memberOf } from '../lawful31/helpers.js';
import { isOrdinary, moved, peeked, planning } from '../lawful35/helpers.js';
import type { Way } from '../world.js';
import { isOfMember, ofNobody, shownAs } from './helpers.js';

export const slowSuspends: Way = {
  name: 'a suspend is answered after eight seconds, when all is written',
  lawful: true,
  quote: 'Stops the runtime and keeps its disk and configuration for a later provision call.',
  wrong: (world) =>
    world.later('suspend', async (response) => {
      if (!response.ok) return undefined;
      await world.setting.host.sleep(8_000);
      return response;
    }),
};

export const reserved: Way = {
  name: 'the name of a deleted intern stays taken for two minutes',
  lawful: true,
  unpublished: true,
  quote: 'Error catalogue for the intern operations other than signing: not shown.',
  wrong(world) {
    const { now } = world.setting.host;
    const names = new Map<string, string>();
    const until = new Map<string, number>();
    const sent = new Set<string>();
    return async (call, next) => {
      const member = memberOf(call.who);
      const name = `${member} ${String(call.body.name)}`;
      if (call.op === 'create' && isOrdinary(call) && isOfMember(call)) {
        const attempt = `${member} ${call.request.headers.get('idempotency-key') ?? call.text}`;
        const again = sent.has(attempt);
        if (!again && now() < (until.get(name) ?? 0)) {
          world.hit();
          return failed(409, 'An intern with this name exists', 'name_conflict');
        }
        sent.add(attempt);
      }
      const response = await next();
      if (!response.ok) return response;
      if (call.op === 'create') names.set(String((await peeked(response)).id), name);
      if (call.op === 'update' && call.body.name !== undefined) names.set(call.id.toLowerCase(), name);
      const gone = names.get(call.id.toLowerCase());
      if (call.op === 'delete' && gone !== undefined) until.set(gone, now() + 120_000);
      return response;
    };
  },
};

export const stumbles: Way = {
  name: 'a boot shows as failed for three seconds before the service tries again by itself',
  lawful: true,
  unpublished: true,
  quote: 'Full set of status values and transitions: not shown.',
  factories: (usual) =>
    planning(usual, (_, plan) => ({
      ...plan,
      boot: { ...plan.boot, after: 9_000, steps: ['Creating disk', 'Trying another host', 'Starting runtime'] },
    })),
  wrong: (world) =>
    shownAs(world, 'provisioning', (intern) => {
      const { progress } = intern as { progress?: { step_number?: unknown } | null };
      if (intern.status === 'provisioning' && progress?.step_number === 2)
        Object.assign(intern, { status: 'failed', progress: null, last_failure_message: 'No capacity; tried again' });
    }),
};

export const queuedDeletes: Way = {
  name: 'a teardown waits for five seconds in a queue, during which the record shows as before',
  lawful: true,
  unpublished: true,
  quote: 'Full set of status values and transitions: not shown.',
  factories: (usual) =>
    planning(usual, (_, plan) => ({ ...plan, teardown: { ...plan.teardown, after: plan.teardown.after + 6_000 } })),
  wrong(world) {
    const before = new Map<string, unknown>();
    return shownAs(world, 'destroying', (intern, now) => {
      const id = String(intern.id);
      if (intern.status !== 'destroying') before.set(id, intern.status);
      else if (now - Date.parse(String(intern.updated_at)) < 5_000) intern.status = before.get(id) ?? 'stopped';
    });
  },
};

export const nowhere: Way = {
  name: 'the daemon of an intern that does not run is 404',
  lawful: true,
  unpublished: true,
  quote: 'Returns the origin and the daemon token that attach the terminal client to one visible, running intern.',
  wrong: (world) =>
    world.later('daemon daemon-alias', async (response) =>
      response.status === 409 ? moved(response, 404, { reason: 'daemon_not_found', retryable: false }) : undefined,
    ),
};

export const lifecycle: readonly Way[] = [
  slowSuspends,
  reserved,
  stumbles,
  queuedDeletes,
  nowhere,
  {
    // An acknowledgement during the teardown is still heard.
    name: 'an intern is not visible any more while it is torn down, and is again if that fails',
    lawful: true,
    unpublished: true,
    quote: 'Full set of status values and transitions: not shown.',
    wrong: (world) => async (call, next) => {
      if (isMember(call.who) && !call.regional && call.id !== '' && call.op !== 'delete') {
        const response = await world.ask('GET', `/interns/${call.id}`, { as: call.who });
        if (response.ok && (await peeked(response)).status === 'destroying') {
          world.hit();
          return next(ofNobody(call));
        }
      }
      const lists = world.ok('list', (body) => {
        const gone = new Set(internsIn(body).filter(({ status }) => status === 'destroying'));
        if (Array.isArray(body.data)) body.data = body.data.filter((one) => !gone.has(one));
      });
      return lists(call, next);
    },
  },
  {
    name: 'names are unique in a workspace, of all its members',
    lawful: true,
    unpublished: true,
    quote: 'Error catalogue for the intern operations other than signing: not shown.',
    factories: (usual, hit) => ({
      createInterns(deps) {
        const interns = usual.createInterns(deps);
        interns.nameTaken = (creator, workspaceId, name, except) => {
          const holder = [...deps.store.collection('interns').values()].find(
            ({ id, record }) => record.workspace_id === workspaceId && record.name === name && id !== except,
          );
          if (holder !== undefined && holder.creator !== creator) hit();
          return holder !== undefined;
        };
        return interns;
      },
    }),
  },
  {
    name: 'a first boot takes forty seconds, a later one two',
    lawful: true,
    quote: 'Starts the first boot, or resumes the intern.',
    factories(usual, hit) {
      const booted = new Set<string>();
      return planning(usual, (row, plan) => {
        hit();
        const after = booted.has(row.id) ? 2_000 : 40_000;
        booted.add(row.id);
        return { ...plan, boot: { ...plan.boot, after } };
      });
    },
  },
];
