import type { Json } from '../../../emulator/wire/json.js';
import { bodyOf, withRequest } from '../../../emulator/wire/request.js';
import { defineMutants } from '../mutant.js';
import { answers, errors, exchanges, field, inRecords, typed, withoutHeader } from '../operators/answers.js';
import { all, by, byAlias, filtered, isOf } from '../operators/exchange.js';
import { as, asked, doneAllTheSame, header, query, sends } from '../operators/requests.js';
import { final } from '../operators/streams.js';

const byStatus = all('list', filtered('status'));
const byWorkspace = all('list', filtered('workspace_id'));
const aliasSigns = all('sign', byAlias);

/** One that was suspended differs from one that never ran: it was changed after it was created. */
const suspended = ({ status, created_at, updated_at }: Json) => status === 'stopped' && created_at !== updated_at;

/** One operation out of many is wrong, where no check of a default run asks: monitors see it in what others met. */
export const AS_MET = defineMutants({
  'provision-404-without-retryable': errors({ of: 'provision', status: 404 }, { metadata: { reason: 'not_found' } }),
  'suspend-401-with-another-code': errors({ of: 'suspend', status: 401 }, { code: 403 }),
  'sign-404-is-retryable': errors({ of: 'sign', status: 404 }, { retryable: true }),
  'suspend-answers-as-text': answers({ of: 'suspend' }, (reply) => typed(reply, 'text/plain')),
  'list-by-workspace-oldest-first': field(all(byStatus, byWorkspace), 'data', (data: Json[]) => data.toReversed()),
  'list-filters-by-workspace-alone': query(byWorkspace, 'status', () => null),
  'list-by-status-of-the-other-workspace': as('api_key', all(byStatus, by('foreign_api_key'))),
  'list-by-status-has-no-limit': query(byStatus, 'limit', () => null),
  'vault-of-the-one-before': field<unknown>('get', 'vault_id', (vault, { first }) => first('vault', vault)),
  'update-answers-no-text': field('update', 'last_failure_message', false),
  'update-answers-times-in-seconds': field('update', 'updated_at', (time) => time.replace(/\.\d+Z$/, 'Z')),
  'invoke-answers-a-session-of-its-own': field('invoke', 'session_id', (id, { times }) =>
    times(id) > 0 ? `${id}-2` : id,
  ),
  'alias-proof-may-be-stored': withoutHeader('cache-control', { of: aliasSigns, says: 'signature-v2' }),
  'alias-daemon-may-be-stored': withoutHeader('cache-control', { of: all('daemon', byAlias) }),
  'alias-signs-another-path': sends(aliasSigns, 'route.path', (path) => `${path}/`),
  // The deprecated alias answers the same request for a proof with the same proof.
  'alias-proof-comes-again': () => {
    const given = new Map<string, Response>();
    return exchanges(async (exchange, next) => {
      const { path, request } = exchange;
      if (!isOf(aliasSigns, exchange)) return next(request);
      const asked = `${path} ${await request.clone().text()}`;
      const answer = given.get(asked) ?? (await next(request));
      if (answer.ok) given.set(asked, answer.clone());
      return answer;
    });
  },
  // A proof for a route, asked for by the deprecated alias, names a colleague.
  'alias-signs-as-the-peer': asked(all(aliasSigns, by('oauth_token')), async (request, { emulator }) => {
    const authorization = `Bearer ${emulator.target.credentials.peer_oauth_token}`;
    return JSON.stringify(await bodyOf(request)).includes('route')
      ? withRequest(request, { headers: { authorization } })
      : request;
  }),
  'list-by-status-says-another-time': field(byStatus, 'data.[].created_at', (time) => time.replace(/\.\d+Z$/, '.999Z')),
  'delete-answers-a-token': field('delete', 'daemon_token', 'dt-0123456789abcdef'),
  'third-stream-of-a-session-names-another': final('session_id', (id, { times }) => (times(id) === 2 ? `${id}-3` : id)),
  // The final chunk after an error has no usage, not even null.
  'failed-stream-has-no-usage': final<unknown>('usage', (usage, { finish }) =>
    finish === 'error' ? undefined : usage,
  ),
  'failed-stream-has-another-id': final('id', (id, { finish }) => (finish === 'error' ? `${id}-end` : id)),
  // The stream of an answer to a question names another session.
  'answer-names-another-session': final('session_id', (id, { finish, noted }) => {
    if (finish === 'tool_calls') noted.add(id);
    return noted.has(id) && finish === 'stop' ? `${id}-2` : id;
  }),
  // An update by the key of another workspace is 404, and done all the same.
  'update-that-is-hidden-is-done': exchanges(async (exchange, next) => {
    const { request, emulator } = exchange;
    const authorization = `Bearer ${emulator.target.credentials.api_key}`;
    if (isOf(all('update', by('foreign_api_key')), exchange))
      await next(withRequest(request.clone(), { headers: { authorization } }));
    return next(request);
  }),
  'delete-refused-for-its-type-is-done': doneAllTheSame('delete', 415),
  // The list filtered by workspace lacks what was suspended.
  'list-by-workspace-leaves-out-the-suspended': field(
    all(byWorkspace, ({ query }) => !query.has('status')),
    'data',
    (data: Json[]) => data.filter((record) => !suspended(record)),
  ),
  'update-without-parameters': header('update', 'content-type', (type) => (type?.includes(';') ? 'text/plain' : type)),
  // A create refuses Application/JSON.
  'create-looks-at-the-case-of-a-type': header('create', 'content-type', (type) =>
    type !== type?.toLowerCase() ? 'text/plain' : type,
  ),
  'suspend-forgets-the-description': inRecords<unknown>('description', (text, { parent }) =>
    suspended(parent) ? null : text,
  ),
});
