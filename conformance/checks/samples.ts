import fc from 'fast-check';
import { equal, fail } from '../framework/assert.js';
import { defineChecks } from '../framework/check.js';
import * as expect from '../framework/expect.js';
import { allowable, sameSession, sessionOf } from '../helpers/chat.js';
import { notFromTheBeginning, notRepeated } from '../helpers/words.js';

/** One check of each kind, as patterns for the others. */
export const SAMPLES = defineChecks([
  {
    id: 'lifecycle/update-unknown-field',
    requirement: 'UPDATE-1',
    level: 'P',
    title: 'An update with a field that no intern has is refused.',
    needs: ['write'],
    // A negative check: the valid twin succeeds first, then exactly one thing is changed.
    async run({ api, interns }) {
      const intern = await interns.stopped();
      expect.status(await api.update(intern.id, { description: 'twin' }), expect.ACCEPTED, 'the valid twin');
      const answer = await api.update(intern.id, { description: 'twin', colour: 'red' });
      expect.error(
        answer,
        { status: 400, reason: 'invalid_body', retryable: false },
        'an update with an unknown field',
      );
    },
  },
  {
    id: 'lifecycle/update-reads-back',
    requirement: 'UPDATE-1',
    level: 'S',
    title: 'What an update changed is read back, and omitted fields stay unchanged.',
    needs: ['write'],
    // A property: one intern serves all candidates where nothing is left behind; else each makes its own.
    async run(ctx) {
      const { api, interns, property } = ctx;
      const intern = await interns.stopped();
      const field = () => fc.option(ctx.texts({ maxLength: 200 }), { nil: undefined });
      await property('fields', fc.record({ description: field(), instructions: field() }), async (wanted) => {
        const body = Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
        const before = expect.intern(await api.get(intern.id), 200, 'the read before');
        expect.status(await api.update(intern.id, body), expect.ACCEPTED, 'the update');
        const after = expect.intern(await api.get(intern.id), 200, 'the read after');
        for (const key of ['description', 'instructions', 'name', 'model'] as const) {
          equal(after[key], key in body ? body[key] : before[key], `${key} after the update`);
        }
      });
    },
  },
  {
    id: 'chat/tool-call-pauses-and-continues',
    requirement: 'CHAT-6',
    level: 'S',
    title: 'After the answer the stream continues where it paused.',
    needs: ['running', 'behaviour:ask-permission'],
    async run(ctx) {
      const { interns, chat, prompt, answer } = ctx;
      const intern = await interns.shared();
      await notRepeated(ctx, async (saying) => {
        const asks = { prompt: prompt('ask-permission', saying), approval_mode: 'manual' };
        const before = await (await chat(intern.id, asks)).end();
        expect.finish(before, 'tool_calls', 'the prompt that asks');
        allowable(ctx, before);
        const after = await (await answer(intern.id, before, 'allow_once')).end();
        notFromTheBeginning(before, after);
        expect.finish(after, 'stop', 'the answered run');
        sameSession(after, sessionOf(before), 'the answered run');
        return { before, after };
      });
    },
  },
  {
    id: 'create/racing-retries-make-one',
    requirement: 'CREATE-4',
    level: 'S',
    title: 'Equal creates with one key, sent at once, make one intern.',
    needs: ['write'],
    // A race: the number of effects is what is asserted, not who won.
    async run({ api, interns, race }) {
      const body = interns.body();
      const headers = { 'idempotency-key': `race-${body.name}` };
      const answers = await race(8, () => api.create(body, { headers }));
      for (const answer of answers) expect.status(answer, [...expect.CREATED, 409, 429, 503], 'a racing create');
      const ids = new Set(
        answers.filter((a) => a.status < 300).map((a) => expect.intern(a, expect.CREATED, 'a create').id),
      );
      if (ids.size !== 1) fail('interns made by 8 equal creates', 1, [...ids]);
    },
  },
]);
