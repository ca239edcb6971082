import type { Answer, Way } from '../world.js';
import { bearer, internsIn, planned, runsOf, seen } from './helpers.js';

const SECOND = 1_000;
const IDLE = 15 * 60 * SECOND;
const STEPS = ['Queued', 'Reserving host', 'Creating disk', 'Restoring disk', 'Pulling image', 'Installing tools']
  .concat(['Starting runtime', 'Joining network', 'Checking health'])
  .map((label) => `${label}…`);

export const lifecycle: readonly Way[] = [
  {
    // How long a boot takes and in how many steps is stated nowhere.
    name: 'a boot takes 90 seconds and nine steps',
    lawful: true,
    quote:
      'Starts the first boot, or resumes after suspension. … Full set of status values and transitions: not shown.',
    factories: (usual, hit) => ({
      createProvisioning: (interns, deps) =>
        usual.createProvisioning(interns, {
          ...deps,
          plan: planned(deps, (row, plan) => {
            if (row.record.status === 'provisioning') hit();
            return { ...plan, boot: { ...plan.boot, after: plan.boot.after + 90 * SECOND, steps: STEPS } };
          }),
        }),
    }),
  },
  {
    // A boot may end `failed`, and a failed intern can be provisioned again: then it boots.
    name: 'the first boot of every third intern fails',
    lawful: true,
    quote: 'or `failed` with `last_failure_message` … A `failed` intern can be provisioned again.',
    factories: (usual, hit) => {
      const order = new Map<string, number>();
      const failedOnce = new Set<string>();
      return {
        createProvisioning: (interns, deps) => {
          const move: typeof interns.move = (row, event, record, change) => {
            if (event === 'boot_failed' && order.has(row.id)) {
              failedOnce.add(row.id);
              hit();
            }
            return interns.move(row, event, record, change);
          };
          return usual.createProvisioning(
            { ...interns, move },
            {
              ...deps,
              plan: planned(deps, (row, plan) => {
                if (row.record.status !== 'queued' && row.record.status !== 'provisioning') return plan;
                if (!order.has(row.id)) order.set(row.id, order.size + 1);
                const fails = (order.get(row.id) ?? 0) % 3 === 0 && !failedOnce.has(row.id);
                if (!fails || plan.boot.ends !== 'running') return plan;
                return {
                  ...plan,
                  boot: { ...plan.boot, ends: 'failed', message: 'No capacity on the host; try again' },
                };
              }),
            },
          );
        },
      };
    },
  },
  {
    // A delete only starts the teardown; when that ends is stated nowhere.
    name: 'a teardown takes 45 seconds',
    lawful: true,
    quote: 'delete_intern: Starts teardown.',
    factories: (usual, hit) => ({
      createProvisioning: (interns, deps) =>
        usual.createProvisioning(interns, {
          ...deps,
          plan: planned(deps, (row, plan) => {
            if (row.record.status === 'destroying') hit();
            return { ...plan, teardown: { ...plan.teardown, after: plan.teardown.after + 45 * SECOND } };
          }),
        }),
    }),
  },
  {
    // The runtime is stopped at once; the status that shows it, which no S or P sentence ties to the answer, follows.
    name: 'a suspended intern shows as running for three more seconds',
    lawful: true,
    quote: 'Effects that the operations state, without naming resulting status values',
    wrong: (world) => {
      const until = new Map<string, number>();
      const { now } = world.setting.host;
      return async (call, next) => {
        const response = await next();
        if (call.op === 'suspend' && response.ok) until.set(call.id.toLowerCase(), now() + 3 * SECOND);
        if (call.op === 'provision' && response.ok) until.delete(call.id.toLowerCase());
        if (call.op !== 'get') return response;
        const shown: Answer = world.ok('get', (body) => {
          if (body.status === 'stopped' && now() < (until.get(call.id.toLowerCase()) ?? 0)) body.status = 'running';
        });
        return shown(call, async () => response);
      };
    },
  },
  {
    // Nothing says that only a caller suspends; runs, questions and attachments count as work.
    name: 'the service suspends interns that were idle for 15 minutes',
    lawful: true,
    quote: 'one that is suspended … Full set of status values and transitions: not shown.',
    wrong: (world) => {
      const used = new Map<string, number>();
      const known = new Set<string>();
      const { now } = world.setting.host;
      const look = async (id: string, token: string) => {
        const record = await seen(world, id, token);
        if (record === undefined) return void known.delete(id);
        known.add(id);
        if (record.status !== 'running') return;
        const runs = await runsOf(world, id);
        if (runs.some(({ status }) => status !== 'ended')) return;
        const times = [record.updated_at, ...runs.map(({ ended_at }) => ended_at)].map((at) => Date.parse(String(at)));
        const last = Math.max(used.get(id) ?? 0, ...times.filter((at) => !Number.isNaN(at)));
        if (now() - last < IDLE) return;
        const { ok } = await world.ask('POST', `/interns/${id}/suspend`, { as: token });
        if (ok) world.hit();
      };
      return async (call, next) => {
        const token = bearer(call.request);
        const id = call.id.toLowerCase();
        if (token !== '' && call.url.pathname.includes('/interns')) {
          if (id !== '' && call.op !== '') await look(id, token);
          if (call.op === 'list') for (const each of [...known]) await look(each, token);
        }
        const response = await next();
        if (/^(chat|invoke|daemon|sign)/.test(call.op) && response.ok) used.set(id, now());
        if (call.op === 'list' && response.ok)
          for (const one of internsIn((await response.clone().json()) as Record<string, unknown>))
            known.add(String(one.id));
        return response;
      };
    },
  },
];
