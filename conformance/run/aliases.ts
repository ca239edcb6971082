import type { Found } from '../framework/finding.js';
import { hash } from '../framework/random.js';
import type { Answer } from '../probe/client.js';
import type { Exchange } from '../probe/exchange.js';
import type { Send } from '../probe/request.js';
import type { RequirementId } from '../requirements/index.js';

/** The routes that have a deprecated alias "with the same request, response and errors" (DAEMON-3, SIGN-11). */
const ROUTE = /^(\/interns\/[^/?]+\/daemon)(\/sign)?$/;
const [ACCESS, SIGN] = ['DAEMON-3', 'SIGN-11'] as const;
const ALIAS = /\/daemon-access(\/sign)?$/;

/** One of so many requests goes by the alias. */
const OF = 3;
/** Statuses of a path at which nothing is served. */
const NOTHING: ReadonlySet<number> = new Set([404, 405, 410, 501]);

/** The aliases by how their paths end: asked, there, or not there. */
export type Aliases = Map<string, 'asked' | 'there' | 'gone'>;

type About = { readonly id: string; readonly requirement: RequirementId; readonly needs: readonly string[] };

/**
 * Sends some requests of a check by the alias of their route, as the seed has it and again so when the check is tried again. The
 * first that a running intern may answer goes by it in every run. The route itself answers what the alias does not know.
 */
export function byAliases(
  send: (send: Send) => Promise<Answer>,
  aliases: Aliases,
  { id, needs, requirement }: About,
  seed: string,
): (send: Send) => Promise<Answer> {
  let count = 0;
  return async (request) => {
    const [, path, rest = ''] = ROUTE.exec(request.path ?? '') ?? [];
    if (path === undefined || requirement === ACCESS || requirement === SIGN) return send(request);
    const drawn = `${id} ${count++}`;
    const first = !aliases.has(rest) && needs.includes('running');
    if (first) aliases.set(rest, 'asked').set(drawn, 'asked');
    const isDrawn = aliases.has(drawn) || (hash(`${seed} ${drawn}`) >>> 0) % OF === 0;
    if (!isDrawn || aliases.get(rest) === 'gone') return send(request);
    const alias = { ...request, path: `${path}-access${rest}` };
    const answer = await send(alias);
    if (answer.status < 300) aliases.set(rest, 'there');
    if (!NOTHING.has(answer.status) || aliases.get(rest) === 'there') return answer;
    const itself = await send(request);
    if (itself.status < 300 && aliases.get(rest) !== 'gone') {
      aliases.set(rest, 'gone');
      // The alias should know the answer of its operation: monitors count the same twice.
      for (let times = 0; times < 2; times++) await send(alias);
    }
    return itself;
  };
}

/** The requirement of the alias that the exchange of a finding asked, if it did. */
export function aliasAsked({ exchange }: Found, transcript: readonly Exchange[]): RequirementId | undefined {
  const shown = transcript.find(({ number }) => number === exchange) ?? transcript.at(-1);
  const [alias, signs] = ALIAS.exec(shown?.request.url ?? '') ?? [];
  return alias === undefined ? undefined : signs === undefined ? ACCESS : SIGN;
}
