import { isRecord } from '../../emulator/wire/json.js';
import type { Answer } from '../probe/client.js';
import type { Send } from '../probe/request.js';
import { isBusy } from './not-now.js';
import { type Explanation, LATER, type Tried, type Visit } from './visit.js';

/**
 * The verdict of a habit on a finding: `excuse` where it was seen here, by a measure of its own that a run takes once. Where the
 * measure came to nothing (`undefined`) it excuses nothing: the check is tried again, and it is measured again.
 */
export async function excused(
  { learnt }: Pick<Visit, 'learnt'>,
  habit: string,
  excuse: Explanation,
  measure: () => Promise<boolean | undefined>,
): Promise<Explanation | undefined> {
  const known = learnt.habits.get(habit) ?? (await measure());
  if (known === undefined) return { again: LATER };
  learnt.habits.set(habit, known);
  return known ? excuse : undefined;
}

/** The evidence of one answer for a habit that refuses with these statuses; none where it was lost on the way or came too soon. */
export function refusedWith(
  { status }: { readonly status: number },
  ...statuses: readonly number[]
): boolean | undefined {
  if (statuses.includes(status)) return true;
  return status < 300 ? false : undefined;
}

/** Sends a plain prompt: whether it is taken. `busy`: it is not, as the intern has other work. Nothing where nobody can tell. */
export async function takesPrompts(visit: Visit, id: string): Promise<boolean | 'busy' | undefined> {
  const { status, json } = await visit.send({
    method: 'POST',
    path: visit.pathOf(id, '/chat/completions'),
    json: { messages: [{ role: 'user', content: 'Hello.' }], stream: true },
  });
  if (status < 300) return true;
  const { metadata } = (isRecord(json) && isRecord(json.error) ? json.error : {}) as { metadata?: unknown };
  const { reason, retryable } = isRecord(metadata) ? metadata : {};
  if (status !== 409) return undefined;
  return isBusy({ status, text: '', reason: String(reason), retryable: retryable === true }) ? 'busy' : false;
}

/** Looks until an intern has a status, or has it no more. False where that takes too long. */
export async function becomes(
  visit: Visit,
  id: string,
  is: (status: unknown) => boolean,
  looks = 30,
): Promise<boolean> {
  for (let look = 0; look < looks; look++) {
    const { status, json } = await visit.send({ path: visit.pathOf(id) });
    if (status === 404) return false;
    if (status === 200 && isRecord(json) && is(json.status)) return true;
    await visit.sleep(1_000);
  }
  return false;
}

/** Sends a request of the check with another body, by the credential that sent it. */
export async function instead(
  visit: Visit,
  { as, method, url }: Tried,
  body: Pick<Send, 'json' | 'body' | 'headers'>,
): Promise<Answer | undefined> {
  return as === undefined ? undefined : visit.send({ method, url, as, ...body });
}

/** An intern that runs and that nobody talks to. */
export async function boots(visit: Visit): Promise<string> {
  const { json, status } = await visit.send(visit.creating());
  const { id } = (json ?? {}) as { id?: unknown };
  if (status >= 300 || typeof id !== 'string') return 'none';
  const booted = await visit.send({ method: 'POST', path: visit.pathOf(id, '/provision') });
  return booted.status < 300 && (await becomes(visit, id, (status) => status === 'running')) ? id : 'none';
}
