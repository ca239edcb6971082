import assert from 'node:assert/strict';
import { type App, clientOf, type Intern, newIntern, Refused } from './parts.js';

export const creating: readonly App[] = [
  {
    name: 'fresh-name-per-try',
    defect: 'A create is repeated without an idempotency key, under a new name.',
    hurts: 'Two interns run and are paid for.',
    shows: /^once/,
    allowed:
      'A retry with the same idempotency key and the same body resumes unfinished work. (No word of a retry without one.)',
    async program(context) {
      const { json } = clientOf(context);
      for (let tried = 1; ; tried++) {
        try {
          const made = await json<Intern>('POST', '/interns', newIntern(context.target, `clerk-${tried}`));
          context.print(`made ${made.id ? 'an intern' : 'nothing'}`);
          return;
        } catch (error) {
          if (tried === 3) throw error;
        }
      }
    },
  },
  {
    name: 'fresh-key-per-try',
    defect: 'Each try of a create makes a key of its own, and takes a name conflict for another owner.',
    hurts: 'A second intern beside the first, which nobody knows.',
    shows: /^once/,
    allowed: 'A retry with the same idempotency key and the same body resumes unfinished work.',
    async program(context) {
      const { json, patiently } = clientOf(context);
      let tries = 0;
      const create = (name: string) =>
        json<Intern>('POST', '/interns', newIntern(context.target, name), { 'idempotency-key': `create-${++tries}` });
      const made = await patiently(() => create('scribe')).catch((error) => {
        if (error instanceof Refused && error.reason === 'name_conflict') return create('scribe-b');
        throw error;
      });
      assert.match(made.name, /^scribe/);
      context.print('ready');
    },
  },
  {
    name: 'key-with-another-body',
    defect: 'The key of a create stays, but each try writes its time into the description.',
    hurts: 'The app says that the intern could not be made, and it is there.',
    shows: /lost of create/,
    allowed: 'A retry with the same idempotency key and the same body resumes unfinished work.',
    async program(context) {
      const { json, patiently } = clientOf(context);
      let tried = 0;
      const made = await patiently(() =>
        json<Intern>('POST', '/interns', newIntern(context.target, 'porter', { description: `try ${++tried}` }), {
          'idempotency-key': 'porter-of-today',
        }),
      );
      assert.equal(made.name, 'porter');
      await patiently(() => json('DELETE', `/interns/${made.id}`));
      context.print('done');
    },
  },
  {
    name: 'make-if-not-listed',
    defect: 'It looks for its intern in the list right after the create, and makes another if it is not there.',
    hurts: 'Two interns for one task.',
    shows: /of list/,
    allowed: 'Lists the interns visible to the key, newest first. (Not when a new one is in the list.)',
    async program(context) {
      const { json } = clientOf(context);
      const listed = async () =>
        (await json<{ data: Intern[] }>('GET', '/interns')).data.find(({ name }) => name.startsWith('guide'));
      await json('POST', '/interns', newIntern(context.target, 'guide'), { 'idempotency-key': 'guide' });
      let guide = await listed();
      if (!guide) {
        await json('POST', '/interns', newIntern(context.target, 'guide-again'), { 'idempotency-key': 'guide-again' });
        guide = await listed();
      }
      assert.ok(guide);
      context.print('has a guide');
    },
  },
  {
    name: 'deletes-only-at-the-end',
    defect: 'The intern of a task is deleted after the task, but not if the task throws.',
    hurts: 'Interns pile up, and are paid for, each time that something fails.',
    shows: /sent no delete/,
    allowed: 'Callers may be refused at any time: 408, 429, 500.',
    async program(context) {
      const { json, running, call } = clientOf(context);
      const { id } = await json<Intern>('POST', '/interns', newIntern(context.target, 'temp', { provision: true }), {
        'idempotency-key': 'temp',
      });
      await running(id);
      const { session_id } = await json<{ session_id: string }>('POST', `/interns/${id}/invoke`, { input: 'Tidy up' });
      assert.ok(session_id);
      await call('DELETE', `/interns/${id}`);
      context.print('done');
    },
  },
  {
    name: 'invoke-repeated',
    defect: 'An invoke whose answer does not come is sent again.',
    hurts: 'The mail is sent twice.',
    shows: /^once/,
    allowed:
      'Starts a run on one intern and answers 202 with the session_id once the intern accepts it. (No key makes it repeatable.)',
    async program(context) {
      const { json, id } = clientOf(context);
      const start = () => json<{ session_id: string }>('POST', `/interns/${id}/invoke`, { input: 'Send the mail' });
      const { session_id } = await start().catch((error) => {
        if (error instanceof Refused && !error.retryable) throw error;
        return start();
      });
      assert.ok(session_id);
      context.print('the mail is on its way');
    },
  },
];
