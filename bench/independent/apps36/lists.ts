import assert from 'node:assert/strict';
import { type App, clientOf, type Intern, newIntern } from './parts.js';

interface Page {
  readonly data: Intern[];
  readonly has_more: boolean;
  readonly next_cursor?: string;
}

export const lists: readonly App[] = [
  {
    name: 'first-page-alone',
    defect: 'Only the first page of the list is looked at when interns are cleaned up.',
    hurts: 'Old interns stay, and are paid for.',
    shows: /short-page/,
    allowed: 'Fields of the responses of list …: not shown. (InternListResponse may be one page of several.)',
    async program(context) {
      const { json, call } = clientOf(context);
      for (const name of ['tmp-one', 'tmp-two', 'tmp-three'])
        await json('POST', '/interns', newIntern(context.target, name), { 'idempotency-key': name });
      const { data } = await json<Page>('GET', '/interns');
      for (const { id } of data.filter(({ name }) => name.startsWith('tmp-'))) await call('DELETE', `/interns/${id}`);
      context.print('All temporary interns are deleted.');
    },
  },
  {
    name: 'all-are-mine',
    defect: 'It deletes each intern of the list, as if all were its own.',
    hurts: 'The interns of colleagues are deleted.',
    shows: /others-listed/,
    allowed:
      'Lists the interns visible to the key. The API key selects the caller, the workspace and the visible interns.',
    async program(context) {
      const { json, call, id: kept } = clientOf(context);
      for (const name of ['job-one', 'job-two'])
        await json('POST', '/interns', newIntern(context.target, name), { 'idempotency-key': name });
      let after: string | undefined;
      do {
        const page: Page = await json('GET', `/interns${after ? `?starting_after=${after}` : ''}`);
        for (const { id } of page.data) if (id !== kept) await call('DELETE', `/interns/${id}`);
        after = page.has_more ? page.next_cursor : undefined;
      } while (after);
      context.print('The workspace is clean.');
    },
  },
  {
    name: 'the-newest-is-mine',
    defect: 'After a create it takes the first of the list for the new intern, and gives it the work.',
    hurts: 'The task, with its confidential text, goes to an intern of a colleague.',
    shows: /others-listed/,
    allowed: 'Lists the interns visible to the key, newest first.',
    async program(context) {
      const { json, running } = clientOf(context);
      await json('POST', '/interns', newIntern(context.target, 'private', { provision: true }), {
        'idempotency-key': 'private',
      });
      const { data } = await json<Page>('GET', '/interns');
      const newest = data[0];
      assert.ok(newest);
      await running(newest.id);
      await json('POST', `/interns/${newest.id}/invoke`, { input: 'Read my diary' });
      context.print('reading');
    },
  },
];
