import type { Addressed, History } from '../habits/known.js';
import { GATEWAY, READS } from '../habits/visit.js';
import { type CredentialName, isAnswer, type Send } from '../probe/request.js';

const PROMPT = /^(chat\/completions|invoke)$/;
/** ms from its first prompt on in which an intern that runs may not be ready yet. */
const READY_AFTER = 10_000;
/** What may be sent again to see whether a credential still opens it: it changes nothing. */
const HARMLESS = ({ send: { method = 'GET' }, rest }: Addressed) => READS.has(method) || /\/sign$/.test(rest);

export function createHistory(now: () => number): History {
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
  let routes = false;
  let latest = Number.NEGATIVE_INFINITY;

  return {
    sent({ send, id, rest }) {
      // An answer is refused for good, not until the intern is ready.
      if (id === undefined || !PROMPT.test(rest) || isAnswer(send.json)) return;
      prompts.set(id, (prompts.get(id) ?? new Set()).add(send));
      if (!first.has(id)) first.set(id, now());
    },
    answered(request, status) {
      const { send, id, rest } = request;
      const { as = 'api_key', method = 'GET' } = send;
      // One that is presented in another way, or beside the usual host, says nothing of the credential.
      if (typeof as === 'string' && send.present === undefined && send.host === undefined) {
        if (status === 401) shut.add(as);
        else shut.delete(as);
        if (status < 300 && HARMLESS(request)) opened.set(as, send);
      }
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
    created(id) {
      writes.set(id, now());
      born.set(id, now());
    },
    age: (id) => now() - (born.get(id) ?? now()),
    asked(id) {
      questions.set(id, (questions.get(id) ?? 0) + 1);
      engaged.set(id, engaged.get(id) ?? now());
    },
    named(id) {
      const left = (questions.get(id) ?? 1) - 1;
      questions.set(id, left);
      if (left === 0) engaged.delete(id);
    },
    deleted: (id) => deleted.has(id),
    firstPrompt(id, send) {
      const known = prompts.get(id);
      return !taken.has(id) && known?.size === 1 && known.has(send);
    },
    mayGetReady: (id) => !taken.has(id) && now() - (first.get(id) ?? Number.NEGATIVE_INFINITY) < READY_AFTER,
    routeSigned() {
      routes = true;
    },
    signsRoutes: () => routes,
    engagedSince: (id) => engaged.get(id),
    onlyAsked: (id) => questions.get(id) === 1 && !invoked.has(id),
    wrote: (id) => (id === undefined ? latest : (writes.get(id) ?? Number.NEGATIVE_INFINITY)),
    shut: () => [...shut].map((name) => ({ name, opened: opened.get(name) })),
  };
}
