import { equal, ok } from '../framework/assert.js';
import { defineChecks } from '../framework/check.js';
import * as expect from '../framework/expect.js';
import { JSON_TYPE, textBytes } from '../helpers/bytes.js';
import { onShared } from '../helpers/interns.js';
import { internPath } from '../probe/request.js';

/** Traces of one run, boot or body must not show in the next. */
export const OWN_RUN = defineChecks({
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
  'update/while-it-boots': {
    requirement: 'UPDATE-1',
    title: 'What is changed while an intern boots is there once it runs.',
    needs: ['running'],
    async run({ api, interns, assume }) {
      const intern = await interns.stopped({ description: 'before' });
      expect.done(await api.provision(intern.id), 'the provision');
      const answer = await api.update(intern.id, { description: 'while it boots' });
      // In which states an intern can be changed is not stated.
      assume(answer.status !== 409, 'an intern that can be changed', undefined, expect.seen(answer));
      expect.done(answer, 'an update while it boots');
      const running = await interns.until(intern.id, ['running']);
      equal(running.description, 'while it boots', 'description of the running intern');
    },
  },
  'base/invalid-utf8-is-400': {
    requirement: 'BASE-5',
    title: 'A body that is not UTF-8 is malformed: 400, and nothing changes.',
    needs: ['control', 'write'],
    async run({ api, interns, send }) {
      const intern = await interns.stopped({ description: 'whole' });
      const [before, after] = ['{"description":"', '"}'].map(textBytes);
      const body = Buffer.concat([
        before ?? Buffer.alloc(0),
        Buffer.from([0xc3, 0x28, 0xff]),
        after ?? Buffer.alloc(0),
      ]);
      const answer = await send({ method: 'PATCH', path: internPath(intern.id), body, headers: JSON_TYPE });
      expect.error(answer, { status: 400 }, 'an update that is not UTF-8');
      equal(expect.intern(await api.get(intern.id), 200, 'the read').description, 'whole', 'description after it');
    },
  },
});
