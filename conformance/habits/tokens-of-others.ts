import { isRecord } from '../../emulator/wire/json.js';
import type { Habit } from './habit.js';

/** Tokens of a person. */
const PERSONAL: ReadonlySet<string | undefined> = new Set(['oauth_token', 'oauth_interns_only_token']);

/**
 * A token that never saw an intern of the API key, and now does not find one that is there, is another person's, or of another
 * workspace: the caller's mistake.
 */
const explains: Habit['explains'] = async ({ seen }, visit) => {
  const last = seen.findLast(({ as, path }) => PERSONAL.has(as) && /^\/interns\/[^/]+\/daemon(\/sign)?$/.test(path));
  const { as: credential, id } = last ?? {};
  if (last?.status !== 404 || credential === undefined || id === undefined) return undefined;
  const isKeys = visit.made().some((made) => made.id === id && made.as === 'api_key' && made.deleting !== true);
  if (!isKeys || visit.dealings.saw(credential)) return undefined;
  const { status, json } = await visit.send({ path: visit.pathOf(id) });
  if (status === 404 || (isRecord(json) && json.status === 'destroying')) return undefined;
  // One that reads the intern sees it: then the 404 is wrong.
  if ((await visit.send({ path: visit.pathOf(id), as: credential })).status < 300) return undefined;
  const how = 'sees-no-intern';
  visit.spoilt(credential, how);
  return { skip: { kind: 'need', because: { kind: 'unusable', credential, how } } };
};

export const tokensOfOthers: Habit = {
  id: 'tokens-of-others',
  what: 'shows a token of another workspace no intern of the key',
  kit: 'skips the checks that need the token, and exits 3',
  explains,
};
