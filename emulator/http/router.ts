import { RegExpRouter } from 'hono/router/reg-exp-router';
import { getPath, tryDecodeURIComponent } from 'hono/utils/url';
import type { Area, Resource } from './exchange.js';
import { BASE, type Route } from './route.js';

const areaOf = (path: string): Area => {
  const below = path.slice(BASE.length);
  if (!path.startsWith(`${BASE}/`)) return 'none';
  if (below === '/interns' || below.startsWith('/interns/')) return 'interns';
  if (below === '/scim' || below.startsWith('/scim/')) return 'scim';
  return 'none';
};

const ANY_METHOD = 'ALL';

/** A parameter of a path, by its place among all of them. */
function decoded(at: number | string | undefined, values: readonly string[] | undefined): string | undefined {
  const value = typeof at === 'number' ? values?.[at] : at;
  return value === undefined ? undefined : tryDecodeURIComponent(value);
}

/**
 * Finds what a request is for, by its path alone: the method is for the pipeline to look at. Hono's router without Hono
 * around it, since nothing else of it would be used.
 */
export function createRouter(routes: readonly Route[]): (request: Pick<Request, 'url'>) => Resource {
  const byPath = new Map<string, Route[]>();
  for (const row of routes) byPath.set(row.path, [...(byPath.get(row.path) ?? []), row]);
  const router = new RegExpRouter<Pick<Resource, 'area' | 'routes'>>();
  for (const [path, rows] of byPath) router.add(ANY_METHOD, BASE + path, { area: areaOf(BASE + path), routes: rows });

  return ({ url }) => {
    const path = getPath({ url } as Request);
    const [[found], values] = router.match(ANY_METHOD, path);
    if (!found) return { area: areaOf(path), routes: [] };
    const [{ area, routes }, names] = found;
    return { area, routes, internId: decoded(names.id, values), mappingId: decoded(names.mappingId, values) };
  };
}
