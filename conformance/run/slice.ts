import { isPrompt, operationOf } from '../model/operations.js';
import type { Need } from '../model/target.js';
import { bodyOf, type ShownExchange } from '../probe/evidence.js';
import { isRecord, jsonOf } from '../probe/json.js';
import { type As, CREDENTIAL_NAMES, internIn } from '../probe/request.js';
import type { Check } from './check.js';
import type { Ctx } from './context.js';
import type { CheckResult, FindingResult } from './results.js';

const BASE = /^(?:\/.*?)?\/api\/v\d+(?=\/)/;
/** A name that a run of the kit gave. */
const GIVEN = /^k[a-z0-9]{4}-[a-z0-9]+$/;
/** Headers of a recorded request that are sent again. */
const KEPT = ['content-type', 'idempotency-key'];

const idOf = (body: string): string | undefined => {
  const json = jsonOf(body);
  return isRecord(json) && typeof json.id === 'string' ? json.id : undefined;
};

/** The credential of a request. Undefined where it was sent in another way. */
const callerOf = ({ request: { headers } }: ShownExchange): As | undefined =>
  headers.authorization === undefined
    ? null
    : CREDENTIAL_NAMES.find((name) => headers.authorization === `Bearer [${name}]`);

/** The path of a request below the base of the interface, without dots. Undefined for any other. */
const placeOf = ({
  request: { url },
}: ShownExchange): { readonly path: string; readonly query: string } | undefined => {
  if (!URL.canParse(url)) return undefined;
  const { pathname, search } = new URL(url);
  return BASE.test(pathname) ? { path: pathname.replace(BASE, ''), query: search } : undefined;
};

/**
 * Whether the report shows a request whole, and it is one of the interface. A report may come from anybody: no other request is
 * sent with the credentials of the user. What an intern does with a prompt is not in the request.
 */
function isWhole(exchange: ShownExchange): boolean {
  const { method, url, body = '', bytes } = exchange.request;
  const place = placeOf(exchange);
  const operation = place === undefined ? undefined : operationOf({ method, path: place.path })?.operation;
  return (
    operation !== undefined &&
    !isPrompt(operation) &&
    callerOf(exchange) !== undefined &&
    bytes === undefined &&
    !/\[(redacted|\w+_(key|token))\]|…|\uFFFD/.test(`${url} ${body}`)
  );
}

/** Sends a recorded request again. `renamed`: the new ids and names for the recorded ones. */
async function sendAgain(ctx: Ctx, exchange: ShownExchange, renamed: Map<string, string>): Promise<void> {
  const { interns, send, target } = ctx;
  const { method, headers, body } = exchange.request;
  const { path, query } = placeOf(exchange) ?? { path: '', query: '' };
  const status = exchange.response?.status ?? 0;
  const makes = method === 'POST' && path === '/interns';
  const id = internIn(path);
  // The slice does not tell how its intern came to be: another one takes its place.
  if (id !== undefined && !renamed.has(id)) {
    const made = status < 300 ? await (path.endsWith('/suspend') ? interns.running() : interns.stopped()) : undefined;
    renamed.set(id, made?.id ?? interns.unknownId());
  }
  const json = makes ? jsonOf(body ?? '') : undefined;
  if (isRecord(json) && typeof json.name === 'string' && GIVEN.test(json.name)) renamed.set(json.name, interns.name());
  const again = (text: string) =>
    [...renamed]
      .toSorted(([one], [other]) => other.length - one.length)
      .reduce((said, [was, is]) => said.replaceAll(was, () => is), text);
  const as = callerOf(exchange);
  const answer = await send({
    method,
    path: `${again(path)}${query}`,
    ...(as === undefined ? {} : { as }),
    headers: Object.fromEntries(KEPT.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]]))),
    // A report names no host: of another one, the user's regional host takes the place.
    ...(headers.host === undefined ? {} : { host: target.regionalHost ?? '' }),
    ...(body === undefined ? {} : { body: again(body) }),
  });
  const [was, is] = [idOf(bodyOf(exchange)), isRecord(answer.json) ? answer.json.id : undefined];
  if (makes && was !== undefined && typeof is === 'string') renamed.set(was, is);
}

/** The exchanges that a finding of a rule rests on, and the one that shows it. */
const shownBy = ({ transcript, exchange, restsOn = [] }: FindingResult): readonly ShownExchange[] =>
  transcript.filter(({ number }) => number === exchange || restsOn.includes(number));

/**
 * A check that sends the requests of a rule's finding again, and nothing else. It makes what they need anew. Undefined where they
 * do not show it by themselves: they prompt an intern, or hold what a report leaves out.
 */
export function sliceCheck({ id, requirement, level, finding }: CheckResult) {
  const slice = finding === undefined ? [] : shownBy(finding);
  if (slice.length === 0 || !slice.every(isWhole)) return undefined;
  const callers = new Set(slice.flatMap((exchange) => callerOf(exchange) ?? []));
  const boots = slice.some(({ request }) => request.url.endsWith('/suspend'));
  const regional = slice.some(({ request }) => request.headers.host !== undefined);
  const needs = [
    'write',
    ...(boots ? ['running'] : []),
    ...(regional ? ['regional_host'] : []),
    ...[...callers].filter((as) => as !== 'api_key'),
  ] as Need[];
  const check = {
    id: `replay/${id}`,
    requirement,
    level,
    title: `The requests of ${id}, again.`,
    needs,
    async run(ctx) {
      const renamed = new Map<string, string>();
      for (const exchange of slice) await sendAgain(ctx, exchange, renamed);
    },
  } as Check;
  return { check, requests: slice.length };
}
