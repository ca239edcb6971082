import fc from 'fast-check';
import { unknownFields } from '../arbitraries/message.js';
import { promptOf } from '../arbitraries/prompt.js';
import { controlled, notText } from '../arbitraries/session-id.js';
import { equal, hasKeys, isObject, match, notEqual, ok } from '../assert.js';
import { defineChecks } from '../check.js';
import type { Ctx, SendOptions } from '../context.js';
import * as expect from '../expect.js';
import type { Answer } from '../probe/client.js';
import { ALL_OPTIONS, ASKING, asked, callOf, colour, fate, HELD, newest, permission, talk, when } from '../talk.js';

const BAD = { status: 400, reason: 'bad_request', retryable: false } as const;
const HOUR = 3_600_000;
/** How a run that no stream shows tells which way it went: it stops where it was led right, and fails elsewhere. */
const RIGHT = [{ end: 'stop' }];
const WRONG = [{ end: 'failed' }];

function session(answer: Answer, what: string): string {
  expect.status(answer, 202, what);
  isObject(answer.json, `body of ${what}`);
  const { session_id } = answer.json;
  ok(typeof session_id === 'string' && session_id !== '', `session_id of ${what}`, 'a session_id', session_id);
  return session_id;
}

const invoke = (ctx: Ctx, id: string, input: string, session_id?: string, options?: SendOptions) =>
  ctx.api.invoke(id, { input, ...(session_id === undefined ? {} : { session_id }) }, options);

const steered = (answer: Answer, id: string, what: string) => {
  ok(answer.status >= 200 && answer.status < 300, `status of ${what}`, 'a success', expect.shown(answer));
  isObject(answer.json, `body of ${what}`);
  equal(answer.json.status, 'steered', `status in the body of ${what}`);
  equal(answer.json.session_id, id, `session_id of ${what}`);
};

