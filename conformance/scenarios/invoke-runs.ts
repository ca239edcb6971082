import { ALL_OPTIONS } from '../arbitraries/answer.js';
import { equal, hasKeys, match, ok } from '../model/assert.js';
import { internPath } from '../probe/request.js';
import { colour, HELD, permission, when } from '../requests/chat.js';
import { checksOf } from '../run/check.js';
import * as expect from '../run/expect.js';
import { onRunning, onShared, session } from './steps/interns.js';

const HOUR = 3_600_000;

/** Without a stream the end of a run shows which way it went: it stops where it was led right, else it fails. */
const RIGHT = [{ end: 'stop' }];

const WRONG = [{ end: 'failed' }];

/** INVOKE-1 and INVOKE-4 to INVOKE-7: the start of a run by invoke, and its course. */
export const INVOKE_RUNS = checksOf('INVOKE-4', {
  'invoke-runs/consents': {
    title: 'Approvals are consented to without a pause, also when the request says manual.',
    ...onShared(['control'], async (ctx, intern) => {
      const refused = when({ ok: 'reject_once' }, WRONG, [
        when({ ok: 'reject_always' }, WRONG, [when({ ok: 'cancel' }, WRONG, RIGHT)]),
      ]);
      const input = await ctx.script([{ say: 'x' }, permission('ok', ALL_OPTIONS), refused]);
      for (const extra of [{}, { approval_mode: 'manual' }]) {
        const id = session(await ctx.api.invoke(intern.id, { input, ...extra }), 'the invoke');
        equal(await intern.fate(id), 'ended: stop', `a run that needs approval, started with ${JSON.stringify(extra)}`);
      }
    }),
  },
  'invoke-runs/fallback': {
    title: "A question is answered by the intern's own fallback, without a pause.",
    ...onShared(['control'], async (ctx, intern) => {
      for (const [fallback, is] of [
        [{ action: 'accept', content: { answer: 'blue' } }, { answer: 'blue' }],
        [{ action: 'accept', content: { answer: 'red' } }, { answer: 'red' }],
        [{ action: 'decline' }, 'decline'],
        [{ action: 'cancel' }, 'cancel'],
      ] as const) {
        const input = await ctx.script([{ say: 'x' }, colour('it', fallback), when({ it: is }, RIGHT, WRONG)]);
        const id = session(await intern.invoke(input), 'the invoke');
        equal(await intern.fate(id), 'ended: stop', `a run that asks, with the fallback ${JSON.stringify(fallback)}`);
      }
    }),
  },
  'invoke-runs/no-fallback': {
    level: 'C',
    title: 'A question without a fallback is declined.',
    ...onShared(['control'], async (ctx, intern) => {
      const input = await ctx.script([{ say: 'x' }, colour('it'), when({ it: 'decline' }, RIGHT, WRONG)]);
      const id = session(await intern.invoke(input), 'the invoke');
      equal(await intern.fate(id), 'ended: stop', 'a run that asks without a fallback');
    }),
  },
  'invoke-runs/deadline': {
    requirement: 'INVOKE-5',
    title: 'A run that does not end is ended by its execution deadline of one hour, to the millisecond.',
    ...onRunning(['control', 'clock'], async (ctx, intern) => {
      const id = session(await intern.invoke(await ctx.script(HELD)), 'the invoke');
      const late = session(
        await intern.invoke(await ctx.script([{ say: 'x' }, { wait: HOUR - 1 }])),
        'one that is just in time',
      );
      await ctx.clock.advance(HOUR - 1);
      equal(await intern.fate(id), 'running', 'the run after 59:59.999');
      equal(await intern.fate(late), 'ended: stop', 'a run of 59:59.999');
      await ctx.clock.advance(2);
      match(await intern.fate(id), /^ended: (deadline|cancelled)$/, 'the run after 1:00:00.001');
    }),
  },
  'invoke-runs/deadline-shown': {
    requirement: 'EMU-4',
    title: 'The control interface shows that the deadline ended a run of invoke, at its time.',
    ...onRunning(['control', 'clock'], async (ctx, intern) => {
      session(await intern.invoke(await ctx.script(HELD)), 'the invoke');
      await ctx.clock.advance(HOUR + 60_000);
      const run = await intern.newest();
      equal(run.ended, 'deadline', 'how the run ended');
      equal(Date.parse(run.ended_at ?? '') - Date.parse(run.started_at), HOUR, 'ms that the run lasted');
    }),
  },
  'invoke-runs/client-gone': {
    requirement: 'INVOKE-6',
    title: 'Losing the client after 202 changes nothing.',
    ...onRunning(['control', 'clock'], async (ctx, intern) => {
      const input = await ctx.script([{ say: 'x' }, { wait: '100s' }, { say: 'y' }]);
      const open = await ctx.open({ method: 'POST', path: internPath(intern.id, '/invoke'), json: { input } });
      equal(open.status, 202, 'status of the invoke');
      await open.close();
      await ctx.clock.advance(60_000);
      equal(await intern.fate(), 'running', 'the run a minute after its client went');
      await ctx.clock.advance(40_000);
      equal(await intern.fate(), 'ended: stop', 'the run when it is done');
    }),
  },
  'invoke-runs/ended-by-suspend': {
    requirement: 'SUSP-1',
    title: 'Suspending ends runs of invoke. Their session is accepted again after the resume.',
    ...onRunning(['control'], async (ctx, intern) => {
      const id = session(await intern.invoke(await ctx.script(HELD)), 'the invoke');
      expect.status(await ctx.api.suspend(intern.id), 200, 'the suspend');
      equal(await intern.fate(id), 'ended: cancelled', 'the run after suspend');
      expect.status(await ctx.api.provision(intern.id), 202, 'the provision');
      await ctx.interns.until(intern.id, ['running']);
      const answer = await intern.invoke('Hello.', id);
      equal(session(answer, 'the session after the resume'), id, 'session_id after the resume');
      equal((answer.json as Record<string, unknown>).status, 'started', 'status after the resume');
    }),
  },
  'invoke/no-progress': {
    requirement: 'INVOKE-7',
    title: 'The answer of an invoke holds nothing that its run says.',
    ...onShared(['control'], async (ctx, intern) => {
      const answer = await intern.invoke(await ctx.script([{ say: 'kit-progress-text' }, { end: 'stop' }]));
      session(answer, 'the invoke');
      ok(!answer.text.includes('kit-progress-text'), 'body of the invoke', 'nothing of what the run says', answer.text);
      hasKeys(answer.json, ['session_id', 'status'], 'body of the invoke');
    }),
  },
  'invoke/not-accepted': {
    requirement: 'INVOKE-1',
    title: 'A prompt that the intern does not accept is not answered 202.',
    ...onShared(['behaviour:unreachable', 'behaviour:refuses'], async (ctx, intern) => {
      for (const behaviour of ['unreachable', 'refuses'] as const) {
        const answer = await intern.invoke(ctx.prompt(behaviour));
        const said = expect.seen(answer);
        const did = `be one that ${behaviour === 'refuses' ? 'refuses' : 'cannot be reached'}`;
        const finding = { what: 'an invoke that is not accepted', expected: 'an error', actual: said };
        ctx.internDid(answer.status >= 400, { did, said, finding });
      }
    }),
  },
});
