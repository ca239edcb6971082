import { type Exchange, type Json, tokenOf, withHeader } from '../combinators/exchange.js';
import {
  answers,
  errors,
  exchanges,
  rewriteJson,
  rewriteRecords,
  typed,
  withoutHeader,
} from '../combinators/replies.js';
import { doneAllTheSame, rewriteFields, rewriteHeader, rewriteQuery, withTheKey } from '../combinators/requests.js';
import { rewriteFinal } from '../combinators/streams.js';
import { defineDeviations } from '../mutant.js';

const byBoth = ({ operation, query }: Exchange) =>
  operation === 'list' && query.has('workspace_id') && query.has('status');

/** One that was suspended differs from one that never ran: it was changed after it was created. */
const suspended = ({ created_at, updated_at }: Json) => created_at !== updated_at;
const cleared = (record: Json) => ({ ...record, description: null });

/** One operation out of many is wrong, where no check of a default run asks: monitors see it in what others met. */
export const AS_MET = defineDeviations({
  // The 404 of a provision does not say whether it is retryable.
  'provision-404-without-retryable': errors({ of: 'provision', status: 404 }, { metadata: { reason: 'not_found' } }),
  // The 401 of a suspend has the code 403 in its body.
  'suspend-401-with-another-code': errors({ of: 'suspend', status: 401 }, { code: 403 }),
  // Signing for an unknown intern says that it may be tried again.
  'sign-404-is-retryable': errors({ of: 'sign', status: 404 }, { retryable: true }),
  // The answer to a suspend is declared as text/plain.
  'suspend-answers-as-text': answers({ of: 'suspend' }, (reply) => typed(reply, 'text/plain')),
  // The list filtered by workspace and status is oldest first.
  'list-by-workspace-oldest-first': rewriteJson(byBoth, (body) => ({
    ...body,
    data: (body.data as Json[]).toReversed(),
  })),
  // Beside the filter by workspace that by status is ignored.
  'list-filters-by-workspace-alone': rewriteQuery('list', (query) => {
    if (query.has('workspace_id')) query.delete('status');
  }),
  // Filtered by status, the key of another workspace lists the interns of the first.
  'list-by-status-of-the-other-workspace': withTheKey(
    ({ operation, query, request }, { foreign_api_key }) =>
      operation === 'list' && query.has('status') && tokenOf(request) === foreign_api_key,
  ),
  // The list filtered by status ignores its limit.
  'list-by-status-has-no-limit': rewriteQuery('list', (query) => {
    if (query.has('status')) query.delete('limit');
  }),
  // A read of an intern names the vault of one that was read before it.
  'vault-of-the-one-before': () => {
    let before: Json | undefined;
    return rewriteJson('get', (record) => {
      before ??= record;
      return { ...record, vault_id: before.vault_id };
    });
  },
  'update-answers-no-text': rewriteJson('update', (record) => ({ ...record, last_failure_message: false })),
  // Times of the record of an update have no milliseconds.
  'update-answers-times-in-seconds': rewriteJson('update', (record) => ({
    ...record,
    updated_at: String(record.updated_at).replace(/\.\d+Z$/, 'Z'),
  })),
  'invoke-answers-a-session-of-its-own': () => {
    const issued = new Set<unknown>();
    return rewriteJson('invoke', (body) => {
      if (issued.has(body.session_id)) return { ...body, session_id: `${body.session_id}-2` };
      issued.add(body.session_id);
      return body;
    });
  },
  // A proof for a route, asked for by the deprecated alias, may be stored.
  'alias-proof-may-be-stored': withoutHeader('cache-control', {
    of: ({ alias, operation }) => alias && operation === 'sign',
    says: 'signature-v2',
  }),
  // The access to a daemon, asked for by the deprecated alias, may be stored.
  'alias-daemon-may-be-stored': withoutHeader('cache-control', {
    of: ({ alias, operation }) => alias && operation === 'daemon',
  }),
  // Asked for by the deprecated alias, a proof is for the path with a slash at its end.
  'alias-signs-another-path': rewriteFields('sign', (body, { alias }) => {
    const { path, ...route } = ((alias ? body.route : undefined) ?? {}) as Json;
    return typeof path === 'string' ? { ...body, route: { ...route, path: `${path}/` } } : body;
  }),
  // The deprecated alias answers the same request for a proof with the same proof.
  'alias-proof-comes-again': () => {
    const given = new Map<string, Response>();
    return exchanges(async ({ alias, operation, path, request }, next) => {
      if (!alias || operation !== 'sign') return next(request);
      const asked = `${path} ${await request.clone().text()}`;
      const answer = given.get(asked) ?? (await next(request));
      if (answer.ok) given.set(asked, answer.clone());
      return answer;
    });
  },
  // A proof for a route, asked for by the deprecated alias, names a colleague.
  'alias-signs-as-the-peer': exchanges(async ({ alias, operation, request }, next, { target }) => {
    const { oauth_token, peer_oauth_token } = target.credentials;
    const isIt = alias && operation === 'sign' && (await request.clone().text()).includes('route');
    return next(
      isIt && tokenOf(request) === oauth_token
        ? withHeader(request, 'authorization', `Bearer ${peer_oauth_token}`)
        : request,
    );
  }),
  // The list filtered by status says that interns were created at the end of their second.
  'list-by-status-says-another-time': rewriteJson(
    ({ operation, query }) => operation === 'list' && query.has('status'),
    (body) => ({
      ...body,
      data: (body.data as Json[]).map((row) => ({
        ...row,
        created_at: String(row.created_at).replace(/\.\d+Z$/, '.999Z'),
      })),
    }),
  ),
  'delete-answers-a-token': rewriteJson('delete', (body) => ({ ...body, daemon_token: 'dt-0123456789abcdef' })),
  'third-stream-of-a-session-names-another': () => {
    const times = new Map<unknown, number>();
    return rewriteFinal((chunk) => {
      const { session_id } = chunk;
      const nth = (times.get(session_id) ?? 0) + 1;
      times.set(session_id, nth);
      return typeof session_id === 'string' && nth === 3 ? { ...chunk, session_id: `${session_id}-3` } : chunk;
    });
  },
  // The final chunk after an error has no usage, not even null.
  'failed-stream-has-no-usage': rewriteFinal(({ usage, ...chunk }, finish) =>
    finish === 'error' ? chunk : { ...chunk, usage },
  ),
  // The final chunk after an error has another id than those before it.
  'failed-stream-has-another-id': rewriteFinal((chunk, finish) =>
    finish === 'error' ? { ...chunk, id: `${chunk.id}-end` } : chunk,
  ),
  // The stream of an answer to a question names another session.
  'answer-names-another-session': () => {
    const asked = new Set<unknown>();
    return rewriteFinal((chunk, finish) => {
      if (finish === 'tool_calls') asked.add(chunk.session_id);
      return asked.has(chunk.session_id) && finish === 'stop'
        ? { ...chunk, session_id: `${chunk.session_id}-2` }
        : chunk;
    });
  },
  // An update by the key of another workspace is 404, and done all the same.
  'update-that-is-hidden-is-done': exchanges(async ({ operation, request }, next, { target }) => {
    const { api_key, foreign_api_key } = target.credentials;
    if (operation === 'update' && tokenOf(request) === foreign_api_key)
      await next(withHeader(request.clone(), 'authorization', `Bearer ${api_key}`));
    return next(request);
  }),
  // A delete whose body is not declared as JSON is refused, and done all the same.
  'delete-refused-for-its-type-is-done': doneAllTheSame(
    ({ operation }, { status }) => operation === 'delete' && status === 415,
  ),
  // The list filtered by workspace lacks what was suspended.
  'list-by-workspace-leaves-out-the-suspended': rewriteJson(
    ({ operation, query }) => operation === 'list' && query.has('workspace_id') && !query.has('status'),
    (body) => ({
      ...body,
      data: (body.data as Json[]).filter((record) => record.status !== 'stopped' || !suspended(record)),
    }),
  ),
  // An update refuses application/json; charset=utf-8.
  'update-without-parameters': rewriteHeader('content-type', (type, { operation }) =>
    operation === 'update' && type?.includes(';') ? 'text/plain' : type,
  ),
  // A create refuses Application/JSON.
  'create-looks-at-the-case-of-a-type': rewriteHeader('content-type', (type, { operation }) =>
    operation === 'create' && type !== type?.toLowerCase() ? 'text/plain' : type,
  ),
  'suspend-forgets-the-description': rewriteRecords((record) =>
    record.status === 'stopped' && suspended(record) ? cleared(record) : record,
  ),
});
