import fc from 'fast-check';
import { equal, ok } from '../model/assert.js';
import type { Transcript } from '../probe/chunks.js';
import { callOf, endedBy, replyTo, sameSession, sessionOf } from '../requests/chat.js';
import { checksOf } from '../run/check.js';
import type { Ctx } from '../run/context.js';
import * as expect from '../run/expect.js';
import { closed, onRunning, onShared } from './steps/interns.js';

/** The run ended with run_ended. `asked`: who ended it, a request of the kit or the prompted intern. */
const ended = (ctx: Ctx, t: Transcript, what: string, asked: 'the kit' | 'the intern' = 'the kit') => {
  // An intern that follows prompts for silence does not end its run by chance when the kit does.
  expect.finish(t, 'error', what, asked === 'the kit' && ctx.reliable('silent') ? 'the service' : 'the intern');
  if (asked === 'the intern') endedBy(ctx, t, 'run_ended');
  expect.grammar(t, 'S');
  equal(t.error?.code, 410, `error code of ${what}`);
  equal(t.error?.reason, 'run_ended', `error reason of ${what}`);
};

const severed = (ctx: Ctx, t: Transcript, what: string) => {
  expect.finish(t, 'error', what);
  endedBy(ctx, t, 'stream_severed');
  expect.grammar(t, 'S');
  equal(t.error?.reason, 'stream_severed', `error reason of ${what}`);
};

