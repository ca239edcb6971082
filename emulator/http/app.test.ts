import { expect, test } from 'vitest';
import { createApp } from './app.js';
import { asResponse } from './response.js';
import { createRouter } from './router.js';

const failing = (logged: Record<string, unknown>[], error: Error, later: boolean) =>
  createApp(
    createRouter([]),
    () => {
      if (later) return Promise.reject(error);
      throw error;
    },
    { requestId: () => 'fresh', log: (record) => logged.push(record) },
  );

test.each([true, false])(
  'an error around the pipeline is logged with its request id and answered 500 (later: %s)',
  async (later) => {
    const logged: Record<string, unknown>[] = [];
    const app = failing(logged, new Error('a mistake of ours'), later);
    const get = async (path: string, headers = {}) =>
      asResponse(await app.answer(new Request(`http://localhost${path}`, { headers })));
    const answer = await get('/api/v1/interns', { 'x-request-id': 'mine' });
    expect([answer.status, answer.headers.get('x-request-id')]).toEqual([500, 'mine']);
    expect(await answer.json()).toEqual({
      error: { code: 500, message: expect.any(String), metadata: { reason: 'internal_error', retryable: true } },
    });
    const scim = await get('/api/v1/scim/group-mappings/x');
    expect(await scim.json()).toEqual({ error: { code: 500, message: 'Internal Server Error' } });
    expect(logged).toMatchObject([
      { event: 'internal_error', request_id: 'mine', error: expect.stringContaining('a mistake of ours') },
      { event: 'internal_error', request_id: 'fresh' },
    ]);
  },
);
