import type { Check } from '../framework/check.js';
import type { Ctx } from '../framework/context.js';
import type { Need } from '../framework/needs.js';
import { bodyOf, type ShownExchange, senderOf } from '../probe/evidence.js';
import { isRecord, jsonOf } from '../probe/json.js';
import { type As, CREDENTIAL_NAMES, internIn } from '../probe/request.js';
import type { CheckResult, FindingResult } from './results.js';

const BASE = /^https?:\/\/[^/]+(?:\/.*?)?\/api\/v\d+(?=\/)/;
/** A name that a run of the kit gave. */
const GIVEN = /^k[a-z0-9]{4}-[a-z0-9]+$/;
/** Prompts: what an intern does with one is not in the request. */
const PROMPTS = /\/(chat\/completions|invoke)(\?|$)/;
/** Headers of a recorded request that are sent again. */
const KEPT = ['content-type', 'idempotency-key'];

const idOf = (body: string): string | undefined => {
  const json = jsonOf(body);
  return isRecord(json) && typeof json.id === 'string' ? json.id : undefined;
};

const callerOf = (exchange: ShownExchange): As | undefined => {
  if (exchange.request.headers.authorization === undefined) return null;
  return CREDENTIAL_NAMES.find((name) => name === senderOf(exchange));
};

/** Sends a recorded request again. `renamed`: the new ids and names for the recorded ones. */
async function sendAgain({ interns, send }: Ctx, exchange: ShownExchange, renamed: Map<string, string>): Promise<void> {
  const { method, url, headers, body } = exchange.request;
  const path = url.replace(BASE, '');
  const status = exchange.response?.status ?? 0;
  const makes = method === 'POST' && /^\/interns(\?|$)/.test(path);
  const id = internIn(path);
  // The slice does not tell how its intern came to be: another one takes its place.
  if (id !== undefined && !renamed.has(id)) {
    const made = status < 300 ? await (path.endsWith('/suspend') ? interns.running() : interns.stopped()) : undefined;
    renamed.set(id, made?.id ?? interns.unknownId());
  }
  const json = makes ? jsonOf(body ?? '') : undefined;
  if (isRecord(json) && typeof json.name === 'string' && GIVEN.test(json.name)) renamed.set(json.name, interns.name());
  const again = (text: string) => text.replace(/[\w-]+/g, (word) => renamed.get(word) ?? word);
  const as = callerOf(exchange);
  const answer = await send({
    method,
    path: again(path),
    ...(as === undefined ? {} : { as }),
    headers: Object.fromEntries(KEPT.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]]))),
    ...(headers.host === undefined ? {} : { host: headers.host }),
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
  const isWhole = slice.every(
    (exchange) =>
      BASE.test(exchange.request.url) &&
      !PROMPTS.test(exchange.request.url) &&
      callerOf(exchange) !== undefined &&
      !/\[(redacted|\w+_(key|token))\]|…/.test(`${exchange.request.url} ${exchange.request.body ?? ''}`),
  );
  if (slice.length === 0 || !isWhole) return undefined;
  const callers = new Set(slice.flatMap((exchange) => callerOf(exchange) ?? []));
  const boots = slice.some(({ request }) => request.url.endsWith('/suspend'));
  const needs = ['write', ...(boots ? ['running'] : []), ...[...callers].filter((as) => as !== 'api_key')] as Need[];
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
