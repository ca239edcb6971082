import { isModel } from '../model/intern.js';
import type { Model } from '../model/model.js';
import { STREAM_RULES, type StreamRule } from '../probe/chunks.js';
import { isRecord } from '../probe/json.js';
import { answerOf, reasonIs, saysWhen } from './errors.js';
import { isChat } from './forms.js';
import { isNotIn, maybe, noObject, wrongObject } from './mistakes.js';
import {
  type AnyRule,
  each,
  holds,
  is,
  isBodyKnown,
  isTurning,
  type Judgement,
  type Rule,
  rulesOf,
  type Seen,
} from './rule.js';

/** A chat stream that was read to its end. */
export const streamOf = (seen: Seen) => {
  const { stream } = seen.answered;
  return stream?.ended === 'end' ? stream : undefined;
};

/** The kit's rule for a rule of streams. */
const grammar = (rule: StreamRule): Rule => {
  const [id, level, says] = STREAM_RULES[rule];
  return {
    id: `${id}/${rule}`,
    requirement: id,
    level,
    of: ['chat'],
    says,
    alone: true,
    judge: (seen): Judgement => {
      const stream = streamOf(seen);
      if (stream === undefined) return undefined;
      const broken = stream.breaches.filter((breach) => breach.rule === rule);
      return broken.length === 0
        ? 'kept'
        : { what: `the stream, ${rule}`, expected: 'the order of a chat stream', actual: broken, because: [] };
    },
  };
};

/** Kept if a prompt without a session began one that no earlier prompt had. Concurrent prompts prove nothing. */
export function isNew(seen: Seen, model: Model, session: unknown): Judgement {
  const { asked, body, id, operation } = seen;
  if (typeof session !== 'string' || id === undefined || !isBodyKnown(seen)) return undefined;
  if (typeof body?.session_id === 'string') return undefined;
  const known = model.session(id, session);
  if (known === undefined) return 'kept';
  const expected = 'one that no other run has';
  return known.value.at < asked.at
    ? holds(false, `session_id of a new ${operation.name}`, expected, session, [known.number])
    : undefined;
}

/** The counts of a usage. */
const COUNTS = ['prompt_tokens', 'completion_tokens', 'total_tokens'] as const;

/** Whether the intern cannot have the model that a request names. */
function isForeign(model: string, seen: Seen): boolean {
  const own = seen.intern?.settings.model.since(seen.asked.at);
  if (own === undefined || own.has('null')) return !isModel(model);
  return !own.has(JSON.stringify(model));
}

/** In a stream with this many texts, it is no accident if each repeats all before it. */
const SEVERAL = 4;

const isLonger = (text: string, before: string): boolean => text.length > before.length && text.startsWith(before);

const contentsOf = (chunks: readonly { readonly json: Readonly<Record<string, unknown>> }[]): readonly string[] =>
  chunks.flatMap(({ json: { choices } }) =>
    (Array.isArray(choices) ? choices : []).flatMap((choice: unknown) =>
      isRecord(choice) &&
      isRecord(choice.delta) &&
      typeof choice.delta.content === 'string' &&
      choice.delta.content !== ''
        ? [choice.delta.content]
        : [],
    ),
  );

