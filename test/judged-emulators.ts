import { createTraffic } from '../conformance/judge/traffic.js';
import type { JudgeTraffic } from '../emulator/contract/checks.js';
import { defaultFactories, type Factories } from '../emulator/factories.js';
import type { JournalDraft } from '../emulator/http/journal-entry.js';
import { observeEnds } from '../emulator/http/judging.js';

/** Has every emulator that is made from here on tell of the exchanges that break rules. The result takes that back. */
export function judgeEmulators(found: (breach: string) => void): () => void {
  const { createPipeline, createRoutes } = defaultFactories;
  let begin = (): JudgeTraffic => () => ({ verdict: 'not_judged', rules: [], broken: [] });
  defaultFactories.createRoutes = (deps) => {
    begin = () => createTraffic(deps.chat.profile, true);
    return createRoutes(deps);
  };
  defaultFactories.createPipeline = (deps: Parameters<Factories['createPipeline']>[0]) => {
    const { journal } = deps;
    const anew = begin;
    let judge = anew();
    // A replayed exchange is in the journal too.
    const emulated = new WeakSet<JournalDraft>();
    const ended = (draft: JournalDraft) => {
      if (!emulated.has(draft)) return;
      // A failure of the emulator's own is logged as an error.
      if (draft.status === 500) return;
      const { request, response, ...entry } = journal.view(draft);
      const { broken } = judge({ ...entry, request, response });
      // The effect of a fault says nothing of the emulator.
      if (draft.injected !== undefined) return;
      for (const breach of broken)
        found(`${request.method} ${request.url} ${response.status}: ${JSON.stringify(breach)}`);
    };
    observeEnds(journal, {
      ended,
      cleared() {
        judge = anew();
      },
    });
    return createPipeline({
      ...deps,
      journal: {
        ...journal,
        begin(...given) {
          const draft = journal.begin(...given);
          emulated.add(draft);
          return draft;
        },
      },
    });
  };
  return () => Object.assign(defaultFactories, { createPipeline, createRoutes });
}

/** Routes whose suspensions answer with this status. */
export function suspendingWith(status: number): Factories['createRoutes'] {
  const { createRoutes } = defaultFactories;
  return (deps) =>
    createRoutes(deps).map((route) =>
      route.operation === 'suspend'
        ? {
            ...route,
            async handle(...given: Parameters<typeof route.handle>) {
              return { ...(await route.handle(...given)), status };
            },
          }
        : route,
    ) as ReturnType<typeof createRoutes>;
}
