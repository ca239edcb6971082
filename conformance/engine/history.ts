import type { Addressed, History as Known } from '../habits/known.js';
import { GATEWAY, READS } from '../habits/visit.js';
import { type CredentialName, isAnswer, type Send } from '../probe/request.js';

const PROMPT = /^(chat\/completions|invoke)$/;
/** ms from its first prompt on in which an intern that runs may not be ready yet. */
const READY_AFTER = 10_000;
/** A request that may be sent again to see whether a credential still works: it changes nothing. */
const HARMLESS = ({ send: { method = 'GET' }, rest }: Addressed) => READS.has(method) || /\/sign$/.test(rest);

/** The history of a run at a deployment, for habits to ask. */
export function createHistory(now: () => number) {
  const prompts = new Map<string, Set<Send>>();
  const first = new Map<string, number>();
  const taken = new Set<string>();
  const questions = new Map<string, number>();
  const engaged = new Map<string, number>();
  const invoked = new Set<string>();
  const deleted = new Set<string>();
  const writes = new Map<string, number>();
  const born = new Map<string, number>();
  const opened = new Map<CredentialName, Send>();
  const shut = new Set<CredentialName>();
  const saw = new Set<CredentialName>();
  let routes = false;
  let latest = Number.NEGATIVE_INFINITY;

  return {
    /** A request leaves. */
    sent({ send, id, rest }: Addressed) {
      // An answer is refused for good, not until the intern is ready.
      if (id === undefined || !PROMPT.test(rest) || isAnswer(send.json)) return;
      prompts.set(id, (prompts.get(id) ?? new Set()).add(send));
      if (!first.has(id)) first.set(id, now());
    },
    /** The head of its answer came. */
    answered(request: Addressed, status: number) {
      const { send, id, rest } = request;
      const { as = 'api_key', method = 'GET' } = send;
      // One that is presented in another way, or beside the usual host, says nothing of the credential.
      if (typeof as === 'string' && send.present === undefined && send.host === undefined) {
        if (status === 401) shut.add(as);
        else shut.delete(as);
        if (status < 300 && HARMLESS(request)) opened.set(as, send);
      }
      const looks = /^daemon(\/sign)?$/.test(rest) && id !== undefined && born.has(id);
      if (typeof as === 'string' && looks && status !== 404) saw.add(as);
      // Whether one that a gateway answered has come to the intern, nobody can tell: the next may be the first.
      if (id !== undefined && GATEWAY.has(status)) prompts.get(id)?.delete(send);
      if (READS.has(method) || status >= 400) return;
      if (id !== undefined && PROMPT.test(rest) && !isAnswer(send.json)) taken.add(id);
      latest = now();
      if (id === undefined) return;
      writes.set(id, latest);
      if (method === 'DELETE') deleted.add(id);
      if (rest === 'invoke') {
        engaged.set(id, engaged.get(id) ?? latest);
        invoked.add(id);
      }
      if (rest !== 'suspend' && rest !== 'provision') return;
      for (const known of [prompts, first, taken, questions, engaged, invoked]) known.delete(id);
    },
    /** A create answered the id of an intern. */
    created(id: string) {
      writes.set(id, now());
      born.set(id, now());
    },
    age: (id: string) => now() - (born.get(id) ?? now()),
    /** A stream asked something. */
    asked(id: string) {
      questions.set(id, (questions.get(id) ?? 0) + 1);
      engaged.set(id, engaged.get(id) ?? now());
    },
    /** An answer to what a stream asked was taken. */
    named(id: string) {
      const left = (questions.get(id) ?? 1) - 1;
      questions.set(id, left);
      if (left === 0) engaged.delete(id);
    },
    deleted: (id: string) => deleted.has(id),
    firstPrompt(id: string, send: Send) {
      const known = prompts.get(id);
      return !taken.has(id) && known?.size === 1 && known.has(send);
    },
    mayGetReady: (id: string) => !taken.has(id) && now() - (first.get(id) ?? Number.NEGATIVE_INFINITY) < READY_AFTER,
    /** A proof for a route was given (SIGN-1). */
    routeSigned() {
      routes = true;
    },
    signsRoutes: () => routes,
    engagedSince: (id: string) => engaged.get(id),
    onlyAsked: (id: string) => questions.get(id) === 1 && !invoked.has(id),
    wrote: (id?: string) => (id === undefined ? latest : (writes.get(id) ?? Number.NEGATIVE_INFINITY)),
    saw: (name: CredentialName) => saw.has(name),
    shut: () => [...shut].map((name) => ({ name, opened: opened.get(name) })),
  } satisfies Known & Record<string, unknown>;
}
