import { join } from 'node:path';
import { curlParts, shellWord } from '../../emulator/contract/pasted.js';
import { visible, visibleJson } from '../../emulator/contract/visible.js';
import { PLAIN as PLAIN_ID } from '../model/ownership.js';
import { variable } from '../model/target.js';
import type { ShownExchange } from '../probe/evidence.js';
import { CREDENTIAL_NAMES, type CredentialName } from '../probe/request.js';
import { findingText } from '../report/words/finding.js';
import type { CheckResult, FindingResult, Results } from '../run/results.js';
import { writeTo } from './destinations.js';

/** Ids in an answer: interns, vaults, sessions, calls. Their order maps them to the ids of another run. */
const IDS = /"(?:id|session_id|vault_id|tool_call_id)"\s*:\s*"([^"]{6,})"/g;

const idsIn = (text: string): string[] => [...new Set([...text.matchAll(IDS)].flatMap((found) => found[1] ?? []))];

/** One step of a script: a request of the transcript, or a call of the control interface. */
type Step = ReturnType<typeof requestOf> | { readonly control: string; readonly path: string; readonly body?: unknown };

function requestOf({ request, response }: ShownExchange) {
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

/** The first steps of every run on an emulator. */
const PROLOGUE: readonly Step[] = [
  { control: 'POST', path: '/clock', body: { freeze: true } },
  { control: 'PUT', path: '/limits', body: { turns_per_minute: 0 } },
];

/** Requests and control calls in their order. */
function stepsOf({ transcript, control = [] }: FindingResult, kind: Results['target']['kind']): Step[] {
  const requests = transcript.map((exchange) => ({ at: exchange.number, step: requestOf(exchange) as Step }));
  const calls = control.map(({ after, method, path, body }) => ({
    at: after + 0.5,
    step: { control: method, path, ...(body === undefined ? {} : { body }) },
  }));
  const steps = [...requests, ...calls].sort((a, b) => a.at - b.at).map(({ step }) => step);
  return kind === 'emulator' ? [...PROLOGUE, ...steps] : steps;
}

/** The guard of a script for a deployment: like the kit, it writes only to interns that it made. */
const OWN = `const PLAIN = ${String(PLAIN_ID)};
const made = new Map();
const shown = new Set();
const internIn = (to) => {
  const found = /\\/interns(?:\\/+([^/]*))?/i.exec(new URL(to).pathname);
  return found === null ? undefined : decodeURIComponent(found[1] ?? '');
};
const json = (text) => {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
};
const leftOut = async (method, to, key, body) => {
  const id = internIn(to);
  if (['GET', 'HEAD', 'OPTIONS'].includes(method) || id === undefined || (id === '' && method === 'POST')) return undefined;
  if (!PLAIN.test(id)) return 'it would write to more than one intern of this script';
  const authorization = 'Bearer ' + (key ?? credentialOf('INTERN_API_KEY'));
  const read = await fetch(BASE + '/interns/' + encodeURIComponent(id), { headers: { authorization }, redirect: 'manual' });
  const { name } = json(await read.text());
  if (read.status !== 404 && !made.get(id)?.has(name)) return 'it would write to an intern that this script has not made';
  const { name: next } = json(method === 'PATCH' ? fresh(body ?? '') : '');
  if (next !== undefined) made.get(id)?.add(next);
  return undefined;
};
const heard = (method, to, status, body, text) => {
  if (status >= 300 || internIn(to) === undefined) return;
  const answer = json(text);
  const { id, name } = answer;
  const creates = method === 'POST' && internIn(to) === '';
  if (creates && PLAIN.test(String(id)) && typeof name === 'string' && name === json(fresh(body ?? '')).name && !shown.has(String(id).toLowerCase()))
    made.set(id, (made.get(id) ?? new Set()).add(name));
  if (!creates) for (const one of Array.isArray(answer.data) ? answer.data : [answer]) shown.add(String(one?.id).toLowerCase());
};
`;
const LEFT_OUT = `    const why = await leftOut(method, to, key, body);
    if (why !== undefined) {
      entry.said = method + ' ' + to + ' -> left out: ' + why;
      return;
    }
`;

/**
 * A file for Node that repeats the requests of a finding, with ids of its own, and on an emulator the control calls
 * between them. It needs only credentials in variables, and at an emulator not even those. `before` stops before the
 * last request and prints it.
 */
export function script(check: CheckResult, results: Results, before = false): string {
  const { finding } = check;
  const found = finding === undefined ? undefined : findingText(finding);
  const emulator = results.target.kind === 'emulator';
  const comment = (text: unknown) =>
    visible(typeof text === 'string' ? text : JSON.stringify(text))
      .replaceAll('\n', ' ')
      .slice(0, 500);
  const steps = finding === undefined ? [] : stepsOf(finding, results.target.kind);
  const last = steps.findLastIndex((step) => 'url' in step);
  const names = Object.fromEntries(CREDENTIAL_NAMES.map((name) => [variable(name), name]));
  return `// ${check.id} (${check.requirement}): ${comment(check.title)}
// what:     ${comment(found?.what)}
// expected: ${comment(found?.expected)}
// actual:   ${comment(found?.actual)}
// Against ${comment(results.target.url)}; another address: INTERN_BASE_URL=… node ${fileOf(check, before)}
// All of the check again: ${comment(finding?.replay)}
${emulator ? `// It changes the emulator at that address (${before ? 'and leaves it in the state before the last request' : 'clock, limits, scripts, faults'}): use one of your own.\n` : ''}import { setTimeout as pause } from 'node:timers/promises';
const STEPS = ${visibleJson(before ? steps.slice(0, last) : steps, 2)};
const NEXT = ${visibleJson(before ? (steps[last] ?? null) : null)};
const RECORDED = /^https?:\\/\\/[^/]+(?:\\/.*?)?\\/api\\/v1(?=\\/|$)/;
const BASE = process.env.INTERN_BASE_URL ?? ${visibleJson(results.target.url)};
const CONTROL = BASE.replace(/\\/api\\/v1\\/?$/, '') + '/_emulator';
const CREDENTIALS = ${JSON.stringify(emulator ? names : {})};
const PREFIX = /\\bk[a-z0-9]{4}-(?=[a-z0-9])/g;
const TAG = 'k' + process.pid.toString(36).padStart(4, '0').slice(-4) + '-';
const known = new Map();
const sent = [];
const learn = () => {
  for (const { ids, text } of sent) {
    const seen = [...new Set([...text.matchAll(${String(IDS)})].map((found) => found[1]))];
    for (const [at, id] of ids.entries()) if (seen[at] !== undefined && !known.has(id)) known.set(id, seen[at]);
  }
};
const fresh = (text, spelled = String) => {
  let out = text.replaceAll(PREFIX, TAG);
  for (const [recorded, live] of known) out = out.replaceAll(spelled(recorded), () => spelled(live));
  return out;
};
const control = async (method, path, body) => {
  const token = process.env.INTERN_CONTROL_TOKEN;
  const answer = await fetch(CONTROL + path, {
    method,
    headers: { 'content-type': 'application/json', ...(token === undefined ? {} : { authorization: 'Bearer ' + token }) },
    redirect: 'manual',
    ...(body === undefined ? {} : { body: fresh(JSON.stringify(body)) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(method + ' ' + CONTROL + path + ' answered ' + answer.status + ': ' + text.slice(0, 300));
  return text;
};
const target = ${emulator ? "JSON.parse(await control('GET', '/target'))" : 'undefined'};
const credentialOf = (name) =>
  process.env[name] ??
  (CREDENTIALS[name] === 'own_key' ? target?.credentials.intern?.api_key : target?.credentials[CREDENTIALS[name]]);
${emulator ? '' : OWN}const send = async (entry, { method, url, headers, as, body, status }) => {
  const to = fresh(url, encodeURIComponent).replace(RECORDED, BASE);
  const key = as === undefined ? undefined : credentialOf(as);
  if (as !== undefined && key === undefined) console.error('set ' + as + ' to the credential this request was sent with');
  try {
${emulator ? '' : LEFT_OUT}    const answer = await fetch(to, {
      method,
      headers: { ...headers, ...(key === undefined ? {} : { authorization: 'Bearer ' + key }) },
      redirect: 'manual',
      ...(body === undefined ? {} : { body: fresh(body) }),
      signal: AbortSignal.timeout(60_000),
    });
    entry.said = method + ' ' + to + ' -> ' + answer.status + (status === null || status === answer.status ? '' : ' (was ' + status + ')');
    const decoder = new TextDecoder();
    for await (const piece of answer.body ?? []) entry.text += decoder.decode(piece, { stream: true });
${emulator ? '' : '    heard(method, to, answer.status, body, entry.text);\n'}  } catch (error) {
    entry.said ??= method + ' ' + to + ' -> ' + error.message;
  }
};
for (const step of STEPS) {
  learn();
  if (step.control !== undefined) {
    await control(step.control, fresh(step.path, encodeURIComponent), step.body);
    console.log(step.control, '/_emulator' + fresh(step.path), step.body === undefined ? '' : JSON.stringify(step.body));
    continue;
  }
  const entry = { ids: step.ids, text: '', said: undefined };
  sent.push(entry);
  // A stream may wait for later requests.
  await Promise.race([send(entry, step), pause(${emulator ? '1_000' : '60_000'})]);
  console.log(entry.said ?? step.method + ' ' + step.url + ' -> no answer yet');
  console.log(entry.text.slice(0, 2000));
}
learn();
if (NEXT !== null) {
  const shellWord = ${String(shellWord)};
  const curlParts = ${String(curlParts)};
  const url = fresh(NEXT.url, encodeURIComponent).replace(RECORDED, BASE);
  const body = NEXT.body === undefined ? undefined : fresh(NEXT.body);
  const sent = { method: NEXT.method, url, headers: NEXT.headers, body, credential: NEXT.as };
  console.log('The state before is there. Next:\\n' + curlParts(sent, ['-i', '-N'], shellWord).join(' \\\\\\n  '));
}
process.exit(0);
`;
}

/** The name of the file for a finding, or with `before` for the script that leads an emulator to the state before it. */
const fileOf = ({ id }: CheckResult, before = false): string =>
  `${id.replace(/[^a-z0-9-]+/gi, '-')}${before ? '.before' : ''}.mjs`;

/** Writes a script per finding into a folder, and for an emulator one that leads it to the state before (KIT-7). */
export function saveFindings(folder: string, results: Results): void {
  for (const check of results.checks) {
    if (check.finding === undefined) continue;
    for (const before of results.target.kind === 'emulator' ? [false, true] : [false])
      writeTo(`--save ${folder}`, join(folder, fileOf(check, before)), script(check, results, before));
  }
}
