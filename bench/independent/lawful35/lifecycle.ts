import { failed } from '../answers.js';
import { withBody } from '../call.js';
import { bearer, seen } from '../lawful30/helpers.js';
import { asked } from '../lawful34/helpers.js';
import type { Way } from '../world.js';
import { planning, reasonOf, shown } from './helpers.js';

export const coldHosts: Way = {
  name: 'a boot takes one second or up to fifty, as a host is warm or cold',
  lawful: true,
  quote: 'Full set of status values and transitions: not shown.',
  factories(usual, hit) {
    let boots = 0;
    return planning(usual, (_, plan) => {
      boots += 1;
      hit();
      return { ...plan, boot: { ...plan.boot, after: [1_000, 50_000, 7_000, 20_000][boots % 4] ?? 1_000 } };
    });
  },
};

export const wakes: Way = {
  name: 'a prompt wakes a suspended intern and waits until it runs',
  lawful: true,
  unpublished: true,
  quote: 'Stops the runtime and keeps its disk and configuration for a later provision call.',
  wrong: (world) => async (call, next) => {
    const response = await next();
    if ((call.op !== 'chat' && call.op !== 'invoke') || (await reasonOf(response)) !== 'intern_not_ready')
      return response;
    const token = bearer(call.request);
    const status = async () => String((await seen(world, call.id, token))?.status);
    if ((await status()) !== 'stopped') return response;
    world.hit();
    await world.ask('POST', `/interns/${call.id}/provision`, { as: token });
    for (let tries = 0; tries < 80; tries++) {
      if (!['queued', 'provisioning'].includes(await status())) break;
      await world.setting.host.sleep(250);
    }
    return next(withBody(call, call.text));
  },
};

export const lifecycle: readonly Way[] = [
  coldHosts,
  wakes,
  {
    name: 'the teardown ends with twenty seconds in which the record shows as destroyed',
    lawful: true,
    unpublished: true,
    quote: 'Full set of status values and transitions: not shown.',
    factories: (usual) =>
      planning(usual, (_, plan) =>
        plan.teardown.ends === 'gone' ? { ...plan, teardown: { ...plan.teardown, after: 21_000 } } : plan,
      ),
    wrong: (world) =>
      shown(world, (intern, now) => {
        if (intern.status === 'destroying' && now - Date.parse(String(intern.updated_at)) >= 1_000)
          intern.status = 'destroyed';
      }),
  },
  {
    name: 'a boot is queued again in the middle, for another host',
    lawful: true,
    unpublished: true,
    quote: 'Full set of status values and transitions: not shown.',
    factories: (usual) =>
      planning(usual, (_, plan) => ({
        ...plan,
        boot: { ...plan.boot, after: 9_000, steps: ['Creating disk', 'Looking for another host', 'Starting runtime'] },
      })),
    wrong: (world) =>
      shown(world, (intern) => {
        const { progress } = intern as { progress?: { step_number?: unknown } | null };
        if (intern.status === 'provisioning' && progress?.step_number === 2)
          Object.assign(intern, { status: 'queued', progress: null });
      }),
  },
  {
    name: 'an intern has its hostname three seconds after it runs',
    lawful: true,
    unpublished: true,
    quote: 'Complete field list, types and formats of the intern record: not shown.',
    wrong(world) {
      const since = new Map<string, number>();
      return shown(world, (intern, now) => {
        const id = String(intern.id);
        if (intern.status !== 'running') since.delete(id);
        else if (!since.has(id)) since.set(id, now);
        if (now - (since.get(id) ?? 0) < 3_000) intern.hostname = null;
      });
    },
  },
  {
    name: 'provision and suspend refuse every body with 400, an empty object too, of whatever media type',
    lawful: true,
    unpublished: true,
    quote: 'It takes no request body; a body carrying any field is refused with 400.',
    wrong: (world) =>
      world.instead('provision suspend', async (call) =>
        call.text !== '' && call.text.length < 1_000_000 && (await asked(world, call)) !== undefined
          ? failed(400, 'This operation takes no body', 'invalid_body')
          : undefined,
      ),
  },
  {
    name: 'a question stays open for seven minutes, as its operator has set it',
    lawful: true,
    quote: 'A question asked stays open for its interaction deadline, 5 minutes by default.',
    factories: (usual, hit) => ({
      loadSettings(given) {
        hit();
        return { ...usual.loadSettings(given), interaction_deadline: 420_000 };
      },
    }),
  },
  {
    name: 'an invoked run has twenty minutes, as its operator has set it',
    lawful: true,
    quote: 'or after its execution deadline, 1 hour by default',
    factories: (usual, hit) => ({
      loadSettings(given) {
        hit();
        return { ...usual.loadSettings(given), execution_deadline: 1_200_000 };
      },
    }),
  },
];
