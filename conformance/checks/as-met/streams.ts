import { equal, notEqual, ok } from '../../framework/assert.js';
import { checksOf } from '../../framework/check.js';
import type { Ctx } from '../../framework/context.js';
import * as expect from '../../framework/expect.js';
import { Finding, type OrderGot } from '../../framework/finding.js';
import type { Streamed } from '../../framework/watch.js';
import { isRow, type Row } from '../../helpers/met.js';
import { isAnswer } from '../../probe/request.js';
import type { Level } from '../../requirements/index.js';

/** Holds streams that were read to their end to the rules of streams at a level, each rule a breach of its own. */
const ordered = (level: Level) => ({
  hears({ transcript }: Streamed): boolean {
    if (transcript.ended !== 'end') return false;
    try {
      expect.grammar(transcript, level);
    } catch (error) {
      if (!(error instanceof Finding)) throw error;
      const { rule } = (error.found.got as OrderGot).breaches[0] ?? {};
      throw new Finding({ ...error.found, of: `the stream, ${rule}` });
    }
    return true;
  },
});

/** "To answer a question: send a second request with the same `session_id` … the stream continues from where it paused." */
function sameSession({ send, transcript }: Streamed): boolean {
  if (transcript.ended !== 'end' || !isAnswer(send.json) || !isRow(send.json)) return false;
  equal(transcript.sessionId, send.json.session_id, 'session_id of the answer to a question');
  const [call] = transcript.toolCalls;
  const { tool_call_id } = (send.json.messages as readonly Row[]).at(-1) ?? {};
  // "Its `tool_call_id` is the id of that tool call."
  if (call?.id !== undefined) notEqual(call.id, tool_call_id, 'id of the question after an answer');
  return true;
}

/** "After every response … one final chunk with empty `choices` that carries `session_id`": that of a run that has begun. */
function sessions() {
  /** Sessions that streams have named, of each intern. */
  const known = new Set<string>();
  return {
    hears({ id, send, transcript }: Streamed): boolean {
      const { content, ended, error, final, finish, sessionId } = transcript;
      if (ended !== 'end' || final === undefined) return false;
      const sent = isRow(send.json) ? send.json.session_id : undefined;
      if (known.has(`${id} ${sent}`)) equal(sessionId, sent, 'session_id of a prompt in a session');
      // A run may fail before there is a session.
      else if (content !== '')
        ok(sessionId !== undefined, `session_id after ${finish}`, 'that of the run that spoke', { error, final });
      if (sessionId !== undefined) known.add(`${id} ${sessionId}`);
      return true;
    },
  };
}

/** A run that says something, one that fails, and one that asks and is answered. */
async function meet(ctx: Ctx): Promise<void> {
  const { id } = await ctx.interns.running();
  for (const said of ['echo', 'fails'] as const) await (await ctx.chat(id, ctx.prompt(said))).end();
  const asked = await (await ctx.chat(id, { prompt: ctx.prompt('ask-permission'), approval_mode: 'manual' })).end();
  const { sessionId: session_id } = await (await ctx.answer(id, asked, 'allow_once')).end();
  const twice = await (await ctx.chat(id, ctx.prompt('ask-twice'))).end();
  await (await ctx.answer(id, twice, { action: 'decline' })).end();
  if (session_id !== undefined)
    for (const said of ['echo', 'fails'] as const)
      await (await ctx.chat(id, { prompt: ctx.prompt(said), session_id })).end();
}

/** CHAT-1: the streams that a run met. */
export const STREAMS_AS_MET = checksOf('CHAT-1', {
  'as-met/streams': {
    title: 'Every chat stream that the run read to its end keeps the stated rules of streams.',
    needs: [],
    watch: () => ordered('S'),
    run: meet,
  },
  'as-met/stream-forms': {
    level: 'P',
    title: 'Every chat stream that the run read to its end keeps the published rules of streams.',
    needs: [],
    watch: () => ordered('P'),
    run: meet,
  },
  'as-met/answers': {
    requirement: 'CHAT-6',
    title:
      'Every answer to a question that the run met goes on in its session, and what is asked next has an id of its own.',
    needs: [],
    watch: () => ({ hears: sameSession }),
    run: meet,
  },
  'as-met/sessions': {
    requirement: 'CHAT-3',
    title: 'Every stream of a run that spoke names its session, and the same one where the prompt named it.',
    needs: [],
    watch: sessions,
    run: meet,
  },
});
