import type { SentRequest } from '../../contract/curl.js';
import { curlOf } from '../../contract/curl.js';
import type { RefusalKey } from '../../contract/daemon.js';
import type { ErrorEnvelope } from '../../contract/errors.js';
import type { ExchangeExplanation } from '../../contract/explanation.js';
import { injectedText } from '../../contract/injected.js';
import type { JournalEntry } from '../../contract/journal-entry.js';
import { place } from '../../contract/problem.js';
import type { JournalDraft } from '../../http/journal-entry.js';
import type { ControlParts } from '../parts.js';
import { ADVICE } from './advice.js';
import { replyTo } from './examples.js';
import { bodyOf, type Facts, withBody } from './facts.js';
import { AFTER_FAULT, BAD_ENDS, CLIENT_LEFT, noteOf, OF_OPERATION } from './outcome.js';

type Parts = Pick<ControlParts, 'journal' | 'profile' | 'readers' | 'requirementOf' | 'runs' | 'target'>;
type Outcome = Pick<ExchangeExplanation, 'verdict' | 'summary' | 'wrong' | 'page'> & {
  requirement?: string | null | undefined;
  next?: { do: string; send?: SentRequest | undefined };
};

function factsOf(draft: JournalDraft, entry: JournalEntry, parts: Parts): Facts {
  const { base_url, workspace_id } = parts.target();
  const row = draft.internId === undefined ? undefined : parts.readers.internRow(draft.internId);
  const waits = parts.runs.list(draft.internId).filter(({ status }) => draft.internId && status === 'waiting');
  return {
    entry,
    key: draft.refused?.key,
    fields: draft.refused?.fields ?? [],
    base: base_url,
    workspaceId: row?.record.workspace_id ?? workspace_id,
    idempotencyHeader: parts.profile.idempotency_header ?? 'idempotency-key',
    toolName: parts.profile.tool_name,
    status: row?.record.status,
    waiting: waits.find(({ id }) => id === draft.run?.id) ?? waits[0],
  };
}

const errorOf = ({ response }: JournalEntry): Partial<ErrorEnvelope['error']> => bodyOf(response)?.error ?? {};

const WRONG_KEY: readonly (RefusalKey | undefined)[] = [
  'unauthorized',
  'scim_unauthorized',
  'personal_identity_required',
];

/** A request as a curl command, with variables in place of credentials. */
const curl = (entry: JournalEntry, { headers, ...sent }: SentRequest, credential?: string): string =>
  curlOf({ ...entry, request: { ...sent, headers: { ...headers } } }, credential);

const nameOf = ({ operation, request }: JournalEntry) =>
  operation ?? `${request.method} ${new URL(request.url).pathname}`;

/** The part of a request that a field was sent in: a path has none. */
const sentIn = ({ request }: JournalEntry, [name]: readonly PropertyKey[], otherwise: string) => {
  if (new URL(request.url).searchParams.has(String(name))) return 'query';
  return otherwise === 'path' ? 'body' : otherwise;
};

/** A refusal: what was wrong to the field, and what to send instead. */
function refused(facts: Facts): Outcome {
  const { entry, key } = facts;
  const { metadata } = errorOf(entry);
  const fields = entry.fields ?? [];
  const problem = fields.length > 1 ? `${fields.length} fields are wrong` : (entry.wrong ?? 'the request');
  const reason = problem.startsWith(`${metadata?.reason}: `) ? undefined : metadata?.reason;
  const summary = `${nameOf(entry)} was refused: ${[entry.response.status, reason].filter(Boolean).join(' ')}: ${problem}.`;
  if (key === undefined)
    return {
      verdict: 'refused',
      summary,
      wrong: [{ in: 'header', at: 'origin', problem }],
      next: { do: 'Let the page in: start the emulator with --cors and its origin.' },
      page: 'docs/running.md#from-a-browser',
    };
  const advice = ADVICE[key];
  return {
    verdict: 'refused',
    summary,
    wrong: fields.length
      ? fields.map(({ path, message }) => ({
          in: sentIn(entry, path, advice.in),
          at: place(path, advice.in),
          problem: message,
        }))
      : [{ in: advice.in, at: advice.at, problem: entry.wrong ?? problem }],
    requirement: entry.requirement,
    next: { do: typeof advice.do === 'string' ? advice.do : advice.do(facts), send: advice.send?.(facts) },
    page: advice.page,
  };
}

/** The disturbance of a request that was right: the requirement is the operation's. */
function injected({ entry }: Facts, what: string): Outcome {
  const own = OF_OPERATION[entry.operation as keyof typeof OF_OPERATION];
  return {
    verdict: 'injected',
    summary: `Nothing was wrong with the request: an injected fault ${what}.`,
    wrong: [],
    requirement: own?.requirement,
    next: { do: AFTER_FAULT, send: entry.request },
    page: 'docs/control.md#faults-and-chaos',
  };
}

