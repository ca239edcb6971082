import { refusal, rewritten } from '../../emulator/wire/answer.js';
import { isRecord } from '../../emulator/wire/json.js';
import { about, isPrompt } from '../../emulator/wire/request.js';
import type { Fetch } from '../../emulator/wire/serve.js';
import { beside, eachRecord, type Habit, retryAfter } from './habit.js';

export const bootsAtOnce: Habit = {
  id: 'boots-at-once',
  what: 'boots each new intern at once',
  kit: 'suspends it, and makes another if that boot fails',
  /** A create boots the intern at once, whatever it asks for. */
  serve: (next) => {
    const booted = new Set<string>();
    return async (request) => {
      const response = await next(request);
      if (about(request).operation !== 'create' || response.status !== 201) return response;
      const { id, status } = (await response.clone().json()) as { id: string; status: string };
      // A retried create returns an intern that was booted before.
      if (status === 'stopped' && !booted.has(id)) await next(beside(request, id, 'POST', '/provision'));
      booted.add(id);
      return response;
    };
  },
};

export const bootsFail: Habit = {
  id: 'boots-fail',
  what: 'sometimes fails to boot or to tear down an intern',
  kit: 'provisions again, three times at most, and boots another intern if that does not help; reports what is left behind',
  /** One boot in seven fails, and one teardown in seven. */
  serve: (next, { random, puts }) => {
    const stays = new Set<string>();
    return async (request) => {
      const { operation, id } = about(request);
      // The script comes with the delete: earlier it would decide the replies to prompts.
      if (operation === 'delete' && id !== undefined && stays.delete(id)) await puts(id, 'teardown-fails');
      const response = await next(request);
      if (operation !== 'create' || response.status !== 201) return response;
      const made = (await response.clone().json()) as { id: string };
      const chance = random();
      if (chance < 0.15) await puts(made.id, 'boot-fails');
      else if (chance < 0.3) stays.add(made.id);
      return response;
    };
  },
};

export const queued: Habit = {
  id: 'queued',
  what: 'shows interns that wait for a provision as queued',
  kit: 'accepts that as waiting',
  /** An intern that waits for its first provision is `queued`, however long. */
  serve: (next) => {
    const waiting = new Set<string>();
    return async (request) => {
      const { operation, id } = about(request);
      const url = new URL(request.url);
      const statuses = url.searchParams.getAll('status').flatMap((text) => text.split(','));
      const filters = operation === 'list' && statuses.includes('queued') && statuses.length < 8;
      if (filters) url.searchParams.set('status', [...statuses, 'stopped'].slice(-8).join(','));
      return rewritten(await next(filters ? new Request(url, request) : request), {
        json(json) {
          if (operation === 'provision' && isRecord(json) && json.error === undefined) waiting.delete(String(id));
          eachRecord(json, (record) => {
            if (request.method === 'POST' && record.status === 'stopped') waiting.add(String(record.id));
            if (record.status === 'stopped' && waiting.has(String(record.id))) record.status = 'queued';
          });
          if (statuses.length > 0 && isRecord(json) && Array.isArray(json.data))
            json.data = json.data.filter((entry) => isRecord(entry) && statuses.includes(String(entry.status)));
        },
      });
    };
  },
};

export const settlesFirst: Habit = {
  id: 'settles-first',
  what: 'queues a new intern for a moment',
  kit: 'waits for the status that it was created for',
  /** A new intern is `queued` for a while. */
  serve: (next, { host }) => {
    const until = new Map<string, number>();
    return async (request) => {
      const { operation, id } = about(request);
      return rewritten(await next(request), {
        json(json) {
          // A suspended intern is not new any more.
          if (operation === 'suspend') until.delete(String(id));
          eachRecord(json, (record) => {
            const id = String(record.id);
            if (operation === 'create') until.set(id, host.now() + 1_500);
            if (record.status === 'stopped' && host.now() < (until.get(id) ?? 0)) record.status = 'queued';
          });
        },
      });
    };
  },
};

