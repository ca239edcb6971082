import { Refusal } from '../../emulator/contract/errors.js';
import type { Alterations } from './alterations.js';
import { operationOf, reads, served } from './change.js';
import { isObject } from './change-lifecycle.js';
import { otherwise, replies, streamingIn, waitingOf } from './change-runs.js';
import { defineDeviations } from './deviation.js';

type Body = Record<string, unknown> & { messages: { role?: unknown; [field: string]: unknown }[] };

/** Changes the body of a reply, which is one whose last message is of a tool. */
const replyBodies = (change: (body: Body) => unknown): Alterations =>
  reads('chat', (value) => {
    if (!isObject(value) || !Array.isArray(value.messages)) return value;
    const body = value as Body;
    return body.messages.at(-1)?.role === 'tool' ? change(body) : value;
  });

const acceptable = (content: string) =>
  ['allow_once', 'allow_always', 'reject_once', 'reject_always', 'cancel'].includes(content);

export const CHAT_REFUSALS = defineDeviations([
  {
    name: 'reply-without-session-is-unknown',
    requirement: 'CHAT-7',
    description: 'A reply without session_id is 404.',
    alters: replyBodies((body) => ({ session_id: 'none', ...body })),
    caughtBy: ['chat-refusals/session-before-call', 'chat-unacceptable/without-session'],
  },
  {
    name: 'reply-to-an-unknown-call-is-409',
    requirement: 'CHAT-7',
    description: 'A call that was never asked is 409 interaction_not_pending.',
    alters: otherwise((error) =>
      error.key === 'interaction_unknown' ? new Refusal('interaction_not_pending') : undefined,
    ),
    caughtBy: ['chat-refusals/unknown-call', 'chat-refusals/unknown-before-ended', 'chat-refusals/session-before-call'],
  },
  {
    name: 'reply-ended-before-unknown',
    requirement: 'CHAT-7',
    description: 'In a session whose run has ended any call is 409 interaction_not_pending.',
    alters: otherwise((error, request, runs) =>
      error.key === 'interaction_unknown' &&
      runs.list(request.intern.id).some((run) => run.session_id === request.sessionId && run.status === 'ended')
        ? new Refusal('interaction_not_pending')
        : undefined,
    ),
    caughtBy: ['chat-refusals/unknown-before-ended'],
  },
  {
    name: 'reply-forgets-ended-runs',
    requirement: 'CHAT-7',
    description: 'The call of a run that has ended is unknown.',
    alters: otherwise((error, request, runs) =>
      error.key === 'interaction_not_pending' && !waitingOf(runs, request)
        ? new Refusal('interaction_unknown')
        : undefined,
    ),
    caughtBy: [
      'chat-refusals/unknown-before-ended',
      'chat-refusals/ended-before-busy',
      'chat-refusals/ended-before-unacceptable',
      'chat-deadlines/late-answer',
    ],
  },
  {
    name: 'reply-streaming-before-unknown',
    requirement: 'CHAT-7',
    description: 'While a run streams an unknown call is 409 attachment_failed.',
    alters: otherwise((error, request, runs) =>
      error.key === 'interaction_unknown' && streamingIn(runs, request.intern).length > 0
        ? new Refusal('attachment_failed')
        : undefined,
    ),
    caughtBy: ['chat-refusals/unknown-before-streaming'],
  },
  {
    name: 'reply-busy-before-ended',
    requirement: 'CHAT-7',
    description: 'While another run streams a reply to an ended run is busy.',
    alters: otherwise((error, request, runs) =>
      error.key === 'interaction_not_pending' && streamingIn(runs, request.intern).length > 0
        ? new Refusal('busy', { headers: { 'retry-after': '1' } })
        : undefined,
    ),
    caughtBy: ['chat-refusals/ended-before-busy', 'chat-refusals/stale-before-busy'],
  },
  {
    name: 'reply-content-before-ended',
    requirement: 'CHAT-7',
    description: 'An unacceptable answer is 400 whether its run has ended or not.',
    alters: otherwise((error, request, runs) =>
      error.key === 'interaction_not_pending' && !acceptable(request.content) && !waitingOf(runs, request)
        ? new Refusal('bad_request')
        : undefined,
    ),
    caughtBy: ['chat-refusals/ended-before-unacceptable', 'chat-deadlines/late-answer'],
  },
  {
    name: 'reply-content-before-all',
    requirement: 'CHAT-7',
    description: 'An unacceptable answer is 400 before anything of its run is looked at.',
    alters: replies(async (usual, request) => {
      if (request.content === 'no such option') throw new Refusal('bad_request');
      return usual(request);
    }),
    caughtBy: [
      'chat-refusals/ended-before-unacceptable',
      'chat-refusals/stale',
      'chat-refusals/busy-before-unacceptable',
      'chat-refusals/streaming-before-stale',
      'chat-deadlines/at-the-deadline',
    ],
  },
  {
    name: 'reply-stale-before-streaming',
    requirement: 'CHAT-7',
    description: 'While the run streams an answer to its old question is interaction_not_pending.',
    alters: otherwise((error) =>
      error.key === 'attachment_failed' ? new Refusal('interaction_not_pending') : undefined,
    ),
    caughtBy: ['chat-refusals/streaming-before-stale', 'chat-refusals/unknown-before-streaming'],
  },
  {
    name: 'reply-to-the-old-question-counts',
    requirement: 'CHAT-7',
    description: 'An answer to an old question answers the open one.',
    alters: replies((usual, request, runs) => {
      const asking = waitingOf(runs, request);
      const known = runs.list(request.intern.id).some((run) => run.session_id === request.sessionId);
      return usual(
        known && asking?.question && request.interactionId.startsWith('call_') && !request.interactionId.endsWith('_')
          ? { ...request, interactionId: asking.question.id }
          : request,
      );
    }),
    caughtBy: ['chat-refusals/stale', 'chat-refusals/stale-before-busy'],
  },
  {
    name: 'reply-content-before-busy',
    requirement: 'CHAT-7',
    description: 'While another run streams an unacceptable answer is 400.',
    alters: otherwise((error, request) =>
      error.key === 'busy' && !acceptable(request.content) ? new Refusal('bad_request') : undefined,
    ),
    caughtBy: ['chat-refusals/busy-before-unacceptable'],
  },
  {
    name: 'reply-only-three-times',
    requirement: 'CHAT-7',
    description: 'After three unacceptable answers the question is closed.',
    alters: {
      runs: (usual) => {
        const tries = new Map<string, number>();
        return {
          ...usual,
          async reply(request) {
            try {
              return await usual.reply(request);
            } catch (error) {
              if (error instanceof Refusal && error.key === 'bad_request') {
                const count = (tries.get(request.interactionId) ?? 0) + 1;
                tries.set(request.interactionId, count);
                if (count === 3) usual.endAll(request.intern.id, 'reset');
              }
              throw error;
            }
          },
        };
      },
    },
    caughtBy: ['chat-unacceptable/unacceptable-stays', 'chat-unacceptable/unacceptable-option'],
  },
  {
    name: 'reply-to-a-stopped-intern-is-404',
    requirement: 'CHAT-7',
    description: 'A reply to a suspended intern is 404.',
    alters: otherwise((error) => (error.key === 'intern_not_ready' ? new Refusal('interaction_unknown') : undefined)),
    caughtBy: ['chat-refusals/not-running'],
  },
  {
    name: 'reply-need-not-stream',
    requirement: 'CHAT-15',
    description: 'A reply with stream false is taken.',
    alters: replyBodies((body) => ({ ...body, stream: true })),
    caughtBy: ['chat-unacceptable/body-before-state'],
  },
  {
    name: 'reply-that-comes-second-is-200',
    requirement: 'CHAT-7',
    description: 'An answer that comes second is answered with an empty stream.',
    alters: served((answer, request, resource) =>
      operationOf(resource, request.method) === 'chat' &&
      answer.status === 409 &&
      /attachment_failed|interaction_not_pending/.test(String(answer.body))
        ? { status: 200, body: 'data: [DONE]\n\n', headers: { 'content-type': 'text/event-stream' } }
        : answer,
    ),
    caughtBy: [
      'chat-once/race-live',
      'chat-once/race',
      'chat-once/while-it-streams',
      'chat-once/answered-twice',
      'chat-deadlines/closed-after',
    ],
  },
  {
    name: 'reply-delivered-to-the-streaming-run',
    requirement: 'CHAT-7',
    description: 'An answer to a run that streams is steered into it.',
    alters: {
      runs: (usual) => ({
        ...usual,
        async reply(request) {
          try {
            return await usual.reply(request);
          } catch (error) {
            if (error instanceof Refusal && error.key === 'attachment_failed')
              await usual.prompt({ ...request, prompt: request.content });
            throw error;
          }
        },
      }),
    },
    caughtBy: ['chat-once/while-it-streams'],
  },
]);