/** CHAT-4, CHAT-12 and CHAT-13: the ends of runs, and their last chunks. */
export const CHAT_ENDINGS = checksOf('CHAT-12', {
  'chat-endings/cancelled': {
    title: 'A run that the intern cancels ends with error, code 410, reason run_ended, final chunk, [DONE].',
    ...onShared(['behaviour:cancelled'], async (ctx, intern) => {
      ended(ctx, await intern.talk(ctx.prompt('cancelled')), 'a cancelled run', 'the intern');
    }),
  },
  'chat-endings/deadline': {
    title: 'A run that reaches its deadline ends with error, code 410, reason run_ended, final chunk, [DONE].',
    ...onShared(['behaviour:deadline'], async (ctx, intern) => {
      ended(ctx, await intern.talk(ctx.prompt('deadline')), 'a run that met its deadline', 'the intern');
    }),
  },
  'chat-endings/severed': {
    requirement: 'CHAT-13',
    title: 'A connection that breaks without confirmation ends with reason stream_severed, final chunk, [DONE].',
    ...onShared(['behaviour:severed'], async (ctx, intern) => {
      severed(ctx, await intern.talk(ctx.prompt('severed')), 'a severed run');
    }),
  },
  'chat-endings/error-in-place': {
    level: 'P',
    title:
      'The error is at the top level of the chunk with the finish reason: code (502 severed), message, reason, retryable.',
    ...onShared(['behaviour:cancelled', 'behaviour:severed', 'behaviour:deadline'], async (ctx, intern) => {
      for (const behaviour of ['cancelled', 'severed', 'deadline'] as const) {
        const t = await intern.talk(ctx.prompt(behaviour));
        expect.finish(t, 'error');
        const carrying = t.chunks.filter(({ json }) => 'error' in json);
        equal(carrying.length, 1, `chunks with an error of a run that is ${behaviour}`);
        ok(
          t.error?.inPlace,
          `error of a run that is ${behaviour}`,
          '{code, message, metadata} at the top of a chunk',
          carrying,
        );
        const [choice] = (carrying[0]?.json.choices ?? []) as Record<string, unknown>[];
        equal(choice?.finish_reason, 'error', 'finish_reason of the chunk with the error');
        ok(
          typeof t.error?.message === 'string' && t.error.message !== '',
          'message of the error',
          'a message',
          t.error,
        );
        equal(typeof t.error?.retryable, 'boolean', 'type of retryable');
        if (behaviour === 'severed')
          equal([t.error.code, t.error.retryable], [502, true], 'code and retryable of a severed run');
        expect.grammar(t, 'P');
      }
    }),
  },
  'chat-endings/fails': {
    requirement: 'CHAT-2',
    title: 'A run that fails midway ends with an error that is not run_ended, and keeps its content.',
    ...onShared(['control'], async (ctx, intern) => {
      for (const retryable of [true, false]) {
        const t = await intern.talk(await ctx.script([{ say: 'Half' }, { end: 'failed', retryable }]));
        expect.finish(t, 'error');
        expect.grammar(t, 'S');
        equal(t.content, 'Half', 'content of a run that fails');
        ok(t.error !== undefined, 'error of a run that fails', 'an error in the stream', t.chunks.at(-2)?.json);
        ok(
          t.error.reason !== 'run_ended' && t.error.reason !== 'stream_severed',
          'reason of a run that fails',
          'one of its own',
          t.error,
        );
      }
    }),
  },
  'chat-endings/suspend-while-streaming': {
    requirement: 'SUSP-1',
    title: 'Suspending ends the stream with run_ended, final chunk and [DONE].',
    ...onRunning(['behaviour:silent'], async (ctx, intern) => {
      const session_id = `suspended ${intern.id}`;
      const reply = await intern.streaming({ prompt: ctx.prompt('silent'), session_id });
      expect.done(await ctx.api.suspend(intern.id), 'the suspend');
      // Before that the runtime may still be stopping.
      await ctx.interns.until(intern.id, ['stopped']);
      await reply.promised('the end of the stream of a suspended intern', ({ finish }) => finish !== undefined);
      const t = await reply.end();
      ended(ctx, t, 'the stream of a suspended intern');
      sameSession(t, session_id, 'the stream of a suspended intern');
    }),
  },
  'chat-endings/delete-while-streaming': {
    title: 'Deleting ends the stream with run_ended, final chunk and [DONE].',
    ...onRunning(['behaviour:silent'], async (ctx, intern) => {
      const reply = await intern.streaming(ctx.prompt('silent'));
      const deleted = await ctx.api.remove(intern.id);
      expect.success(deleted, 'the delete');
      await ctx.interns.untilGone(intern.id);
      await reply.promised('the end of the stream of an intern that is gone', ({ finish }) => finish !== undefined);
      ended(ctx, await reply.end(), 'the stream of a deleted intern');
    }),
  },
  'chat-endings/suspend-while-waiting': {
    requirement: 'SUSP-1',
    title:
      'Suspending ends waiting runs: answers to them are refused, even after a resume, when prompts are taken again.',
    ...onRunning(['behaviour:ask-permission'], async (ctx, intern) => {
      const t = await intern.asked(ctx.prompt('ask-permission'));
      const { session } = callOf(t);
      expect.done(await ctx.api.suspend(intern.id), 'the suspend');
      await ctx.interns.untilSuspended(intern.id);
      const answer = replyTo(t, 'allow_once');
      closed(await intern.badAnswer(answer), 'suspended');
      expect.done(await ctx.api.provision(intern.id), 'the provision');
      await ctx.interns.until(intern.id, ['running']);
      closed(await intern.badAnswer(answer), 'suspended');
      expect.finish(await intern.talk({ prompt: 'Hello.', session_id: session }), 'stop', 'a prompt to that session');
    }),
  },
  'chat-endings/session-stays': {
    requirement: 'CHAT-3',
    title: 'A run of a known session that ends with an error carries its session_id, and the session goes on.',
    ...onShared(['behaviour:cancelled', 'behaviour:severed'], async (ctx, intern) => {
      for (const behaviour of ['cancelled', 'severed'] as const) {
        const first = await intern.talk('Hello.');
        expect.finish(first, 'stop', 'the first prompt of the session');
        const session_id = sessionOf(first);
        const broken = await intern.talk({ prompt: ctx.prompt(behaviour), session_id });
        expect.finish(broken, 'error', `a run that is ${behaviour}`);
        sameSession(broken, session_id, `a run that is ${behaviour}`);
        const next = await intern.talk({ prompt: 'Hello.', session_id });
        expect.finish(next, 'stop', 'the next prompt of the session');
        sameSession(next, session_id, 'the next prompt');
      }
    }),
  },
  'chat-final/usage-as-reported': {
    requirement: 'CHAT-4',
    title: "The final chunk's usage is what the intern reported, after a stop and after an error.",
    maxRuns: 30,
    ...onShared(['control'], async (ctx, intern) => {
      const tokens = fc.nat({ max: 1_000_000 });
      const end = fc.constantFrom('stop', 'cancelled', 'deadline', 'severed', 'failed');
      await ctx.property('usage', tokens, tokens, end, async (prompt_tokens, completion_tokens, how) => {
        const usage = { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens };
        const t = await intern.talk(await ctx.script([{ say: 'x' }, { usage }, { end: how }]));
        expect.finish(t, how === 'stop' ? 'stop' : 'error');
        expect.grammar(t, 'S');
        const seen = t.final?.usage;
        for (const [key, value] of Object.entries(usage)) {
          equal((seen as Record<string, unknown> | null)?.[key], value, `usage.${key} of the final chunk after ${how}`);
        }
      });
    }),
  },
  'chat-final/usage-of-its-own-run': {
    requirement: 'CHAT-4',
    title: 'A run that reports no usage does not show that of an earlier run of its session.',
    ...onShared(['behaviour:no-usage', 'control'], async (ctx, intern) => {
      const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 };
      const first = await intern.talk(await ctx.script([{ say: 'x' }, { usage }]));
      ok(first.final?.usage, 'usage of the first run', 'what it reported', first.final);
      const session = first.sessionId === undefined ? {} : { session_id: first.sessionId };
      const next = await intern.talk({ prompt: ctx.prompt('no-usage'), ...session });
      expect.finish(next, 'stop', 'the next run of the session');
      equal(next.final?.usage, null, 'usage of a run that reports none');
    }),
  },
});