/** INVOKE-1 to INVOKE-7. */
export const INVOKE_CHECKS = defineChecks([
  {
    id: 'invoke/accepted',
    requirement: 'INVOKE-1',
    level: 'S',
    title: 'invoke answers 202 with a session_id.',
    needs: ['running'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      session(await invoke(ctx, intern.id, 'Hello.'), 'the invoke');
    },
  },
  {
    id: 'invoke/published-answer',
    requirement: 'INVOKE-1',
    level: 'P',
    title: 'The answer is JSON {session_id, status: started}; prompts without a session start new ones.',
    needs: ['running'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      const answer = await invoke(ctx, intern.id, 'Hello.');
      const first = session(answer, 'the invoke');
      equal((answer.json as Record<string, unknown>).status, 'started', 'status in the body of the invoke');
      match(answer.headers.get('content-type'), /^application\/json/i, 'content-type of the invoke');
      notEqual(
        session(await invoke(ctx, intern.id, 'Hello.'), 'the second invoke'),
        first,
        'session_id of the second invoke',
      );
    },
  },
  {
    id: 'invoke/no-progress',
    requirement: 'INVOKE-7',
    level: 'S',
    title: 'Nothing of what the run says comes back on the request.',
    needs: ['running', 'control'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      const answer = await invoke(ctx, intern.id, await ctx.script([{ say: 'kit-progress-text' }, { end: 'stop' }]));
      session(answer, 'the invoke');
      ok(!answer.text.includes('kit-progress-text'), 'body of the invoke', 'nothing of what the run says', answer.text);
      hasKeys(answer.json, ['session_id', 'status'], 'body of the invoke');
    },
  },
  {
    id: 'invoke/goes-on',
    requirement: 'INVOKE-1',
    level: 'S',
    title: 'The run goes on after the response, until it ends by itself.',
    needs: ['running', 'control', 'clock'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      const id = session(
        await invoke(ctx, intern.id, await ctx.script([{ say: 'x' }, { wait: '20m' }, { say: 'y' }])),
        'the invoke',
      );
      equal(await fate(ctx, intern.id, id), 'running', 'the run after the response');
      await ctx.clock.advance(20 * 60_000 - 1);
      equal(await fate(ctx, intern.id, id), 'running', 'the run a millisecond before it is done');
      await ctx.clock.advance(1);
      equal(await fate(ctx, intern.id, id), 'ended: stop', 'the run when it is done');
      equal((await newest(ctx, intern.id)).origin, 'invoke', 'origin of the run');
    },
  },
  {
    id: 'invoke/input-length',
    requirement: 'INVOKE-1',
    level: 'P',
    title: 'input has 1 to 32000 code points.',
    needs: ['running'],
    maxRuns: 10,
    async run(ctx) {
      const intern = await ctx.interns.running();
      const fits = fc.constantFrom(1, 31_999, 32_000).chain((length) => promptOf(length));
      await ctx.property('input that fits', fits, async (input) => {
        session(await invoke(ctx, intern.id, input), 'an invoke that fits');
      });
      const over = fc.constantFrom(0, 32_001, 64_000).chain((length) => promptOf(length));
      await ctx.property('input that does not', over, async (input) => {
        expect.error(await invoke(ctx, intern.id, input), BAD, `an invoke of ${[...input].length} code points`);
      });
    },
  },
  {
    id: 'invoke/invalid-body',
    requirement: 'INVOKE-1',
    level: 'P',
    title: 'input that is no text, and a session_id that is none, are 400 bad_request.',
    needs: ['running'],
    maxRuns: 40,
    async run(ctx) {
      const intern = await ctx.interns.running();
      session(await invoke(ctx, intern.id, 'Twin.'), 'the valid twin');
      await ctx.property('input', notText(), async (input) => {
        expect.error(await ctx.api.invoke(intern.id, { input }), BAD, 'an invoke without text');
      });
      for (const body of [{}, { input: null }, { prompt: 'Hello.' }, { input: [{ type: 'text', text: 'Hello.' }] }]) {
        expect.error(await ctx.api.invoke(intern.id, body), BAD, `the invoke body ${JSON.stringify(body)}`);
      }
      const unfit = fc.oneof(notText(), controlled() as fc.Arbitrary<unknown>, fc.constant(''));
      await ctx.property('session_id', unfit, async (session_id) => {
        const answer = await ctx.api.invoke(intern.id, { input: 'Hello.', session_id });
        expect.status(answer, [400, 404], 'an invoke with an unfit session_id');
        if (typeof session_id !== 'string') expect.error(answer, BAD, 'an invoke with a session_id that is no text');
      });
    },
  },
  {
    id: 'invoke/unknown-fields',
    requirement: 'INVOKE-1',
    level: 'P',
    title: 'Fields that invoke does not know change nothing.',
    needs: ['running'],
    maxRuns: 30,
    async run(ctx) {
      const intern = await ctx.interns.running();
      await ctx.property('fields', unknownFields(), async (extra) => {
        const answer = await ctx.api.invoke(intern.id, { ...extra, input: 'Hello.' });
        session(answer, 'an invoke with unknown fields');
        equal((answer.json as Record<string, unknown>).status, 'started', 'status in its body');
      });
    },
  },
  {
    id: 'invoke/continue',
    requirement: 'INVOKE-2',
    level: 'S',
    title: 'The session_id continues the conversation: 202 with the same one, and a further run.',
    needs: ['running', 'control'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      const id = session(await invoke(ctx, intern.id, 'Hello.'), 'the first invoke');
      equal(
        session(await invoke(ctx, intern.id, 'And more.', id), 'the second invoke'),
        id,
        'session_id of the second invoke',
      );
      const runs = await ctx.control.runs(intern.id);
      equal(runs.filter((run) => run.session_id === id && run.ended === 'stop').length, 2, 'runs of the session');
    },
  },
  {
    id: 'invoke/continue-live',
    requirement: 'INVOKE-2',
    level: 'S',
    title: 'A session_id that invoke gave is taken again.',
    needs: ['running'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      const id = session(await invoke(ctx, intern.id, 'Hello.'), 'the first invoke');
      equal(
        session(await invoke(ctx, intern.id, 'And more.', id), 'the second invoke'),
        id,
        'session_id of the second invoke',
      );
    },
  },
  {
    id: 'invoke/steered',
    requirement: 'INVOKE-2',
    level: 'S',
    title: 'With a run going the prompt is delivered into it: status steered, no further run.',
    needs: ['running', 'control', 'clock'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      const id = session(await invoke(ctx, intern.id, await ctx.script([{ say: 'x' }, { wait: '60s' }])), 'the invoke');
      for (let turn = 0; turn < 2; turn++)
        steered(await invoke(ctx, intern.id, 'Also.', id), id, 'an invoke with a run going');
      equal((await ctx.control.runs(intern.id)).length, 1, 'runs of the intern');
      await ctx.clock.advance(60_000);
      const answer = await invoke(ctx, intern.id, 'Next.', id);
      equal(session(answer, 'an invoke once it has ended'), id, 'session_id of an invoke once the run has ended');
      equal((answer.json as Record<string, unknown>).status, 'started', 'status of an invoke once the run has ended');
    },
  },
  {
    id: 'invoke/session-of-the-caller',
    requirement: 'INVOKE-3',
    level: 'S',
    title: 'A session_id is refused with 404 from another caller, also while its run goes on.',
    needs: ['running', 'control', 'peer_api_key'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      const theirs = session(
        await invoke(ctx, intern.id, 'Hello.', undefined, { as: 'peer_api_key' }),
        'the invoke of a peer',
      );
      expect.error(await invoke(ctx, intern.id, 'Hello.', theirs), { status: 404 }, "an invoke in a peer's session");
      equal(
        session(await invoke(ctx, intern.id, 'Hello.', theirs, { as: 'peer_api_key' }), "the peer's own"),
        theirs,
        "session_id of the peer's own",
      );
      const going = session(await invoke(ctx, intern.id, await ctx.script(HELD)), 'an invoke that goes on');
      const runs = (await ctx.control.runs(intern.id)).length;
      expect.error(
        await invoke(ctx, intern.id, 'Also.', going, { as: 'peer_api_key' }),
        { status: 404 },
        'a peer steering',
      );
      equal((await ctx.control.runs(intern.id)).length, runs, 'runs after a refused invoke');
      steered(await invoke(ctx, intern.id, 'Also.', going), going, 'its own caller steering');
    },
  },
  {
    id: 'invoke/session-of-an-own-key',
    requirement: 'INVOKE-3',
    level: 'S',
    title: "The intern's own key is a caller of its own.",
    needs: ['running', 'own_key'],
    async run(ctx) {
      const own = await ctx.interns.own({ running: true });
      if (!own.ours) await ctx.interns.until(own.id, ['running']);
      const mine = session(
        await invoke(ctx, own.id, 'Hello.', undefined, { as: own.key }),
        'an invoke with the own key',
      );
      expect.error(await invoke(ctx, own.id, 'Hello.', mine), { status: 404 }, 'its session with the API key');
      equal(
        session(await invoke(ctx, own.id, 'Hello.', mine, { as: own.key }), 'its session with the own key'),
        mine,
        'session_id',
      );
    },
  },
  {
    id: 'invoke/session-of-the-member',
    requirement: 'AUTH-2',
    level: 'C',
    title: "A person's API key and OAuth tokens are one caller to invoke.",
    needs: ['running', 'oauth_token', 'oauth_interns_only_token'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      const id = session(await invoke(ctx, intern.id, 'Hello.'), 'an invoke with the API key');
      for (const as of ['oauth_token', 'oauth_interns_only_token'] as const) {
        equal(session(await invoke(ctx, intern.id, 'Hello.', id, { as }), `its session with ${as}`), id, 'session_id');
      }
    },
  },
  {
    id: 'invoke/session-elsewhere',
    requirement: 'INVOKE-3',
    level: 'S',
    title: 'A session_id of another intern, of chat, or of nobody is refused with 404.',
    needs: ['running'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      const other = await ctx.interns.running();
      const id = session(await invoke(ctx, intern.id, 'Hello.'), 'the invoke');
      expect.error(
        await invoke(ctx, other.id, 'Hello.', id),
        { status: 404 },
        'an invoke in a session of another intern',
      );
      const chat = await talk(ctx, intern.id, 'Hello.');
      ok(chat.sessionId !== undefined, 'session_id of a chat', 'a session_id', chat.final);
      expect.error(
        await invoke(ctx, intern.id, 'Hello.', chat.sessionId),
        { status: 404 },
        'an invoke in a session of chat',
      );
      expect.error(
        await invoke(ctx, intern.id, 'Hello.', 'no-such-session'),
        { status: 404 },
        'an invoke in a session of nobody',
      );
      expect.error(
        await invoke(ctx, intern.id, 'Hello.', ctx.interns.unknownId()),
        { status: 404 },
        'an invoke in a session of nobody',
      );
      equal(session(await invoke(ctx, intern.id, 'Hello.', id), 'the valid twin'), id, 'session_id of the valid twin');
    },
  },
  {
    id: 'invoke/busy-chat-session',
    requirement: 'INVOKE-3',
    level: 'S',
    title: 'A session of chat is refused also while its run goes on or waits, under an id of the client too.',
    needs: ['running', 'control'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      const t = await asked(ctx, intern.id, await ctx.script(ASKING));
      expect.error(
        await invoke(ctx, intern.id, 'Also.', callOf(t).session),
        { status: 404 },
        'an invoke in a chat session that waits',
      );
      const named = `named ${intern.id}`;
      await talk(ctx, intern.id, { prompt: 'Hello.', session_id: named });
      expect.error(
        await invoke(ctx, intern.id, 'Also.', named),
        { status: 404 },
        'an invoke in a chat session named by the client',
      );
      equal(await fate(ctx, intern.id, t.sessionId), 'waiting', 'the run that waits');
    },
  },
  {
    id: 'invoke/refused-reason',
    requirement: 'INVOKE-3',
    level: 'P',
    title: 'The reason of that 404 is not_found.',
    needs: ['running'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      const answer = await invoke(ctx, intern.id, 'Hello.', 'no-such-session');
      expect.error(answer, { status: 404, reason: 'not_found', retryable: false }, 'an invoke in a session of nobody');
    },
  },
  {
    id: 'invoke/consents',
    requirement: 'INVOKE-4',
    level: 'S',
    title: 'Approvals are consented to without a pause, also when the request says manual.',
    needs: ['running', 'control'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      const refused = when({ ok: 'reject_once' }, WRONG, [
        when({ ok: 'reject_always' }, WRONG, [when({ ok: 'cancel' }, WRONG, RIGHT)]),
      ]);
      const input = await ctx.script([{ say: 'x' }, permission('ok', ALL_OPTIONS), refused]);
      for (const extra of [{}, { approval_mode: 'manual' }]) {
        const id = session(await ctx.api.invoke(intern.id, { input, ...extra }), 'the invoke');
        equal(
          await fate(ctx, intern.id, id),
          'ended: stop',
          `a run that needs approval, started with ${JSON.stringify(extra)}`,
        );
      }
    },
  },
  {
    id: 'invoke/fallback',
    requirement: 'INVOKE-4',
    level: 'S',
    title: "A question is answered by the intern's own fallback, without a pause.",
    needs: ['running', 'control'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      for (const [fallback, is] of [
        [{ action: 'accept', content: { answer: 'blue' } }, { answer: 'blue' }],
        [{ action: 'accept', content: { answer: 'red' } }, { answer: 'red' }],
        [{ action: 'decline' }, 'decline'],
        [{ action: 'cancel' }, 'cancel'],
      ] as const) {
        const input = await ctx.script([{ say: 'x' }, colour('it', fallback), when({ it: is }, RIGHT, WRONG)]);
        const id = session(await invoke(ctx, intern.id, input), 'the invoke');
        equal(
          await fate(ctx, intern.id, id),
          'ended: stop',
          `a run that asks, with the fallback ${JSON.stringify(fallback)}`,
        );
      }
    },
  },
  {
    id: 'invoke/no-fallback',
    requirement: 'INVOKE-4',
    level: 'C',
    title: 'Where a script gives none the fallback is to decline.',
    needs: ['running', 'control'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      const input = await ctx.script([{ say: 'x' }, colour('it'), when({ it: 'decline' }, RIGHT, WRONG)]);
      const id = session(await invoke(ctx, intern.id, input), 'the invoke');
      equal(await fate(ctx, intern.id, id), 'ended: stop', 'a run that asks without a fallback');
    },
  },
  {
    id: 'invoke/deadline',
    requirement: 'INVOKE-5',
    level: 'S',
    title: 'A run that does not end is ended by its execution deadline of one hour, to the millisecond.',
    needs: ['running', 'control', 'clock'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      const id = session(await invoke(ctx, intern.id, await ctx.script(HELD)), 'the invoke');
      const late = session(
        await invoke(ctx, intern.id, await ctx.script([{ say: 'x' }, { wait: HOUR - 1 }])),
        'one that is just in time',
      );
      await ctx.clock.advance(HOUR - 1);
      equal(await fate(ctx, intern.id, id), 'running', 'the run after 59:59.999');
      equal(await fate(ctx, intern.id, late), 'ended: stop', 'a run of 59:59.999');
      await ctx.clock.advance(2);
      match(await fate(ctx, intern.id, id), /^ended: (deadline|cancelled)$/, 'the run after 1:00:00.001');
    },
  },
  {
    id: 'invoke/deadline-shown',
    requirement: 'EMU-4',
    level: 'C',
    title: 'Such a run is shown as ended by its deadline, at its time.',
    needs: ['running', 'control', 'clock'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      session(await invoke(ctx, intern.id, await ctx.script(HELD)), 'the invoke');
      await ctx.clock.advance(HOUR + 60_000);
      const run = await newest(ctx, intern.id);
      equal(run.ended, 'deadline', 'how the run ended');
      equal(Date.parse(run.ended_at ?? '') - Date.parse(run.started_at), HOUR, 'ms that the run lasted');
    },
  },
  {
    id: 'invoke/deadline-not-extended',
    requirement: 'INVOKE-5',
    level: 'S',
    title: 'Steering does not extend the deadline; the next run of the session has an hour of its own.',
    needs: ['running', 'control', 'clock'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      const said = await ctx.script(HELD);
      const id = session(await invoke(ctx, intern.id, said), 'the invoke');
      await ctx.clock.advance(HOUR - 60_000);
      steered(await invoke(ctx, intern.id, 'Also.', id), id, 'an invoke with a run going');
      await ctx.clock.advance(60_001);
      match(await fate(ctx, intern.id, id), /^ended/, 'the run after its hour');
      session(await invoke(ctx, intern.id, said, id), 'the next run');
      await ctx.clock.advance(HOUR - 1);
      equal(await fate(ctx, intern.id, id), 'running', 'the next run in its last millisecond');
    },
  },
  {
    id: 'invoke/client-gone',
    requirement: 'INVOKE-6',
    level: 'C',
    title: 'Losing the client after 202 changes nothing.',
    needs: ['running', 'control', 'clock'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      const input = await ctx.script([{ say: 'x' }, { wait: '100s' }, { say: 'y' }]);
      const open = await ctx.open({ method: 'POST', path: `/interns/${intern.id}/invoke`, json: { input } });
      equal(open.status, 202, 'status of the invoke');
      await open.close();
      await ctx.clock.advance(60_000);
      equal(await fate(ctx, intern.id), 'running', 'the run a minute after its client went');
      await ctx.clock.advance(40_000);
      equal(await fate(ctx, intern.id), 'ended: stop', 'the run when it is done');
    },
  },
  {
    id: 'invoke/ended-by-suspend',
    requirement: 'SUSP-1',
    level: 'C',
    title: 'Suspending ends runs of invoke; the session is taken again after the resume.',
    needs: ['running', 'control'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      const id = session(await invoke(ctx, intern.id, await ctx.script(HELD)), 'the invoke');
      expect.status(await ctx.api.suspend(intern.id), 200, 'the suspend');
      equal(await fate(ctx, intern.id, id), 'ended: cancelled', 'the run after suspend');
      expect.status(await ctx.api.provision(intern.id), 202, 'the provision');
      await ctx.interns.until(intern.id, ['running']);
      const answer = await invoke(ctx, intern.id, 'Hello.', id);
      equal(session(answer, 'the session after the resume'), id, 'session_id after the resume');
      equal((answer.json as Record<string, unknown>).status, 'started', 'status after the resume');
    },
  },
  {
    id: 'invoke/not-accepted',
    requirement: 'INVOKE-1',
    level: 'S',
    title: 'What the intern does not accept is not answered 202.',
    needs: ['running', 'behaviour:unreachable', 'behaviour:refuses'],
    async run(ctx) {
      const intern = await ctx.interns.running();
      for (const behaviour of ['unreachable', 'refuses'] as const) {
        const answer = await invoke(ctx, intern.id, ctx.prompt(behaviour));
        ok(answer.status >= 400, `status of an invoke that meets: ${behaviour}`, 'an error', expect.shown(answer));
      }
    },
  },
]);
