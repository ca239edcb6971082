import { rewritten } from '../../emulator/wire/answer.js';
import { isRecord } from '../../emulator/wire/json.js';
import { tokenOf } from '../../emulator/wire/request.js';
import type { Serve } from '../../emulator/wire/serve.js';
import type { Habit } from './habit.js';
import { pathOf, refusal } from './wire.js';

/** The kind of the credential is checked before what it may see; each caller gets a new daemon token. */
const serve: Serve = (next, { keys, random }) => {
  return async (request) => {
    const key = tokenOf(request);
    if (/\/interns\/[^/]+\/daemon/.test(pathOf(request)) && key !== undefined && keys.api.includes(key))
      return refusal(403, 'Personal connections require the OIDC login', 'personal_identity_required');
    return rewritten(await next(request), {
      json(json) {
        if (isRecord(json) && typeof json.token === 'string') json.token = `${json.token}.${random()}`;
      },
    });
  };
};

export const kindFirst: Habit = {
  id: 'kind-first',
  what: 'judges the kind of a credential first, and makes a daemon token anew for each who asks',
  kit: 'takes either order of refusals',
  serve,
};
