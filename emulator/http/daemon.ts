import type { Clock } from '../clock/clock.js';
import type { Random } from '../clock/random.js';
import { Refusal } from '../contract/errors.js';
import type { InternRow, RevealRow } from '../contract/state.js';
import type { Collection } from '../store/store.js';
import { json } from './response.js';
import { type Route, route } from './route.js';

export interface DaemonRouteDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Pick<Random, 'uuid'>;
  readonly store: {
    collection(name: 'reveals'): Collection<RevealRow>;
    commit(): Promise<void>;
  };
  /** The address of the daemons: scheme and host, with the port unless it is the scheme's default. */
  daemonOrigin(): string;
  /** The state of its daemon according to the intern's script. */
  lifecyclePlan(intern: InternRow): { readonly daemon: 'reachable' | 'unreachable' };
  readonly log?: ((record: { event: string; [detail: string]: unknown }) => void) | undefined;
}

/** `GET /interns/{id}/daemon` (DAEMON-1, DAEMON-2, AUTH-7). The token goes into the answer and nowhere else. */
export function daemonRoute(deps: DaemonRouteDeps): Route {
  return route<undefined>({
    operation: 'daemon',
    method: 'GET',
    path: '/interns/:id/daemon',
    credential: 'oauth',
    parse: () => undefined,
    async handle({ caller, intern, bodiless }) {
      if (intern.record.status !== 'running' || intern.daemon_token === null) throw new Refusal('intern_not_running');
      if (deps.lifecyclePlan(intern).daemon === 'unreachable') throw new Refusal('daemon_unreachable');
      const answer = { origin: deps.daemonOrigin(), token: intern.daemon_token };
      const shown = json(answer, 200, { 'cache-control': 'no-store' });
      if (bodiless) return shown;
      const reveal: RevealRow = {
        id: deps.random.uuid(),
        intern_id: intern.id,
        caller: caller.subject ?? caller.id,
        at: new Date(deps.clock.now()).toISOString(),
      };
      const reveals = deps.store.collection('reveals');
      reveals.put(reveal);
      await deps.store.commit();
      deps.log?.({ event: 'reveal', intern_id: reveal.intern_id, caller: reveal.caller, at: reveal.at });
      return shown;
    },
  });
}

/** The deprecated alias of {@link daemonRoute} (DAEMON-3). */
export function daemonAliasRoute(deps: DaemonRouteDeps): Route {
  const successor = daemonRoute(deps);
  return { ...successor, path: '/interns/:id/daemon-access', successor: successor.path };
}
