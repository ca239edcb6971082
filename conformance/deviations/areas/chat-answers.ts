import type { RunView } from '../../../emulator/contract/run.js';
import { whenAnswered, yields } from '../combinators/behaviours.js';
import { withRequest } from '../combinators/exchange.js';
import { errors, exchanges } from '../combinators/replies.js';
import { answerInstead, tryAgain } from '../combinators/requests.js';
import { answering, endsRuns, REFUSED, refusesAnswers } from '../combinators/runs.js';
import { cannedReply, rewriteFinal } from '../combinators/streams.js';
import { defineDeviations } from '../mutant.js';

export const CHAT_ANSWERS = defineDeviations({
  // The stream after an answer carries another session_id.
  'answer-in-a-session-of-its-own': () => {
    const asked = new Set<unknown>();
    return rewriteFinal((chunk, finish) => {
      const again = asked.has(chunk.session_id);
      if (finish === 'tool_calls') asked.add(chunk.session_id);
      return again ? { ...chunk, session_id: `${String(chunk.session_id)}-2` } : chunk;
    });
  },
  'answer-cancel-ends-the-run': whenAnswered((answer) => (answer === 'cancel' ? { end: 'cancelled' } : answer)),
  // A reply without the echo of the call is refused.
  'answer-needs-its-echo': answerInstead(async (exchange) => {
    const answer = await answering(exchange);
    const echo = (answer?.body.messages as { tool_calls?: { id?: unknown }[] }[] | undefined)?.at(-2);
    return answer && !echo?.tool_calls?.some(({ id }) => id === answer.callId) ? REFUSED.unacceptable : undefined;
  }),
  'answer-of-texts-refused': answerInstead(async (exchange) => {
    const answer = await answering(exchange);
    return String(answer?.content).includes('"content":{') ? REFUSED.unacceptable : undefined;
  }),
  // An answer that is sent to another intern is delivered.
  'answer-taken-by-any-intern': exchanges(async (exchange, next, { fetch, target }) => {
    const { request } = exchange;
    const answer = await answering(exchange);
    if (!answer) return next(request);
    const { data } = (await (await fetch(`${target.control_url}/runs`)).json()) as { data: RunView[] };
    const asking = data.find((run) => run.question?.id === answer.callId)?.intern_id ?? answer.internId;
    return next(withRequest(request, { url: request.url.replace(`/${answer.internId}/`, `/${asking}/`) }));
  }),
  // An answer that is not an option counts as cancel.
  'answer-that-will-not-do-is-cancel': tryAgain('chat', async (status, { message }, request) => {
    if (status !== 400 || !String(message).includes('Unacceptable answer')) return undefined;
    const body = (await request.clone().json()) as { messages: object[] };
    const messages = [...body.messages.slice(0, -1), { ...body.messages.at(-1), content: 'cancel' }];
    return withRequest(request, { body: JSON.stringify({ ...body, messages }) });
  }),
  // An answer that is not an option is 422.
  'answer-that-will-not-do-is-422': errors({ status: 400, says: 'Unacceptable answer' }, { status: 422 }),
  // After an unacceptable answer the question is closed.
  'answer-that-will-not-do-ends-the-run': endsRuns(
    async ({ operation }, response) =>
      operation === 'chat' &&
      response.status === 400 &&
      (await response.clone().text()).includes('Unacceptable answer'),
  ),
  // A field named like an inherited property is never asked for.
  'answer-inherited': yields(
    () => (event) =>
      'ask' in event && event.ask.kind === 'elicitation'
        ? { ask: { ...event.ask, fields: event.ask.fields.filter(({ name }) => !(name in {})) } }
        : event,
  ),
  // An answer to a question that is answered is answered with an empty reply.
  'answer-that-comes-later-is-200': refusesAnswers(({ reason }) =>
    reason === 'interaction_not_pending' ? cannedReply('Thanks.') : undefined,
  ),
});
