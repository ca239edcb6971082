import { getPath, tryDecodeURIComponent } from 'hono/utils/url';
import { byKey } from '../contract/by-key.js';
import type { Area, Resource } from './exchange.js';
import { createPathFinder, type PathFinder } from './paths.js';
import { BASE, type Route } from './route.js';

const areaOf = (path: string): Area => {
  const below = path.slice(BASE.length);
  if (!path.startsWith(`${BASE}/`)) return 'none';
  if (below === '/interns' || below.startsWith('/interns/')) return 'interns';
  if (below === '/vault' || below.startsWith('/vault/')) return 'vault';
  if (below === '/scim' || below.startsWith('/scim/')) return 'scim';
  return 'none';
};

const decoded = (value: string | undefined): string | undefined =>
  value === undefined ? undefined : tryDecodeURIComponent(value);

export type ResourceOf = (request: Pick<Request, 'url'>) => Resource;

const NONE: readonly Route[] = [];

/** Finds the resource of a request, by its path alone: the pipeline checks the method. */
export function createRouter(
  routes: readonly Route[],
  finderOf: (paths: readonly string[]) => PathFinder = createPathFinder,
): ResourceOf {
  const byPath: ReadonlyMap<string, readonly Route[]> = byKey(routes, ({ path }) => path);
  const find = finderOf([...byPath.keys()]);

  return ({ url }) => {
    const path = getPath({ url } as Request);
    const area = areaOf(path);
    if (area === 'none') return { area, routes: NONE };
    const { patterns, params } = find(path.slice(BASE.length));
    const [first = ''] = patterns;
    return {
      area,
      // `…/secrets/copy` is an operation, and also the secret named `copy`.
      routes: patterns.length > 1 ? patterns.flatMap((one) => byPath.get(one) ?? []) : (byPath.get(first) ?? NONE),
      internId: decoded(params.id),
      scimId: decoded(params.scimId),
      secretName: decoded(params.secretName),
    };
  };
}
