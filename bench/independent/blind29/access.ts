import { failed } from '../answers.js';
import type { Json } from '../call.js';
import { as, shown } from '../newer/tools.js';
import type { Way } from '../world.js';
import { among, named, notFound, ofCaller } from './tools.js';

const ACCESS = 'daemon daemon-alias';
const ALIAS = 'Deprecated alias of GET /interns/{internId}/daemon with the same request, response and errors.';
const REFUSED = 'API keys get 403 with reason `personal_identity_required`.';
const RUNNING = 'Intern is visible and running';
const isKey = (who: string) => who.endsWith('_key') && !who.includes('management') && !who.startsWith('outsider');
const personal = () => failed(403, 'Personal connections require the OIDC login', 'personal_identity_required');

export const access: readonly Way[] = [
  named('from its second reveal on a token may be stored', 'The response carries `Cache-Control: no-store`.', (w) => {
    const known = new Set<string>();
    return w.head(ACCESS, (headers, call, { ok }) => {
      if (ok && known.has(ofCaller(call))) headers.delete('cache-control');
      if (ok) known.add(ofCaller(call));
    });
  }),
  named('the alias redirects to what it is an alias of', ALIAS, (w) =>
    w.instead('daemon-alias', ({ url, who }) =>
      who.includes('oauth')
        ? new Response(null, { status: 308, headers: { location: url.pathname.replace(/-access$/, '') } })
        : undefined,
    ),
  ),
  named('the alias gives API keys the token as well', ALIAS, (w) =>
    w.later('daemon-alias', async (r, call) => {
      if (r.status !== 403 || call.who !== 'api_key') return undefined;
      const given = await w.next(as(w, call, 'oauth_token'));
      return given.ok ? given : undefined;
    }),
  ),
  named('an API key is informed that the intern is not running', REFUSED, (w) =>
    w.later(ACCESS, async (r, call) => {
      const record = r.status === 403 && isKey(call.who) ? await shown(w, call) : undefined;
      return record && record.status !== 'running'
        ? failed(409, 'The intern is not running', 'intern_not_running')
        : undefined;
    }),
  ),
  named("an intern's own key finds no daemon of that intern", REFUSED, (w) =>
    w.later(ACCESS, (r, { who }) => (r.status === 403 && who === 'own_key' ? notFound() : undefined)),
  ),
  named(
    'a resumed intern shows the token that it had before',
    'Daemon access lets a terminal client attach to a running intern.',
    (w) => {
      const first = new Map<string, Json>();
      return w.ok(ACCESS, (body, { id }) => {
        Object.assign(body, first.get(id) ?? {});
        if (!first.has(id)) first.set(id, { ...body });
      });
    },
  ),
  named('an intern whose token was shown once shows it while it is not up', RUNNING, (w) => {
    const known = new Map<string, string>();
    return async (call, next) => {
      const r = await next();
      if (!among(ACCESS, call)) return r;
      if (r.ok) known.set(ofCaller(call), await r.clone().text());
      const before = known.get(ofCaller(call));
      if (r.status !== 409 || before === undefined) return r;
      w.hit();
      return new Response(before, { headers: { 'content-type': 'application/json', 'cache-control': 'no-store' } });
    };
  }),
  named(
    'a caller outside of the programme is informed that a login is missing',
    'Callers outside the programme receive 404 for every path under `/interns`.',
    (w) => w.instead(`${ACCESS} sign sign-alias`, ({ who }) => (who === 'outsider_api_key' ? personal() : undefined)),
  ),
];
