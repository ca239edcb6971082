import { RegExpRouter } from 'hono/router/reg-exp-router';
import { getPath, tryDecodeURIComponent } from 'hono/utils/url';
import type { Area, Resource } from './exchange.js';
import { BASE, type Route } from './route.js';

const areaOf = (path: string): Area => {
  const below = path.slice(BASE.length);
  if (!path.startsWith(`${BASE}/`)) return 'none';
  if (below === '/interns' || below.startsWith('/interns/')) return 'interns';
  if (below === '/vault' || below.startsWith('/vault/')) return 'vault';
  if (below === '/scim' || below.startsWith('/scim/')) return 'scim';
  return 'none';
};

const ANY_METHOD = 'ALL';

/** A parameter of a path, by its place among all of them. */
function decoded(at: number | string | undefined, values: readonly string[] | undefined): string | undefined {
  const value = typeof at === 'number' ? values?.[at] : at;
  return value === undefined ? undefined : tryDecodeURIComponent(value);
}

/** What is known of a path, beside the values of its parameters. */
interface Known {
  readonly area: Area;
  readonly routes: readonly Route[];
  /** More rows for this very value of the parameter that a path ends in: `…/secrets/copy` is an operation too. */
  readonly literal: ReadonlyMap<string, readonly Route[]>;
}

const LAST_PARAMETER = /:\w+$/;
/** Whether a path is another one with a word in place of its last parameter. */
const isLiteralOf = (path: string, pattern: string): boolean =>
  path !== pattern &&
  LAST_PARAMETER.test(pattern) &&
  !LAST_PARAMETER.test(path) &&
  path.slice(0, path.lastIndexOf('/')) === pattern.slice(0, pattern.lastIndexOf('/'));

/** The data of each path. A literal path comes with the pattern that it matches, as Hono's router wants it. */
function knownPaths(routes: readonly Route[]): ReadonlyMap<string, Known> {
  const byPath = new Map<string, Route[]>();
  for (const row of routes) byPath.set(row.path, [...(byPath.get(row.path) ?? []), row]);
  const paths = [...byPath.keys()];
  const known = new Map<string, Known>();
  for (const [path, rows] of byPath) {
    if (paths.some((pattern) => isLiteralOf(path, pattern))) continue;
    const literal = paths.filter((other) => isLiteralOf(other, path));
    known.set(path, {
      area: areaOf(BASE + path),
      routes: rows,
      literal: new Map(
        literal.map((other) => [other.slice(other.lastIndexOf('/') + 1), [...rows, ...(byPath.get(other) ?? [])]]),
      ),
    });
  }
  return known;
}

/** The resource of a request. */
export type ResourceOf = (request: Pick<Request, 'url'>) => Resource;

/**
 * Finds the resource of a request, by its path alone: the pipeline checks the method. It uses Hono's router without
 * Hono, since nothing else of it would be used.
 */
export function createRouter(routes: readonly Route[]): ResourceOf {
  const router = new RegExpRouter<Known>();
  for (const [path, known] of knownPaths(routes)) router.add(ANY_METHOD, BASE + path, known);

  return ({ url }) => {
    const path = getPath({ url } as Request);
    const [[found], values] = router.match(ANY_METHOD, path);
    if (!found) return { area: areaOf(path), routes: [] };
    const [{ area, routes, literal }, names] = found;
    const last = literal.size === 0 ? '' : path.slice(path.lastIndexOf('/') + 1);
    return {
      area,
      routes: literal.get(last) ?? routes,
      internId: decoded(names.id, values),
      scimId: decoded(names.scimId, values),
      secretName: decoded(names.secretName, values),
    };
  };
}
