import { Refusal } from '../contract/errors.js';
import type { ScimMapping } from '../contract/seed.js';
import { json } from './response.js';
import { type Route, route } from './route.js';

/** The one SCIM operation (SCIM-1, SCIM-2): UUIDs match in any case, anything else is unknown. */
export function scimRoute(mappings: readonly ScimMapping[]): Route {
  const byId = new Map(mappings.map((mapping) => [mapping.id.toLowerCase(), mapping]));
  const known = (id = ''): ScimMapping => {
    const mapping = byId.get(id.toLowerCase());
    if (!mapping) throw new Refusal('scim_not_found');
    return mapping;
  };
  return route<undefined>({
    operation: 'scim',
    method: 'GET',
    path: '/scim/group-mappings/:mappingId',
    credential: 'any',
    body: { read: false, json: 'ignored', invalid: 'invalid_body' },
    parse: () => undefined,
    // Before injected faults: a call that is refused anyway uses none up.
    authorize: ({ mappingId }) => void known(mappingId),
    handle: ({ mappingId }) => json({ data: known(mappingId) }),
  });
}
