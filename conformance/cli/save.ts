import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { variable } from '../drivers/needs.js';
import type { Exchange } from '../probe/exchange.js';
import type { CredentialName } from '../probe/request.js';
import { visible } from '../reporters/stream-text.js';
import type { CheckResult, Results } from '../run/results.js';
import { UsageError } from '../run/usage.js';

/** Ids that an answer tells: interns, vaults, sessions, calls. In their order they stand for those of another run. */
const IDS = /"(?:id|session_id|vault_id|tool_call_id)"\s*:\s*"([^"]{6,})"/g;

const idsIn = (text: string): string[] => [...new Set([...text.matchAll(IDS)].flatMap((found) => found[1] ?? []))];

function requestOf({ request, response }: Exchange) {
  const headers: Record<string, string> = {};
  let as: string | undefined;
  for (const [name, value] of Object.entries(request.headers)) {
    const credential = /^Bearer \[([a-z_]+)\]$/.exec(value)?.[1];
    if (name === 'authorization' && credential !== undefined && credential !== 'redacted')
      as = variable(credential as CredentialName);
    else headers[name] = value;
  }
  const text = response?.pieces.map((piece) => piece.text).join('') ?? '';
  const { method, url, body } = request;
  return { method, url, headers, as, body, status: response?.status ?? null, ids: idsIn(text) };
}

/** A file for Node that sends what led to a finding again, with ids of its own. Needs nothing but credentials in variables. */
export function script(check: CheckResult, results: Results): string {
  const { finding } = check;
  const comment = (text: unknown) =>
    visible(typeof text === 'string' ? text : JSON.stringify(text))
      .replace(/[\n\u2028\u2029]/g, ' ')
      .slice(0, 500);
  const steps = (finding?.transcript ?? []).map(requestOf);
  return `// ${check.id} (${check.requirement}): ${comment(check.title)}
// what:     ${comment(finding?.what)}
// expected: ${comment(finding?.expected)}
// actual:   ${comment(finding?.actual)}
// Against ${comment(results.target.url)}; another address: INTERN_BASE_URL=… node ${fileOf(check)}
// All of the check again: ${comment(finding?.replay)}
const STEPS = ${JSON.stringify(steps, null, 2).replace(/[\u2028\u2029]/g, ' ')};
const RECORDED = /^https?:\\/\\/[^/]+(?:\\/.*?)?\\/api\\/v1(?=\\/|$)/;
const BASE = process.env.INTERN_BASE_URL ?? ${JSON.stringify(results.target.url)};
const PREFIX = /\\bk[a-z0-9]{4}-(?=[a-z0-9])/g;
const TAG = 'k' + process.pid.toString(36).padStart(4, '0').slice(-4) + '-';
const known = new Map();
const fresh = (text) => {
  let out = text.replaceAll(PREFIX, TAG);
  for (const [recorded, live] of known) out = out.replaceAll(recorded, live);
  return out;
};
for (const { method, url, headers, as, body, status, ids } of STEPS) {
  const to = fresh(url).replace(RECORDED, BASE);
  const key = as === undefined ? undefined : process.env[as];
  if (as !== undefined && key === undefined) console.error('set ' + as + ' to the credential this request was sent with');
  const answer = await fetch(to, {
    method,
    headers: { ...headers, ...(key === undefined ? {} : { authorization: 'Bearer ' + key }) },
    redirect: 'manual',
    ...(body === undefined ? {} : { body: fresh(body) }),
    signal: AbortSignal.timeout(60_000),
  }).catch((error) => error);
  if (answer instanceof Error) {
    console.log(method, to, '->', answer.message);
    continue;
  }
  const text = await answer.text();
  const seen = [...new Set([...text.matchAll(${String(IDS)})].map((found) => found[1]))];
  for (const [at, id] of ids.entries()) if (seen[at] !== undefined && !known.has(id)) known.set(id, seen[at]);
  console.log(method, to, '->', answer.status, status === null || status === answer.status ? '' : '(was ' + status + ')');
  console.log(text.slice(0, 2000));
}
`;
}

const fileOf = ({ id }: CheckResult): string => `${id.replace(/[^a-z0-9-]+/gi, '-')}.mjs`;

/** Writes one script per finding into a folder. */
export function saveFindings(folder: string, results: Results): void {
  try {
    mkdirSync(folder, { recursive: true });
    for (const check of results.checks) {
      if (check.finding !== undefined) writeFileSync(join(folder, fileOf(check)), script(check, results));
    }
  } catch (error) {
    throw new UsageError(`--save ${folder} cannot be written: ${error instanceof Error ? error.message : error}`);
  }
}
