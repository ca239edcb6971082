import type { Visit } from '../habits/visit.js';
import { internPath, type Send } from '../probe/request.js';
import { takeAwayTogether } from './cleaning.js';
import { look } from './cleanup.js';
import { forget, keepFewer, kept } from './pool.js';
import type { RunContext } from './run-context.js';

/** A run, as habits see it. */
export function visitOf(run: RunContext): Visit {
  const { driver, host, lane, pool, session, settings, signal } = run;
  const { own, running } = session;
  const { target } = driver;
  return {
    target,
    readOnly: settings.readOnly,
    ...session.known,
    sleep: (ms) => host.sleep(ms, signal),
    send: (send: Send) => session.running.send(send),
    pathOf: internPath,
    creating(more = {}) {
      const renew = () => ({
        name: `${session.prefix}${(++pool.count).toString(36)}`,
        workspace_id: target.workspaceId,
        ...more,
      });
      return { method: 'POST', path: '/interns', json: renew(), renew };
    },
    created: own.count,
    made: own.open,
    async findLost() {
      if (own.unanswered()) await look({ own, send: running.send }, 'api_key');
    },
    gone: (id) => own.note({ event: 'gone', id }),
    inHand: lane.made,
    shared: () => pool.shared.get(lane)?.id,
    kept: () => kept(pool),
    keep: (most) => keepFewer(pool, most),
    forget: () => forget(pool),
    async takeAway(interns) {
      await takeAwayTogether(session, interns);
      pool.idle.clear();
    },
    nobody(id) {
      session.own.madeUp(id);
      return id;
    },
    spoilt: (name, how) => session.spoilt(name, how),
  };
}
