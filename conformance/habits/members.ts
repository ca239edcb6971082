import { refusal, rewritten } from '../../emulator/wire/answer.js';
import { isRecord, jsonOf } from '../../emulator/wire/json.js';
import { about } from '../../emulator/wire/request.js';
import { type Habit, idIn, unknown } from './habit.js';
import { excused, refusedWith } from './measured.js';

export const kindFirst: Habit = {
  id: 'kind-first',
  what: 'checks the kind of a credential first, and makes a new daemon token for each caller',
  kit: 'accepts either order of refusals',
  /** The service checks the kind of a credential before its visibility, and makes a new daemon token for each caller. */
  serve: (next, { keys, random }) => {
    return async (request) => {
      const { operation, token = '' } = about(request);
      if ((operation === 'daemon' || operation === 'sign') && keys.api.includes(token))
        return refusal(403, 'Personal connections require the OIDC login', 'personal_identity_required');
      return rewritten(await next(request), {
        json(json) {
          if (isRecord(json) && typeof json.token === 'string') json.token = `${json.token}.${random()}`;
        },
      });
    };
  },
};

export const peersApart: Habit = {
  id: 'peers-apart',
  what: 'shows each member only its own interns',
  kit: 'skips the checks that need a peer who sees them',
  /** A member sees only the interns that it made. */
  serve: (next, { keys }) => {
    const peers = new Set<string>();
    return async (request) => {
      const { operation, id, token } = about(request);
      if (token !== keys.peer) return next(request);
      if (id !== undefined && !peers.has(id)) return unknown();
      const response = await next(request);
      if (operation === 'list')
        return rewritten(response, {
          json(list) {
            if (isRecord(list) && Array.isArray(list.data))
              list.data = list.data.filter((one) => isRecord(one) && peers.has(String(one.id)));
          },
        });
      if (operation === 'create' && response.status === 201) peers.add(await idIn(response));
      return response;
    };
  },
};

export const membersRead: Habit = {
  id: 'members-read',
  what: 'lets only one member create interns',
  kit: "skips the checks that need a peer's or a stranger's intern",
  /** Only the holder of the API key may create interns. */
  serve:
    (next, { keys }) =>
    async (request) => {
      const { operation, token = '' } = about(request);
      return operation === 'create' && keys.api.slice(1).includes(token) && token !== keys.api[3]
        ? refusal(403, 'Your role may not create interns', 'forbidden')
        : next(request);
    },
  /** The interface does not state who else may create interns. A caller without the right is refused a plain create, too. */
  explains: async ({ got, missedSuccess, seen }, visit) => {
    if (!missedSuccess || got?.status !== 403) return undefined;
    const refused = seen.find(({ method, path, status }) => method === 'POST' && path === '/interns' && status === 403);
    const credential = refused?.as;
    if (credential === undefined || credential === 'api_key') return undefined;
    const sent = jsonOf(refused?.sent ?? '');
    const where = isRecord(sent) && 'workspace_id' in sent ? { workspace_id: sent.workspace_id } : {};
    const may = async () => refusedWith(await visit.send({ ...visit.creating(where), as: credential }), 403);
    const skip = { kind: 'need', because: { kind: 'may-not-create', credential, got } } as const;
    return excused(visit, `members-read ${credential}`, { skip }, may);
  },
};

/** Tokens of a person. */
const PERSONAL: ReadonlySet<string | undefined> = new Set(['oauth_token', 'oauth_interns_only_token']);

export const tokensOfOthers: Habit = {
  id: 'tokens-of-others',
  what: 'hides the interns of the key from a token of another workspace',
  kit: 'skips the checks that need the token, and exits 3',
  /**
   * A token that never saw an intern of the API key, and does not find an existing one, belongs to another person or another
   * workspace. That is a mistake of the caller.
   */
  explains: async ({ seen }, visit) => {
    const last = seen.findLast(({ as, path }) => PERSONAL.has(as) && /^\/interns\/[^/]+\/daemon(\/sign)?$/.test(path));
    const { as: credential, id } = last ?? {};
    if (last?.status !== 404 || credential === undefined || id === undefined) return undefined;
    const isKeys = visit.made().some((made) => made.id === id && made.as === 'api_key' && made.deleting !== true);
    if (!isKeys || visit.dealings.saw(credential)) return undefined;
    const { status, json } = await visit.send({ path: visit.pathOf(id) });
    if (status === 404 || (isRecord(json) && json.status === 'destroying')) return undefined;
    // A member who reads the intern sees it: then the 404 is wrong.
    if ((await visit.send({ path: visit.pathOf(id), as: credential })).status < 300) return undefined;
    const how = 'sees-no-intern';
    visit.spoilt(credential, how);
    return { skip: { kind: 'need', because: { kind: 'unusable', credential, how } } };
  },
};