/** Chat: the order of a stream, its session, its errors. */
export const CHAT: readonly AnyRule[] = [
  // The network may have cut a stream that breaks off.
  ...(Object.keys(STREAM_RULES) as StreamRule[]).filter((rule) => rule !== 'connection-holds').map(grammar),
  ...rulesOf('CHAT-1', ['chat'], {
    'is-a-stream': {
      says: 'A prompt is answered with server-sent events, unless it is refused or steered.',
      alone: true,
      judge: (seen) =>
        seen.answered.status < 300 && seen.answered.status !== 202 && seen.json?.status !== 'steered'
          ? holds(
              /^text\/event-stream\b/i.test(seen.answered.header('content-type') ?? ''),
              'content type of a chat',
              'text/event-stream',
              seen.answered.header('content-type'),
            )
          : undefined,
    },
    'content-is-new': {
      says: 'The content of a chunk is new: chunks do not repeat the whole text before them.',
      alone: true,
      judge: (seen) => {
        const texts = contentsOf(streamOf(seen)?.chunks ?? []);
        return texts.length < SEVERAL
          ? undefined
          : holds(
              texts.some((text, at) => at > 0 && !isLonger(text, texts[at - 1] ?? '')),
              'content of the chunks of a stream',
              'what each adds',
              texts.slice(0, SEVERAL),
            );
      },
    },
    'model-not-used': {
      level: 'P',
      says: 'The model in a prompt is ignored: chunks name only models of the intern.',
      judge: (seen) => {
        const stream = streamOf(seen);
        const model = seen.body?.model;
        return stream === undefined || typeof model !== 'string' || !isForeign(model, seen)
          ? undefined
          : each(stream.chunks, ({ json }) =>
              holds(json.model !== model, 'model of a chunk', 'that of the intern', json.model, [seen.asked.number]),
            );
      },
    },
  }),
  ...rulesOf('CHAT-3', ['chat'], {
    session: {
      says: 'A stream names the session of its prompt, and a run that spoke has one.',
      judge: (seen, model) => {
        const stream = streamOf(seen);
        if (stream?.final === undefined || seen.id === undefined) return undefined;
        const sent = seen.body?.session_id;
        const known = typeof sent === 'string' ? model.session(seen.id, sent) : undefined;
        if (known !== undefined)
          return is('session_id of a prompt in a session', sent, stream.sessionId, [known.number]);
        return stream.content === ''
          ? undefined
          : holds(
              stream.sessionId !== undefined,
              `session_id after ${stream.finish}`,
              'that of the run that spoke',
              stream.final,
            );
      },
    },
  }),
  ...rulesOf('CHAT-4', ['chat'], {
    counts: {
      level: 'P',
      says: 'Usage has prompt_tokens, completion_tokens and total_tokens, each a count.',
      alone: true,
      judge: (seen) => {
        const usage = streamOf(seen)?.final?.usage;
        return isRecord(usage)
          ? each(COUNTS, (key) =>
              holds(Number.isInteger(usage[key]) && Number(usage[key]) >= 0, `usage.${key}`, 'a count', usage[key]),
            )
          : undefined;
      },
    },
    'of-one-run': {
      says: 'Usage counts one run: it does not add up over the runs of a session.',
      judge: (seen, model) => {
        const stream = streamOf(seen);
        const usage = stream?.final?.usage;
        if (stream?.sessionId === undefined || seen.id === undefined || !isRecord(usage)) return undefined;
        const before = model.session(seen.id, stream.sessionId)?.value.usage;
        const alone = model.usageAlone(seen.asked, stream);
        if (before === undefined || alone === undefined) return undefined;
        const keys = COUNTS.filter((key) => Number(before.value[key]) > 0);
        return keys.length === 0
          ? undefined
          : holds(
              keys.some((key) => Number(usage[key]) !== Number(before.value[key]) + Number(alone.value[key])),
              'usage of a run in a session',
              'that of this run alone',
              usage,
              [alone.number, before.number],
            );
      },
    },
  }),
  ...rulesOf('CHAT-12', ['chat'], {
    'ended-run': {
      says: 'Code 410 and the reason run_ended come together: both mean that the intern ended the run.',
      alone: true,
      judge: (seen) => {
        const stream = streamOf(seen);
        if (stream === undefined || (stream.finish !== 'error' && stream.error === undefined)) return undefined;
        const { error } = stream;
        if (stream.finish !== 'error') return is('finish_reason of a stream with an error', 'error', stream.finish);
        if (error === undefined)
          return {
            what: 'error of a stream that finished with error',
            expected: 'a reason',
            actual: stream.chunks.at(-1)?.json,
            because: [],
          };
        if (error.reason === 'run_ended') return is('code of run_ended', 410, error.code);
        return error.code === 410 ? is('reason of code 410', 'run_ended', error.reason) : 'kept';
      },
    },
    'error-form': {
      level: 'P',
      says: 'The error of a stream is at the top level of the chunk with the finish reason: code, message, reason and retryable.',
      alone: true,
      judge: (seen) => {
        const error = streamOf(seen)?.error;
        if (error === undefined) return undefined;
        return holds(
          error.inPlace &&
            Number.isInteger(error.code) &&
            typeof error.message === 'string' &&
            error.message !== '' &&
            typeof error.reason === 'string' &&
            typeof error.retryable === 'boolean',
          'error of a stream',
          '{code, message, metadata: {reason, retryable}} at the top of its chunk',
          error,
        );
      },
    },
    'published-reason': {
      level: 'P',
      says: 'The error of a stream has the published code and retryable flag of its reason.',
      alone: true,
      judge: (seen) => {
        const error = streamOf(seen)?.error;
        return error === undefined ? undefined : reasonIs('a stream', error.reason, error.code, error.retryable);
      },
    },
  }),
  ...rulesOf('CHAT-13', ['chat'], {
    severed: {
      level: 'P',
      says: 'A broken connection to the intern gives code 502, retryable.',
      alone: true,
      judge: (seen) => {
        const error = streamOf(seen)?.error;
        return error?.reason === 'stream_severed'
          ? is('stream_severed', { code: 502, retryable: true }, { code: error.code, retryable: error.retryable })
          : undefined;
      },
    },
  }),
  ...rulesOf('CHAT-14', ['chat'], {
    'busy-says-when': {
      level: 'P',
      says: 'The refusal of a prompt by a busy intern says in Retry-After when to send it again.',
      alone: true,
      judge: (seen) => (seen.error?.reason === 'busy' ? saysWhen(seen) : undefined),
    },
    'steered-form': {
      level: 'P',
      says: 'A prompt that is steered into a run is answered 202 with its session and the status steered.',
      alone: true,
      judge: (seen) =>
        seen.answered.status === 202 && isBodyKnown(seen)
          ? is(
              'answer of a steered prompt',
              { session_id: seen.body?.session_id, status: 'steered' },
              { session_id: seen.json?.session_id, status: seen.json?.status },
            )
          : undefined,
    },
    'busy-while-it-streams': {
      level: 'P',
      says: 'An intern is busy only while a chat run streams on it. Waiting runs, and runs of other interns, do not count.',
      judge: (seen, model) => {
        const { answered, asked, error, intern } = seen;
        if (intern?.made === undefined || model.options.partial === true) return undefined;
        const others = [...intern.streams].some((number) => number !== asked.number);
        if (others || isTurning(seen, model) || asked.at < intern.free) return undefined;
        if (answered.status < 300) {
          const elsewhere = [...model.present].some((one) => one !== intern && one.streams.size > 0);
          return elsewhere || intern.questions.size > 0 ? 'kept' : undefined;
        }
        return answered.status !== 409 || error?.reason !== 'busy'
          ? undefined
          : holds(false, 'a prompt to an intern on which nothing streams', 'one that is not busy', answered.status, [
              intern.made.number,
            ]);
      },
    },
  }),
  ...rulesOf('CHAT-15', ['chat'], {
    'new-session': {
      says: 'A prompt without a session begins one of its own.',
      judge: (seen, model) => isNew(seen, model, streamOf(seen)?.sessionId),
    },
    'prompt-is-an-object': {
      says: 'A body of chat that is no JSON object is refused with 400.',
      step: 'body',
      statuses: [400],
      reason: 'bad_request',
      wrong: noObject,
    },
    prompt: {
      says: 'A prompt whose form is not published is refused with 400.',
      step: 'body',
      statuses: [400],
      reason: 'bad_request',
      wrong: wrongObject(isChat),
    },
    'session-unknown': {
      open: true,
      says: 'A service may refuse sessions that it has not issued.',
      step: 'named',
      statuses: [404, 400],
      wrong: (seen, model) => {
        const session = seen.body?.session_id;
        if (typeof session !== 'string' || seen.id === undefined || model.options.ours === true) return false;
        return maybe(model.session(seen.id, session) === undefined);
      },
    },
  }),
  ...rulesOf('CHAT-16', {
    'chat-runs': {
      says: 'An intern that does not run takes no prompt: 409.',
      step: 'state',
      statuses: [409],
      reason: 'intern_not_ready',
      of: ['chat'],
      wrong: (seen, model) => isNotIn(seen, model, 'up'),
    },
  }),
  ...rulesOf('CHAT-17', {
    'limit-form': {
      says: 'A turn over the limit is refused with 429, rate_limited, retryable.',
      alone: true,
      of: ['chat'],
      judge: (seen) =>
        seen.answered.status === 429 && seen.error?.reason === 'rate_limited'
          ? is(`error.metadata.retryable of ${answerOf(seen)}`, true, seen.error.retryable)
          : undefined,
    },
    'limit-says-when': {
      level: 'P',
      says: 'The refusal of a turn over the limit says in Retry-After when to send it again.',
      alone: true,
      of: ['chat', 'invoke'],
      judge: (seen) =>
        seen.answered.status === 429 && seen.error?.reason === 'rate_limited' ? saysWhen(seen) : undefined,
    },
  }),
];