/** Whether a call has no other mistake: a caller who does not see the intern, and a body, are refused first. */
const isFree = async (next: Fetch, request: Request, id: string): Promise<boolean> =>
  request.body === null && (await next(beside(request, id, 'GET'))).ok;

/** ms that a suspend goes on after its answer. */
const STOPPING = 1_200;

export const slowSuspends: Habit = {
  id: 'slow-suspends',
  what: 'takes a moment to suspend',
  kit: 'waits until the intern no longer runs',
  /** A suspend takes a moment: runs end and prompts are refused at once, the record is `running` a little longer. */
  serve: (next, { host }) => {
    const until = new Map<string, number>();
    return async (request) => {
      const { operation, id = '' } = about(request);
      const stopping = (one: unknown) => host.now() < (until.get(String(one)) ?? 0);
      const isCall = operation === 'provision' || operation === 'suspend';
      if (isCall && stopping(id) && (await isFree(next, request, id)))
        return refusal(409, 'The intern is busy', 'intern_busy');
      const response = await next(request);
      if (operation === 'suspend' && response.ok) {
        const seen = await next(beside(request, id, 'GET'));
        // An intern that never booted has no hostname, and nothing to stop.
        if (seen.ok && ((await seen.json()) as { hostname?: unknown }).hostname != null)
          until.set(id, host.now() + STOPPING);
      }
      return rewritten(response, {
        json: (json) =>
          eachRecord(json, (record) => {
            if (record.status === 'stopped' && stopping(record.id)) record.status = 'running';
          }),
      });
    };
  },
};

/** ms for which an intern saves its disk after a suspend, and for which it may be busy after a write that was accepted. */
const SAVING = 3_000;
const BUSY = 10_000;

export const savesFirst: Habit = {
  id: 'saves-first',
  what: 'saves the disk after a suspend, and is busy meanwhile',
  kit: 'sends a provision, suspend or update again if `Retry-After` says so and less than 10 s have passed',
  /** A suspend is over at once, as the record says, but for a moment nothing else is taken. */
  serve: (next, { host }) => {
    const until = new Map<string, number>();
    return async (request) => {
      const { operation, id = '' } = about(request);
      const isCall = operation === 'provision' || operation === 'suspend';
      if (isCall && host.now() < (until.get(id) ?? 0) && (await isFree(next, request, id)))
        return refusal(409, 'The disk is being saved', 'intern_busy', false, { 'retry-after': '3' });
      const response = await next(request);
      if (operation === 'suspend' && response.ok) until.set(id, host.now() + SAVING);
      return response;
    };
  },
  /** Without a `Retry-After`, a conflict is what the state of the intern says. */
  again: ({ send: { method }, id, rest, status, headers, headAfter }, { dealings, now }) => {
    const writes = rest === 'provision' || rest === 'suspend' || (rest === '' && method === 'PATCH');
    if (status !== 409 || id === undefined || !writes) return undefined;
    const wait = retryAfter(headers.get('retry-after'), now()) ?? Number.POSITIVE_INFINITY;
    return now() - headAfter + wait - dealings.with(id).wrote <= BUSY ? wait : undefined;
  },
};

export const wakesForPrompts: Habit = {
  id: 'wakes-for-prompts',
  what: 'wakes for a prompt',
  kit: 'skips the checks that need an intern to stay suspended; warns, where the refusal of prompts is published',
  differs: ['CHAT-16', 'LIFE-1'],
  /** A prompt boots its intern. */
  serve:
    (next, { host }) =>
    async (request) => {
      const { operation, id } = about(request);
      if (id === undefined || !isPrompt(operation)) return next(request);
      const first = await next(request.clone());
      if (first.status !== 409 || !(await first.clone().text()).includes('intern_not_ready')) return first;
      await next(beside(request, id, 'POST', '/provision'));
      for (let looks = 0; looks < 20; looks++) {
        const seen = await next(beside(request, id, 'GET'));
        if (seen.ok && ((await seen.json()) as { status: string }).status === 'running') break;
        await host.sleep(500);
      }
      return next(request);
    },
};
