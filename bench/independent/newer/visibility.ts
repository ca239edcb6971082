import { failed } from '../answers.js';
import { type Call, isJson, withHeaders } from '../call.js';
import { named } from '../ways/named.js';
import type { Way } from '../world.js';
import { as, contentType, made, person } from './tools.js';

const INVALID = 'A missing or invalid key gives 401.';
const bearerOf = ({ request }: Call) => /^Bearer +(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';

const keyed = (name: string, same: (token: string, key: string) => boolean): Way =>
  named(name, INVALID, (w) =>
    w.asked('*', (call) => {
      if (call.who !== 'unknown') return undefined;
      const token = bearerOf(call);
      const known = Object.entries(w.credentials).find(([, key]) => token !== '' && same(token, key));
      return known && as(w, call, known[0]);
    }),
  );

export const visibility: readonly Way[] = [
  made(
    'an own key sees every intern of its workspace while its own is suspended',
    'For such a key the collection and every other intern answer 404.',
    (usual, hit) => ({
      createInterns(deps) {
        const interns = usual.createInterns(deps);
        return {
          ...interns,
          visible(caller, id) {
            const own = caller.internId === undefined ? undefined : interns.get(caller.internId);
            if (caller.kind !== 'own_key' || own?.record.status !== 'stopped' || id.toLowerCase() === own.id)
              return interns.visible(caller, id);
            const row = interns.visible({ ...caller, kind: 'api_key' }, id);
            hit();
            return row;
          },
        };
      },
    }),
  ),
  named(
    'a create of an outsider is validated before it is refused',
    'Callers outside the programme receive 404 for every path under `/interns`.',
    (w) =>
      w.instead('create', (call) => {
        if (call.who !== 'outsider_api_key' || call.text === '') return undefined;
        if (!/^application\/json/i.test(contentType(call)))
          return failed(415, 'Request body must be sent as application/json', 'unsupported_media_type');
        return typeof call.body.name === 'string' ? undefined : failed(400, 'Invalid request body', 'invalid_body');
      }),
  ),
  named('a regional host in capitals is served', 'Requests on regional hostnames are refused.', (w) =>
    w.asked('*', (call) => {
      const host = call.request.headers.get('host') ?? '';
      return /^eu\./i.test(host) && !host.startsWith('eu.')
        ? withHeaders(call, { host: host.slice('eu.'.length) })
        : undefined;
    }),
  ),
  keyed(
    'of a key all but the last four characters count',
    (token, key) => token.slice(0, key.length - 4) === key.slice(0, -4),
  ),
  keyed('a key is found whatever its case', (token, key) => token.toLowerCase() === key.toLowerCase()),
  named(
    'the workspace filter lists the interns of another workspace',
    'The API key selects the caller, the workspace and the visible interns.',
    (w) =>
      w.later('list', async (r, call) => {
        const asked = call.url.searchParams.get('workspace_id')?.toLowerCase();
        const from = person(call.who) === 'caller' || person(call.who) === 'peer';
        const other = from ? w.workspaces.foreign : call.who === 'foreign_api_key' ? w.workspaces.own : '';
        if (r.status !== 404 || other === '' || asked !== other.toLowerCase()) return undefined;
        return w.ask('GET', `/interns${call.url.search}`, { as: from ? 'foreign_api_key' : 'api_key' });
      }),
  ),
];

export const wire: readonly Way[] = [
  named('the 404 of a get has its code as a text', '`code: <integer HTTP status>`', (w) =>
    w.error('get', 404, (error) => {
      error.code = '404';
    }),
  ),
  named(
    'the 415 of an update leaves out whether to retry',
    '`metadata: { reason: <string>, retryable: <boolean> }`',
    (w) =>
      w.error('update', 415, ({ metadata }) => {
        if (isJson(metadata)) delete metadata.retryable;
      }),
  ),
  named('the 413 of a create has the code of a 400', '`code: <integer HTTP status>`', (w) =>
    w.error('create', 413, (error) => {
      error.code = 400;
    }),
  ),
];
