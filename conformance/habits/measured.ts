import { isRecord } from '../../emulator/wire/json.js';
import type { Answer } from '../probe/client.js';
import type { Send } from '../probe/request.js';
import { isBusy } from './not-now.js';
import { type Explanation, LATER, type Tried, type Visit } from './visit.js';

/**
 * The explanation of a finding by a habit: `excuse` if a measure has shown the habit. It is taken once in a run. If it fails
 * (`undefined`), the check is repeated, and later the measure.
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

/** Whether an answer shows a habit that refuses with these statuses; undefined for another failure. */
export function refusedWith(
  { status }: { readonly status: number },
  ...statuses: readonly number[]
): boolean | undefined {
  if (statuses.includes(status)) return true;
  return status < 300 ? false : undefined;
}

/** Sends a plain prompt, and says whether the intern takes it. `busy`: it has other work. Undefined: unknown. */
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

/** Waits until the status of an intern fits. False if that takes too long. */
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

/** Sends a request of the check with another body, and the same credential. */
export async function instead(
  visit: Visit,
  { as, method, url }: Tried,
  body: Pick<Send, 'json' | 'body' | 'headers'>,
): Promise<Answer | undefined> {
  return as === undefined ? undefined : visit.send({ method, url, as, ...body });
}

/** Creates and boots an intern. Returns its id, or `none`. */
export async function boots(visit: Visit): Promise<string> {
  const { json, status } = await visit.send(visit.creating());
  const { id } = (json ?? {}) as { id?: unknown };
  if (status >= 300 || typeof id !== 'string') return 'none';
  const booted = await visit.send({ method: 'POST', path: visit.pathOf(id, '/provision') });
  // A service that boots each new intern at once refuses the provision.
  const isBooting =
    booted.status < 300 || (booted.status === 409 && (await becomes(visit, id, (status) => status !== 'stopped', 1)));
  return isBooting && (await becomes(visit, id, (status) => status === 'running')) ? id : 'none';
}
