import { equal } from '../../framework/assert.js';
import { checksOf } from '../../framework/check.js';
import type { Ctx } from '../../framework/context.js';
import * as expect from '../../framework/expect.js';
import { Finding, type OrderGot } from '../../framework/finding.js';
import type { Streamed } from '../../framework/watch.js';
import { isRow } from '../../helpers/met.js';
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
  return true;
}

/** A run that says something, one that fails, and one that asks and is answered. */
async function meet(ctx: Ctx): Promise<void> {
  const { id } = await ctx.interns.running();
  for (const said of ['echo', 'fails'] as const) await (await ctx.chat(id, ctx.prompt(said))).end();
  const asked = await (await ctx.chat(id, { prompt: ctx.prompt('ask-permission'), approval_mode: 'manual' })).end();
  await (await ctx.answer(id, asked, 'allow_once')).end();
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
    title: 'Every answer to a question that the run met goes on in its session.',
    needs: [],
    watch: () => ({ hears: sameSession }),
    run: meet,
  },
});
