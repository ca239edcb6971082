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
const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/'));

/** The data of each path. A literal path comes with the pattern that it matches, as Hono's router wants it. */
function knownPaths(routes: readonly Route[]): ReadonlyMap<string, Known> {
  const byPath = new Map<string, Route[]>();
  for (const row of routes) byPath.set(row.path, [...(byPath.get(row.path) ?? []), row]);
  const patterns = new Map(
    [...byPath].filter(([path]) => LAST_PARAMETER.test(path)).map(([path]) => [parentOf(path), path]),
  );
  const known = new Map<string, Known & { literal: Map<string, readonly Route[]> }>();
  for (const [path, rows] of byPath)
    if ((patterns.get(parentOf(path)) ?? path) === path)
      known.set(path, { area: areaOf(BASE + path), routes: rows, literal: new Map() });
  for (const [path, rows] of byPath) {
    const pattern = known.get(patterns.get(parentOf(path)) ?? path);
    if (pattern !== known.get(path))
      pattern?.literal.set(path.slice(path.lastIndexOf('/') + 1), [...pattern.routes, ...rows]);
  }
  return known;
}

/** The resource of a request. */
export type ResourceOf = (request: Pick<Request, 'url'>) => Resource;

/** Which of its paths another path is, and the values of the parameters, as Hono's router has it. */
export type PathFinder = (path: string) => ReturnType<RegExpRouter<string>['match']>;

/**
 * Hono's router without Hono, since nothing else of it would be used. It is a quarter of what an emulator keeps in memory;
 * those with the same paths may share it.
 */
export function createPathFinder(paths: readonly string[]): PathFinder {
  const router = new RegExpRouter<string>();
  for (const path of paths) router.add(ANY_METHOD, BASE + path, path);
  return (path) => router.match(ANY_METHOD, path);
}

/** Finds the resource of a request, by its path alone: the pipeline checks the method. */
export function createRouter(
  routes: readonly Route[],
  finderOf: (paths: readonly string[]) => PathFinder = createPathFinder,
): ResourceOf {
  const known = knownPaths(routes);
  const find = finderOf([...known.keys()]);

  return ({ url }) => {
    const path = getPath({ url } as Request);
    const [[found], values] = find(path);
    const row = found && known.get(found[0]);
    if (!found || !row) return { area: areaOf(path), routes: [] };
    const { area, routes, literal } = row;
    const [, names] = found;
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
