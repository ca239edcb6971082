import type { Answer } from '../probe/client.js';
import type { Exchange } from '../probe/exchange.js';
import { bodyOf, senderOf } from '../probe/operation.js';
import type { CredentialName, Send } from '../probe/request.js';
import type { Attempt } from './attempt.js';
import type { RunContext } from './run-context.js';

/** Settings whose text is free: which characters a deployment takes in them is nowhere stated. */
const TEXTS = ['description', 'instructions'] as const;
const PLAIN = 'plain words';
/** What a request is refused with for what it says. */
const REFUSED = new Set([400, 403, 422]);
/** A page for people, where the service answers JSON. */
const PAGE = /^\s*<(?:!doctype|html)/i;

/** A request of the attempt by the credential that sent it, with another body. */
async function instead(run: RunContext, sent: Exchange, body: Pick<Send, 'json' | 'body' | 'headers'>) {
  const { method, url } = sent.request;
  const as = senderOf(sent);
  if (as === undefined) return undefined;
  return run.session.running.send({ method, url, as: as as CredentialName, ...body });
}

const accepted = (answer: Answer | undefined): boolean => answer !== undefined && answer.status < 300;

/**
 * Whether a create or an update was refused for the characters of a text: then the same is taken with plain words in its
 * place. From then on checks say plain words (CREATE-5, which is published, has a check of its own for others).
 */
export async function takesPlainTexts(run: RunContext, { transcript }: Attempt): Promise<boolean> {
  const { driver, pool, session, settings } = run;
  const sent = transcript.findLast(({ response }) => REFUSED.has(response?.status ?? 0));
  if (session.plain || settings.readOnly || sent === undefined) return false;
  let json: unknown;
  try {
    json = JSON.parse(sent.request.body ?? '');
  } catch {
    return false;
  }
  if (typeof json !== 'object' || json === null) return false;
  const record = json as Record<string, unknown>;
  const odd = TEXTS.filter((key) => typeof record[key] === 'string' && /^$|[^A-Za-z0-9 .,]/.test(record[key]));
  const [path = ''] = sent.request.url.replace(`${driver.target.baseUrl}/interns`, '').split('?');
  if (odd.length === 0 || !/^(\/[^/]+)?$/.test(path)) return false;
  const creates = sent.request.method === 'POST' && path === '';
  const name = creates ? { name: `${session.prefix}${(++pool.count).toString(36)}` } : {};
  const plain = { ...record, ...name, ...Object.fromEntries(odd.map((key) => [key, PLAIN])) };
  if (!accepted(await instead(run, sent, { json: plain }))) return false;
  session.plain = true;
  return true;
}

/**
 * How a body that is wrong in a plain way is refused, where a firewall before a deployment answered another one, which it
 * takes for an attack, with a page and 403.
 */
export async function barred(run: RunContext, { transcript }: Attempt): Promise<number | undefined> {
  const sent = transcript.findLast(({ response }) => response?.status === 403);
  if (sent?.request.body === undefined || run.settings.readOnly || !PAGE.test(bodyOf(sent))) return undefined;
  const headers = { 'content-type': 'application/json' };
  const answer = await instead(run, sent, { body: '{"plain"', headers });
  if (answer === undefined || answer.status < 400 || answer.status === 403) return undefined;
  return answer.status;
}
