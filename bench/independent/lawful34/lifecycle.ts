import type { Intern } from '../../../emulator/contract/intern.js';
import { failed } from '../answers.js';
import { type Call, withHeaders } from '../call.js';
import { bearer, everyNth, internsIn, isMember, runsOf, seen } from '../lawful30/helpers.js';
import type { Answer, Way } from '../world.js';
import { asked, timesById } from './helpers.js';

const SECOND = 1_000;
/** Statuses of a service's own, and the published ones of which they are a part. */
const OWN: Readonly<Record<string, string>> = {
  suspending: 'stopped',
  booting: 'provisioning',
  archiving: 'destroying',
};
const PROMPTS = ['chat', 'invoke'];
const ACTS = ['provision', 'suspend', 'update', ...PROMPTS];

const takesNoField = ({ text }: Call) => /^\s*(\{\s*\})?\s*$/.test(text);
/** A prompt or an update has a body of its own; provision and suspend are refused for any field. */
const isFree = (call: Call) => !/^(provision|suspend)$/.test(call.op) || takesNoField(call);
const busy = (seconds: number) =>
  failed(409, 'The intern is changing; try again', 'intern_busy', true, { 'retry-after': String(seconds) });

export const lifecycle: readonly Way[] = [
  {
    // The runtime stops and saves its disk for a while after the call was accepted: nothing says that this is no time.
    // A delete is taken at any time.
    name: 'for three seconds after a suspend the intern is busy',
    lawful: true,
    unpublished: true,
    quote: 'Stops the runtime and keeps its disk and configuration for a later provision call.',
    wrong: (world) => {
      const until = timesById();
      const { now } = world.setting.host;
      return async (call, next) => {
        if (ACTS.includes(call.op) && now() < until.get(call.id) && isFree(call)) {
          if ((await asked(world, call)) !== undefined) {
            world.hit();
            return busy(3);
          }
        }
        const response = await next();
        if (call.op === 'suspend' && response.ok) until.set(call.id, now() + 3 * SECOND);
        return response;
      };
    },
  },
  {
    // One value is stated, and that an intern may be suspended or be torn down. The others are not shown.
    name: 'suspending, booting and teardown have statuses of their own',
    lawful: true,
    unpublished: true,
    quote: 'Full set of status values and transitions: not shown.',
    wrong: (world) => {
      const until = timesById();
      const { now } = world.setting.host;
      const shown = (status: unknown, id: unknown) => {
        if (status === 'stopped' && now() < until.get(String(id))) return 'suspending';
        if (status === 'provisioning') return 'booting';
        return status === 'destroying' ? 'archiving' : status;
      };
      const renamed = world.ok('list get create update', (body) => {
        for (const intern of internsIn(body)) intern.status = shown(intern.status, intern.id);
      });
      return async (call, next) => {
        const wanted = call.url.searchParams.getAll('status').join(',').split(',');
        if (call.op === 'list' && isMember(call.who) && !call.regional && wanted[0] !== '') {
          if (wanted.includes('provisioning') || wanted.includes('destroying')) {
            world.hit();
            return failed(400, 'Unknown status', 'invalid_body');
          }
          const url = new URL(call.url);
          url.searchParams.set('status', [...new Set(wanted.map((word) => OWN[word] ?? word))].join(','));
          const page = await renamed(call, () => next(withHeaders(call, {}, url)));
          const only = world.ok('list', (body) => {
            body.data = internsIn(body).filter(({ status }) => wanted.includes(String(status)));
          });
          return only(call, async () => page);
        }
        if (call.op === 'provision' && now() < until.get(call.id) && takesNoField(call)) {
          if ((await asked(world, call)) !== undefined) {
            world.hit();
            return busy(6);
          }
        }
        const response = await renamed(call, next);
        if (call.op === 'suspend' && response.ok) until.set(call.id, now() + 6 * SECOND);
        return response;
      };
    },
  },
  {
    // Starting what runs and stopping what is stopped changes nothing: 409 for these is published, not stated.
    name: 'a provision of what runs and a suspend of what is stopped succeed',
    lawful: true,
    unpublished: true,
    quote: 'Error catalogue for the intern operations other than signing: not shown.',
    wrong: (world) =>
      world.later('provision suspend', async ({ status }, call) => {
        if (status !== 409) return undefined;
        const record = await asked(world, call);
        const is = String(record?.status);
        if (call.op === 'provision' && /^(queued|provisioning|running)$/.test(is))
          return Response.json({ provisioning: is !== 'running' }, { status: 202 });
        return call.op === 'suspend' && is === 'stopped' ? Response.json({ suspended: true }) : undefined;
      }),
  },
  {
    // The teardown was started by the first delete; what a further one gets is not stated. A workspace that could
    // not be archived is not lost without the acknowledgement.
    name: 'a further delete is 409, and one of a failed teardown needs the acknowledgement',
    lawful: true,
    quote: 'delete_intern with `acknowledge_workspace_loss` true | Intern is `destroy_failed`',
    wrong: (world) => async (call, next) => {
      if (call.op !== 'delete') return next();
      const record = await asked(world, call);
      const empty = call.text.trim() === '' || call.text.trim() === '{}';
      const well = empty || typeof call.body.acknowledge_workspace_loss === 'boolean';
      const torn = record?.status === 'destroying';
      const lost = record?.status === 'destroy_failed' && call.body.acknowledge_workspace_loss !== true;
      if (!well || (!torn && !lost)) return next();
      world.hit();
      return torn
        ? failed(409, 'The intern is being torn down', 'intern_busy')
        : failed(409, 'Acknowledge the loss of the workspace', 'workspace_not_archived');
    },
  },
  {
    // A runtime may die of its own. No sentence says that an intern runs until somebody suspends it.
    name: 'an idle intern fails now and then',
    lawful: true,
    quote: 'Full set of status values and transitions: not shown.',
    factories: (usual, hit) => ({
      createProvisioning: (interns, deps) => {
        const due = everyNth(4);
        const move: typeof interns.move = (row, event, record, change) => {
          const moved = interns.move(row, event, record, change);
          if (event !== 'boot_succeeded' || !due()) return moved;
          const scope = deps.scope().child();
          const die = () => {
            void scope.dispose();
            const now = interns.get(row.id);
            if (now?.record.status !== 'running') return;
            hit();
            const died = { status: 'failed', last_failure_message: 'The runtime ran out of memory' } as const;
            interns.put(now, died, { daemon_token: null });
            deps.endRuns(row.id, 'suspended');
            deps.store.commit({ keep: true }).catch(() => {});
          };
          const timer = deps.clock.timer(8 * SECOND, die, 'work');
          scope.defer(timer.cancel);
          return moved;
        };
        return usual.createProvisioning({ ...interns, move }, deps);
      },
    }),
  },
  {
    // Hosts are drained. For some seconds the intern is not up, and then it is again with what it had.
    name: 'an idle intern moves to another host for five seconds now and then',
    lawful: true,
    quote: 'Full set of status values and transitions: not shown.',
    wrong: (world) => {
      const until = timesById();
      const due = everyNth(7);
      const { now } = world.setting.host;
      const moving = (id: string) => now() < until.get(id);
      const shown: Answer = world.ok('list get update', (body, { url }) => {
        if (url.searchParams.has('status')) return;
        for (const intern of internsIn(body)) {
          if (intern.status !== 'running' || !moving(String(intern.id))) continue;
          intern.status = 'provisioning';
          intern.progress = { step_label: 'Moving', step_number: 1, total_steps: 1 };
        }
      });
      return async (call, next) => {
        const { op, id, request } = call;
        if ((op === 'get' || op === 'chat' || op === 'daemon') && isMember(call.who) && !call.regional && due()) {
          const record = await seen(world, id, bearer(request));
          const open = (await runsOf(world, id)).some(({ status }) => status !== 'ended');
          if (record?.status === 'running' && !open) until.set(id, now() + 5 * SECOND);
        }
        const response = await next();
        if (moving(id) && response.ok && /^(chat|invoke|daemon|daemon-alias|suspend)$/.test(op)) {
          // Too late to take back what the service beneath did with a prompt or a suspend.
          if (op.startsWith('daemon')) {
            world.hit();
            const other = failed(409, 'The intern is not running', 'intern_not_running');
            other.headers.set('cache-control', 'no-store');
            return other;
          }
          until.delete(id);
        }
        return shown(call, async () => response);
      };
    },
  },
  {
    name: 'the control plane is down for two minutes',
    lawful: true,
    quote: 'Error catalogue for the intern operations other than signing: not shown.',
    wrong: (world) => {
      const { now } = world.setting.host;
      let calls = 0;
      let until = 0;
      return async (call, next) => {
        if (
          !isMember(call.who) ||
          call.regional ||
          !/^(list|create|get|update|provision|suspend|delete)$/.test(call.op)
        )
          return next();
        calls += 1;
        if (calls === 60) until = now() + 120 * SECOND;
        if (now() >= until || call.text !== '') return next();
        const visible = call.id === '' || (await asked(world, call)) !== undefined;
        if (!visible) return next();
        world.hit();
        return failed(503, 'Maintenance', 'service_unavailable', true, { 'retry-after': '30' });
      };
    },
  },
  {
    // A row of the list is a copy of the intern that is made soon after a change; nothing says when.
    name: 'what a list says of an intern is up to two seconds old',
    lawful: true,
    quote: 'Lists the interns visible to the key, newest first.',
    factories: (usual, hit) => ({
      createInterns: (deps) => {
        const interns = usual.createInterns(deps);
        const { put, list } = interns;
        const past = new Map<string, { readonly at: number; readonly record: Intern }[]>();
        interns.put = (row, record, change) => {
          const next = put(row, record, change);
          const known = past.get(next.id) ?? [];
          past.set(next.id, known);
          // Nobody sees what a call has done by half.
          if (known.at(-1)?.at === deps.clock.now()) known.pop();
          known.push({ at: deps.clock.now(), record: next.record });
          return next;
        };
        interns.list = (caller) =>
          list(caller).map((row) => {
            const known = past.get(row.id) ?? [];
            const then = deps.clock.now() - 2 * SECOND;
            const { record = row.record } = known.findLast(({ at }) => at <= then) ?? known[0] ?? {};
            if (record !== row.record) hit();
            return { ...row, record };
          });
        return interns;
      },
    }),
  },
  {
    // Reads go to a replica, writes to the origin and answer from it.
    name: 'a read shows an update half a second later',
    lawful: true,
    quote: 'Returns the public lifecycle state and settings of one visible intern.',
    wrong: (world) => {
      const { now } = world.setting.host;
      const before = new Map<string, { until: number; body: unknown }>();
      return async (call, next) => {
        const key = call.id.toLowerCase();
        const old = call.op === 'update' ? await asked(world, call) : undefined;
        const response = await next();
        if (old !== undefined && response.ok) before.set(key, { until: now() + SECOND / 2, body: old });
        const kept = call.op === 'get' && response.ok ? before.get(key) : undefined;
        if (kept === undefined || now() >= kept.until) return response;
        world.hit();
        return Response.json(kept.body, { headers: { 'x-cache': 'HIT' } });
      };
    },
  },
];
