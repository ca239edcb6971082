import { Refusal } from '../../../emulator/contract/errors.js';
import { DONE } from '../../../emulator/wire/chunks.js';
import { changedAt, type Json } from '../../../emulator/wire/json.js';
import { withRequest } from '../../../emulator/wire/request.js';
import { defineMutants } from '../mutant.js';
import { answers, errorOf, errors, exchanges, refused, typed } from '../operators/answers.js';
import { endsAfter, whenAnswered, yields } from '../operators/behaviours.js';
import { settings, wrap } from '../operators/parts.js';
import { again, sentAnswers } from '../operators/requests.js';
import { answering, endsRuns, refusesAnswers, refusesEvery, runsOf, streamingIn } from '../operators/runs.js';
import { cannedReply, final } from '../operators/streams.js';

const STALE = 'interaction_not_pending';
const UNACCEPTABLE = { of: 'chat', status: 400, says: 'Unacceptable answer' } as const;

/** Answers to questions, their refusals and deadlines (CHAT-6, CHAT-7, CHAT-11). */
export const CHAT_ANSWERS = defineMutants({
  // The stream after an answer carries another session_id.
  'answer-in-a-session-of-its-own': final('session_id', (id, { finish, noted }) => {
    const again = noted.has(id);
    if (finish === 'tool_calls') noted.add(id);
    return again ? `${id}-2` : id;
  }),
  'answer-cancel-ends-the-run': whenAnswered((answer) => (answer === 'cancel' ? { end: 'cancelled' } : answer)),
  'answer-that-refuses-allows': whenAnswered((answer) => (answer === 'reject_once' ? 'allow_once' : answer)),
  'answer-loses-the-first-word-after-it': yields(() => {
    let isNext = false;
    return (event) => {
      const loses = isNext && 'say' in event;
      isNext = 'ask' in event;
      return loses
        ? {
            say: [event.say]
              .flat()
              .join('')
              .replace(/^\S+\s*/, ''),
          }
        : event;
    };
  }),
  // A reply without the echo of the call is refused.
  'answer-needs-its-echo': refusesEvery(({ messages, callId }) => {
    const echo = messages.at(-2) as { tool_calls?: { id?: unknown }[] } | undefined;
    return !echo?.tool_calls?.some(({ id }) => id === callId);
  }),
  'answer-of-texts-refused': refusesEvery(({ content }) => String(content).includes('"content":{')),
  // An answer to the wrong intern is delivered to the one that asked.
  'answer-taken-by-any-intern': exchanges(async (exchange, next) => {
    const { request, internId } = exchange;
    const answer = await answering(exchange);
    if (!answer) return next(request);
    const run = (await runsOf(exchange, true)).find(({ question }) => question?.id === answer.callId);
    const asking = run?.intern_id ?? internId;
    return next(withRequest(request, { url: request.url.replace(`/${internId}/`, `/${asking}/`) }));
  }),
  // An answer that is not an option counts as cancel.
  'answer-that-will-not-do-is-cancel': again(UNACCEPTABLE, async (request) => {
    const body = changedAt((await request.clone().json()) as Json, 'messages.-1.content', () => 'cancel');
    return withRequest(request, { body: JSON.stringify(body) });
  }),
  'answer-that-will-not-do-is-422': errors(UNACCEPTABLE, { status: 422 }),
  'answer-that-will-not-do-ends-the-run': endsRuns(UNACCEPTABLE),
  // A field named like an inherited property is never asked for.
  'answer-inherited': yields(
    () => (event) =>
      'ask' in event && event.ask.kind === 'elicitation'
        ? { ask: { ...event.ask, fields: event.ask.fields.filter(({ name }) => !(name in {})) } }
        : event,
  ),
  // A second answer to a question gets a reply.
  'answer-that-comes-later-is-200': refusesAnswers(STALE, cannedReply('Thanks.')),
  'reply-without-session-is-unknown': sentAnswers((body) => ({ session_id: 'none', ...body })),
  'reply-to-an-unknown-call-is-409': refusesAnswers('interaction_unknown', refused(STALE)),
  // The call of a run that has ended is unknown.
  'reply-forgets-ended-runs': refusesAnswers(
    STALE,
    refused('interaction_unknown'),
    ({ sessionId }, runs) => !runs.some((run) => run.session_id === sessionId && run.status === 'waiting'),
  ),
  'reply-busy-before-ended': refusesAnswers(
    STALE,
    refused('busy', { 'retry-after': '1' }),
    (_, runs) => streamingIn(runs).length > 0,
  ),
  'reply-content-before-all': refusesEvery(({ content }) => content === 'no such option'),
  // While the run streams, a second answer is refused with interaction_not_pending.
  'reply-stale-before-streaming': refusesAnswers('attachment_failed', refused(STALE)),
  // The call of a run that was cancelled, as by a suspend, is unknown.
  'reply-to-a-cancelled-run-is-404': refusesAnswers(STALE, refused('interaction_unknown'), ({ sessionId }, runs) =>
    runs.some((run) => run.session_id === sessionId && run.ended === 'cancelled'),
  ),
  'reply-need-not-stream': sentAnswers((body) => ({ ...body, stream: true })),
  // A second answer gets an empty stream.
  'reply-that-comes-second-is-200': answers({ of: 'chat', status: 409 }, (reply) =>
    [STALE, 'attachment_failed'].some((reason) => errorOf(reply)?.metadata?.reason === reason)
      ? { ...typed(reply, 'text/event-stream', DONE), status: 200 }
      : reply,
  ),
  // An answer to a run that streams is steered into it.
  'reply-delivered-to-the-streaming-run': wrap({
    createRuns: (usual) => ({
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
  }),
  'deadline-of-four-minutes': settings({ interaction_deadline: 240_000 }),
  'deadline-of-ten-minutes': settings({ interaction_deadline: 600_000 }),
  'deadline-passed-is-410': errors({ reason: STALE, status: 409 }, { status: 410 }),
  // A run is ended five minutes after its question, answered or not.
  'deadline-goes-on-after-the-answer': endsAfter(
    300_000,
    'deadline',
    (_turn, event) => event !== undefined && 'ask' in event,
  ),
});
