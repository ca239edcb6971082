import { readChat, readInvoke } from '../../contract/chat.js';
import type { SentRequest } from '../../contract/curl.js';
import { Refusal } from '../../contract/errors.js';
import type { FieldProblem } from '../../contract/problem.js';
import { exampleOf } from './examples.js';
import { bodyOf, type Facts, withBody } from './facts.js';

type Path = readonly PropertyKey[];
type Node = Record<PropertyKey, unknown>;

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

/** The value of an example at a path: any entry of a list stands for its last. */
const at = (example: unknown, path: Path): unknown =>
  path.reduce<unknown>((value, key) => {
    if (Array.isArray(value)) return value.at(-1);
    return isNode(value) ? value[key] : undefined;
  }, example);

/** Puts a value at a path, or takes away what is there if there is no value. Anything else stays. */
function put(body: unknown, path: Path, value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  const copy: Node = Array.isArray(body) ? ([...body] as unknown as Node) : { ...(isNode(body) ? body : {}) };
  const next = rest.length === 0 ? value : put(copy[key], rest, value);
  if (next === undefined) delete copy[key];
  else copy[key] = next;
  return copy;
}

const without = (body: unknown, { path, unknown = [] }: FieldProblem): unknown =>
  unknown.reduce<unknown>((left, key) => put(left, [...path, key], undefined), body);

/** The body with each wrong field replaced by what an example has there, or left out where it need not be. */
const mended = (body: unknown, fields: readonly FieldProblem[], example: unknown): unknown =>
  fields.reduce(
    (left, field) => (field.unknown ? without(left, field) : put(left, field.path, at(example, field.path))),
    body,
  );

/** Reads of a body that stop at the first problem; the other schemas name up to three. */
const READS: Readonly<Record<string, (body: unknown) => unknown>> = { chat: readChat, invoke: readInvoke };
/** A body has no more fields that can be wrong one after another. */
const MOST = 8;

/** The request, with the wrong fields of its body put right (BODY-4, CHAT-15). */
export function correctedBody(facts: Facts): SentRequest | undefined {
  const { entry, fields } = facts;
  const sent = bodyOf(entry.request);
  const last = Array.isArray(sent?.messages) ? sent.messages.at(-1) : undefined;
  const replies = isNode(last) && last.role === 'tool';
  const example = exampleOf(facts, replies);
  if (example === undefined) return { ...entry.request, body: null };
  if (sent === undefined || replies) return withBody(entry.request, example);
  if (fields.length === 0) return undefined;
  let body = mended(sent, fields, example);
  const read = READS[entry.operation ?? ''];
  for (let left = MOST; read && left > 0; left--) {
    try {
      read(body);
      break;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      body = mended(body, error.fields, example);
    }
  }
  return withBody(entry.request, body);
}

/** Parameters that cannot be left out, with the value that takes nothing away. */
const NEEDED: Readonly<Record<string, string>> = { keep_members: 'true' };

/** The request without the wrong parameters of its query. */
export function correctedQuery({ entry, fields }: Facts): SentRequest {
  const url = new URL(entry.request.url);
  for (const { path } of fields) {
    const name = String(path[0]);
    const needed = NEEDED[name];
    if (needed === undefined) url.searchParams.delete(name);
    else url.searchParams.set(name, needed);
  }
  return { ...entry.request, url: url.href };
}