/** An answer beside the interface, as a sentence. */
const detailOf = ({ response }: JournalEntry): string | undefined => {
  const detail = response.headers['x-emulator-detail'];
  return detail && `${detail[0]?.toUpperCase()}${detail.slice(1)}.`;
};

/** How an exchange that was not refused went on to its end. */
function answered(facts: Facts): Outcome {
  const { entry, waiting } = facts;
  const { closed, writes, response } = entry;
  const name = nameOf(entry);
  const page = OF_OPERATION[entry.operation as keyof typeof OF_OPERATION]?.page ?? 'docs/index.md';
  const stream = (what: string, at: string) => [{ in: 'stream', at, problem: what }];
  if (closed?.how === 'client_left' || (response.status === null && entry.wrong !== null)) {
    const { what, requirement, page } = CLIENT_LEFT;
    const streams = closed !== undefined;
    return {
      verdict: 'client_left',
      summary: streams ? `${name}: ${what}.` : `${name} got no answer: ${entry.wrong}.`,
      wrong: stream(streams ? what : (entry.wrong ?? ''), streams ? 'before [DONE]' : 'before the answer'),
      requirement: streams ? requirement : undefined,
      next: { do: CLIENT_LEFT.do },
      page,
    };
  }
  if (response.status === null || (writes && !closed))
    return {
      verdict: 'in_progress',
      summary: `${name} is still in progress: nothing is wrong so far.`,
      wrong: [],
      page,
    };
  const ended = closed?.run_ended;
  if (ended !== undefined && ended !== 'stop') {
    const end = BAD_ENDS[ended as keyof typeof BAD_ENDS];
    return {
      verdict: 'failed',
      summary: `${name} was answered ${response.status}, and its stream was complete, but ${end.what}.`,
      wrong: stream(end.what, 'finish_reason'),
      requirement: end.requirement,
      next: { do: end.do },
      page: 'docs/chat-api.md#how-it-ends-badly',
    };
  }
  const notes = [noteOf(entry), detailOf(entry)].filter((note) => note !== undefined);
  const asks = writes && ended === undefined && waiting?.id === entry.run_id ? waiting : undefined;
  return {
    verdict: 'right',
    summary: [`Nothing was wrong: ${name} answered ${response.status}.`, ...notes].join(' '),
    wrong: [],
    ...(asks && {
      requirement: 'CHAT-6',
      next: {
        do: 'Answer with the same session_id, the assistant message that echoes the tool call, and a tool message.',
        send: withBody(entry.request, replyTo(asks, facts.toolName)),
      },
    }),
    page: asks ? 'docs/chat-api.md#answer-a-question' : page,
  };
}

function outcomeOf(facts: Facts): Outcome {
  const { entry, key } = facts;
  const { status, disconnect, at, disturb } = entry.injected ?? {};
  const decided = status ?? disconnect ?? at ?? disturb;
  if (entry.injected && decided !== undefined) return injected(facts, injectedText(entry.injected));
  const outcome =
    key !== undefined || (entry.wrong && entry.response.status !== null) ? refused(facts) : answered(facts);
  if (!entry.injected) return outcome;
  const what = injectedText(entry.injected);
  // A delay decides nothing.
  return outcome.verdict === 'right'
    ? injected(facts, what)
    : { ...outcome, summary: `${outcome.summary} An injected fault ${what} first.` };
}

/**
 * Why an exchange of the journal went as it did: what was asked, what was wrong to the field, which requirement says
 * so, and what to send instead. Made of what the emulator knew when it answered, and of its present state.
 */
export async function explainExchange(draft: JournalDraft, parts: Parts): Promise<ExchangeExplanation> {
  const entry = parts.journal.view(draft);
  const facts = factsOf(draft, entry, parts);
  const { next, requirement, ...outcome } = outcomeOf(facts);
  const { message, metadata } = errorOf(entry);
  const { request, operation, caller, intern_id, run_id, script } = entry;
  return {
    id: entry.id,
    ...outcome,
    asked: { operation, method: request.method, url: request.url, caller, intern_id, run_id, script },
    answered: { status: entry.response.status, reason: metadata?.reason ?? null, message: message ?? null },
    requirement: await parts.requirementOf(requirement),
    next: next ? { do: next.do, curl: next.send ? curl(entry, next.send) : null } : null,
    curl: curl(entry, request, WRONG_KEY.includes(facts.key) ? 'THE_KEY_THAT_WAS_SENT' : undefined),
  };
}
