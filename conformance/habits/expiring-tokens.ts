import { refusal } from '../../emulator/wire/answer.js';
import { pathOf, tokenOf } from '../../emulator/wire/request.js';
import type { CredentialName, Send } from '../probe/request.js';
import type { Habit } from './habit.js';

/** ms after which an OAuth token is refused. */
const LIFETIME = 5_000;

const NOBODY = '00000000-0000-4000-8000-000000000000';
/** Requests that a good credential may send. A 401 to all of them means a bad credential. */
const probes = (as: CredentialName): readonly Send[] =>
  as === 'management_key'
    ? [{ as, path: `/scim/group-mappings/${NOBODY}` }]
    : [
        { as, path: '/interns' },
        { as, path: `/interns/${NOBODY}` },
        { as, path: `/interns/${NOBODY}/daemon` },
        { as, path: `/interns/${NOBODY}/daemon/sign`, method: 'POST', json: { bodySha256: 'ab'.repeat(32) } },
      ];

export const expiringTokens: Habit = {
  id: 'expiring-tokens',
  what: 'lets tokens expire',
  kit: 'skips the checks that need them, and exits 3',
  /** OAuth tokens expire. */
  serve: (next, { host, keys }) => {
    const began = host.now();
    return async (request) => {
      const token = tokenOf(request);
      const issued = [...keys.api, keys.outsider];
      const personal = token !== undefined && !issued.includes(token) && pathOf(request).startsWith('/interns');
      if (personal && host.now() - began > LIFETIME) return refusal(401, 'Invalid or missing API key');
      return next(request);
    };
  },
  /** A credential is refused for every request. The interface states no lifetime. */
  explains: async ({ seen }, visit) => {
    visit.nobody(NOBODY);
    // Only tokens of refused requests of this finding count.
    const refused = new Set(seen.flatMap(({ as, status }) => (status === 401 ? (as ?? []) : [])));
    for (const { name, opened } of visit.dealings.shut()) {
      const as = [...refused].find((one) => one === name);
      if (as === undefined) continue;
      let open = false;
      for (const probe of opened === undefined ? probes(as) : [{ ...opened, as }])
        open ||= (await visit.send(probe)).status !== 401;
      if (open) continue;
      const how = opened === undefined ? 'opens-nothing' : 'expired';
      visit.spoilt(as, how);
      return { skip: { kind: 'need', because: { kind: 'unusable', credential: as, how } } };
    }
    return undefined;
  },
};
