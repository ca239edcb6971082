import { equal, match, notEqual, ok } from '../framework/assert.js';
import { checksOf } from '../framework/check.js';
import * as expect from '../framework/expect.js';
import { ALL_OPTIONS, named, question, texts } from '../helpers/chat.js';
import { onRunning, onShared } from '../helpers/interns.js';

/** EMU-9: the scripts that ship with an emulator. */
export const SHIPPED_SCRIPTS = checksOf('EMU-9', {
  'shipped-scripts/shipped-asks': {
    title: 'ask-permission asks one permission with all four options, ask-question one question, ask-twice two.',
    ...onShared(['control'], async (_ctx, intern) => {
      const leave = await intern.asked(named('ask-permission'));
      const shown = question(leave);
      equal(shown.kind, 'permission', 'kind of what ask-permission asks');
      equal(
        [...((shown.options as string[] | undefined) ?? [])].sort(),
        [...ALL_OPTIONS].sort(),
        'options of ask-permission',
      );
      for (const [at, option] of ALL_OPTIONS.entries()) {
        const t = at === 0 ? leave : await intern.asked(named('ask-permission'));
        const rest = await intern.answered(t, option);
        expect.finish(rest, 'stop', `ask-permission answered ${option}`);
        notEqual(rest.content, '', `content of ask-permission answered ${option}`);
      }
      const one = await intern.asked({ prompt: named('ask-question') });
      equal(question(one).kind, 'elicitation', 'kind of what ask-question asks');
      const rest = await intern.answered(one, { action: 'decline' });
      expect.finish(rest, 'stop', 'ask-question answered');
      notEqual(one.content + rest.content, '', 'content of ask-question');
      let t = await intern.asked(named('ask-twice'));
      for (let turn = 1; turn <= 2; turn++) {
        expect.finish(t, 'tool_calls', `question ${turn} of ask-twice`);
        t = await intern.answered(t, acceptable(question(t)));
      }
      expect.finish(t, 'stop', 'ask-twice answered twice');
    }),
  },
  'shipped-scripts/shipped-endings': {
    title: 'cancelled, deadline, severed, fails, no-usage and unicode say something, and end as their names say.',
    ...onShared(['control'], async (_ctx, intern) => {
      for (const [name, finish, reason, usage] of [
        ['cancelled', 'error', 'run_ended', true],
        ['deadline', 'error', 'run_ended', true],
        ['severed', 'error', 'stream_severed', false],
        ['fails', 'error', undefined, false],
        ['no-usage', 'stop', undefined, false],
        ['unicode', 'stop', undefined, undefined],
      ] as const) {
        const t = await intern.talk(named(name));
        expect.finish(t, finish, name);
        expect.grammar(t, 'C');
        ok(t.content !== '', `content of ${name}`, 'something');
        if (reason !== undefined) equal(t.error?.reason, reason, `reason of ${name}`);
        if (usage === false) equal(t.final?.usage, null, `usage of ${name}`);
        if (usage === true) ok(t.final?.usage !== null, `usage of ${name}`, 'some', t.final);
        if (name === 'unicode') match(t.content, /[\u{10000}-\u{10ffff}]/u, 'content of unicode');
      }
    }),
  },
  'shipped-scripts/shipped-times': {
    title: 'slow says 20 chunks 500 ms apart, silent one and stops after 5 minutes, never-ends one, long 1,000.',
    ...onRunning(['control', 'clock'], async (ctx, intern) => {
      const slow = await intern.held(named('slow'));
      for (let at = 2; at <= 20; at++) {
        await ctx.clock.advance(500);
        if (at % 6 !== 0) continue;
        await ctx.settle();
        equal(texts(slow.transcript).length, at, `chunks of slow after ${(at - 1) * 500} ms`);
      }
      await ctx.clock.advance(500);
      expect.finish(await slow.end(), 'stop', 'slow');
      equal(texts(slow.transcript).length, 20, 'chunks of slow');

      const long = await intern.talk(named('long'));
      expect.finish(long, 'stop', 'long');
      equal(texts(long).length, 1000, 'chunks of long');

      const silent = await intern.held(named('silent'));
      await ctx.clock.advance(299_000);
      await ctx.settle();
      equal(texts(silent.transcript).length, 1, 'chunks of silent after 299 s');
      equal(silent.transcript.finish, undefined, 'finish_reason of silent after 299 s');
      await ctx.clock.advance(2_000);
      expect.finish(await silent.end(), 'stop', 'silent after 301 s');

      const never = await intern.held(named('never-ends'));
      await ctx.clock.advance(7_200_000);
      await ctx.settle();
      equal(texts(never.transcript).length, 1, 'chunks of never-ends after two hours');
      equal(never.transcript.finish, undefined, 'finish_reason of never-ends after two hours');
      await never.disconnect();
    }),
  },
});

/** Some answer that a question takes. */
function acceptable(asks: Record<string, unknown>): unknown {
  return asks.kind === 'permission' ? (asks.options as string[])[0] : { action: 'decline' };
}
