import { failed } from '../answers.js';
import { parsed } from '../call.js';
import { bearer, internsIn, isMember, planned, seen } from '../lawful30/helpers.js';
import type { Way } from '../world.js';
import { memberOf } from './helpers.js';

const SECOND = 1_000;
const RECORDS = 'list get create update';
const WAITS = Array.from({ length: 20 }, (_, at) => `waits ${at}`);

export const lifecycle: readonly Way[] = [
  {
    // Nothing says how long these take: not at all, here. The answers are those of a start.
    name: 'boots and teardowns are over before they are answered',
    lawful: true,
    quote: 'C: a boot takes 1 s on the clock, at least two progress steps.',
    factories: (usual, hit) => ({
      createProvisioning: (interns, deps) =>
        usual.createProvisioning(interns, {
          ...deps,
          plan: planned(deps, ({ record }, plan) => {
            if (/^(queued|provisioning|destroying)$/.test(record.status)) hit();
            return { ...plan, boot: { ...plan.boot, after: 0 }, teardown: { ...plan.teardown, after: 0 } };
          }),
        }),
    }),
  },
  {
    // `queued` may last: 40 seconds, then a boot in one step.
    name: 'an intern is queued for 40 seconds and boots in one step',
    lawful: true,
    quote: '`queued` → `provisioning` with `progress` → `running` with a `hostname`',
    factories: (usual, hit) => ({
      createProvisioning: (interns, deps) => {
        const move: typeof interns.move = (row, event, record, change) => {
          const label = record?.progress?.step_label;
          if (event !== 'boot_step' || label === undefined || label === null) {
            return interns.move(row, event, record, change);
          }
          if (WAITS.includes(label)) {
            hit();
            return interns.put(row, undefined, change);
          }
          const progress = { step_label: label, step_number: 1, total_steps: 1 };
          return interns.move(row, event, { ...record, progress }, change);
        };
        return usual.createProvisioning(
          { ...interns, move },
          {
            ...deps,
            plan: planned(deps, (_row, plan) => ({
              ...plan,
              boot: { ...plan.boot, after: 42 * SECOND, steps: [...WAITS, 'Booting'] },
            })),
          },
        );
      },
    }),
  },
  {
    // A teardown may fail of other causes than the archive; that the service tries again by itself is nowhere forbidden.
    name: 'the first teardown of every third intern fails, and is tried again by the service',
    lawful: true,
    quote: 'When status is `destroy_failed` it may name `workspace_archive_failed`.',
    factories: (usual, hit) => ({
      createProvisioning: (interns, deps) => {
        const order = new Map<string, number>();
        const failedOnce = new Set<string>();
        const isDue = (id: string) => (order.get(id) ?? 0) % 3 === 1 && !failedOnce.has(id);
        const move: typeof interns.move = (row, event, record, change) => {
          if (event !== 'teardown_failed' || !isDue(row.id)) return interns.move(row, event, record, change);
          failedOnce.add(row.id);
          hit();
          const scope = deps.scope().child();
          const again = () => {
            void scope.dispose();
            const now = interns.get(row.id);
            if (now?.record.status !== 'destroy_failed') return;
            provisioning.destroy(now, false);
            deps.store.commit({ keep: true }).catch(() => {});
          };
          const timer = deps.clock.timer(20 * SECOND, again, 'work');
          scope.defer(timer.cancel);
          const last_failure_message = 'network_detach_failed: the network is still in use; trying again shortly';
          return interns.move(row, event, { ...record, last_failure_message }, change);
        };
        const provisioning = usual.createProvisioning(
          { ...interns, move },
          {
            ...deps,
            plan: planned(deps, (row, plan) => {
              if (row.record.status !== 'destroying' || plan.teardown.ends !== 'gone') return plan;
              if (!order.has(row.id)) order.set(row.id, order.size + 1);
              return isDue(row.id)
                ? { ...plan, teardown: { ...plan.teardown, ends: 'workspace_archive_failed' } }
                : plan;
            }),
          },
        );
        return provisioning;
      },
    }),
  },
  {
    // The form of these fields is published, their values are the service's: a host for each boot, the last step that was
    // taken, a failure that was overcome, and a heartbeat that moves `updated_at`.
    name: 'a running intern shows its last step, an old failure and a heartbeat, and has another host at each boot',
    lawful: true,
    quote: '`last_failure_message|null`, `progress|null`, `hostname|null`, `updated_at` … C: every change moves it',
    wrong: (world) => {
      const boots = new Map<string, number>();
      const shown = world.ok(RECORDS, (body) => {
        const beat = Math.floor(world.setting.host.now() / (10 * SECOND)) * 10 * SECOND;
        for (const intern of internsIn(body)) {
          const id = String(intern.id);
          const runs = intern.status === 'running';
          intern.hostname = runs ? `i-${id.slice(0, 8)}-${boots.get(id) ?? 0}.fra.interns.example` : null;
          if (!runs) continue;
          intern.progress = { step_label: 'Ready', step_number: 2, total_steps: 2 };
          intern.last_failure_message = 'A health check failed once and then passed';
          if (beat > Date.parse(String(intern.updated_at))) intern.updated_at = new Date(beat).toISOString();
        }
      });
      return async (call, next) => {
        const response = await shown(call, next);
        if (call.op === 'provision' && response.ok) {
          const id = call.id.toLowerCase();
          boots.set(id, (boots.get(id) ?? 0) + 1);
        }
        return response;
      };
    },
  },
  {
    // The same body is the same bytes: that equal JSON values are equal bodies is chosen.
    name: 'a create is only repeated byte by byte',
    lawful: true,
    quote:
      'A retry with the same idempotency key and the same body resumes unfinished work. … C: bodies are equal as JSON values',
    wrong: (world) => {
      const first = new Map<string, string>();
      return world.later('create', async (response, { text, body, who, request }) => {
        if (!response.ok || !isMember(who)) return undefined;
        const { id } = parsed(await response.clone().text()) as { id: string };
        const key = `${memberOf(who)} ${id}`;
        const known = first.get(key);
        if (response.status === 201 || known === undefined) first.set(key, text);
        if (response.status === 201 || known === undefined || known === text) return undefined;
        if (request.headers.has('idempotency-key'))
          return failed(409, 'Idempotency-Key was used with another body', 'idempotency_key_reused');
        const kept = await seen(world, id, bearer(request));
        return kept?.name === body.name ? failed(409, 'An intern of this name exists', 'name_conflict') : undefined;
      });
    },
  },
];
