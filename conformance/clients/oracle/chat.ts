import type { Chat } from '../../../emulator/contract/client-case.js';
import { isRecord, jsonOf } from '../../probe/json.js';
import type { Dispatched } from './event-stream.js';

type Json = Record<string, unknown>;
const list = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isRecord) : []);

/** The result of a stream of chat-completion chunks. */
export interface ChatReading {
  outcome: 'complete' | 'error';
  /** The content until then: all of it if complete. */
  chat: Chat;
  error?: { status?: number; code?: string };
}

interface Call {
  id: string | null;
  name: string | null;
  arguments: string;
}

const isJson = (text: string): boolean => jsonOf(text) !== undefined;

/** An id that is one: gateways send "" and "null" too. */
const idIn = (delta: Json): string | undefined =>
  typeof delta.id === 'string' && delta.id !== '' && delta.id !== 'null' ? delta.id : undefined;
const nameIn = (delta: Json): string | undefined =>
  isRecord(delta.function) && typeof delta.function.name === 'string' && delta.function.name !== ''
    ? delta.function.name
    : undefined;
/** Gateways send an object for its text, too. */
const argumentsIn = (value: unknown): string =>
  typeof value === 'string' ? value : isRecord(value) ? JSON.stringify(value) : '';

/**
 * The calls of a whole stream, by the rules of sections 5 and 6 of the lab. First the deltas are put in order and assigned to
 * calls; then they are joined.
 */
function callsOf(deltas: readonly Json[]): Call[] {
  const order: string[] = [];
  const parts = new Map<string, Json[]>();
  /** The call that an index means at present; a second id on it opens another. */
  const current = new Map<number, string>();
  const idOf = (key: string) =>
    parts
      .get(key)
      ?.map(idIn)
      .find((id) => id !== undefined);
  const nameOf = (key: string) =>
    parts
      .get(key)
      ?.map(nameIn)
      .find((name) => name !== undefined);
  const textOf = (key: string) =>
    (parts.get(key) ?? []).map((part) => argumentsIn(isRecord(part.function) ? part.function.arguments : '')).join('');
  const open = (index: number | undefined) => {
    const key = `${String(index ?? 1_000 + order.length).padStart(6, '0')}/${String(order.length).padStart(6, '0')}`;
    order.push(key);
    parts.set(key, []);
    if (index !== undefined) current.set(index, key);
    return key;
  };
  let last: string | undefined;
  for (const delta of deltas) {
    const id = idIn(delta);
    const name = nameIn(delta);
    const index = typeof delta.index === 'string' && /^\d+$/.test(delta.index) ? Number(delta.index) : delta.index;
    let key: string;
    if (typeof index === 'number') {
      const known = current.get(index);
      const otherId = known !== undefined && id !== undefined && idOf(known) !== undefined && idOf(known) !== id;
      const otherName = known !== undefined && name !== undefined && (nameOf(known) ?? name) !== name;
      key = known === undefined || (otherId && (otherName || isJson(textOf(known)))) ? open(index) : known;
    } else {
      const fresh = id !== undefined && !order.some((one) => idOf(one) === id);
      const same = id === undefined ? undefined : order.find((one) => idOf(one) === id);
      const secondName = id === undefined && name !== undefined && last !== undefined && nameOf(last) !== undefined;
      key = fresh || last === undefined || secondName ? open(undefined) : (same ?? last);
    }
    parts.get(key)?.push(delta);
    last = key;
  }
  return [...order].sort().map((key) => ({ id: idOf(key) ?? null, name: nameOf(key) ?? null, arguments: textOf(key) }));
}

/**
 * The events of a body as one streaming chat completion: the rules of the lab's section 5, read over the whole stream.
 * `broken` says that the transport failed after the last event.
 */
export function chatOf(events: readonly Dispatched[], broken = false): ChatReading {
  const chunks: Json[] = [];
  let done = false;
  let bad = false;
  let failure: { status?: number; code?: string } | undefined;
  for (const { event, data } of events) {
    if (data === '') continue;
    if (event === 'error') {
      const value = jsonOf(data);
      failure = statusOf(isRecord(value) && isRecord(value.error) ? value.error : value);
      break;
    }
    if (event !== 'message') continue;
    if (data === '[DONE]') {
      done = true;
      break;
    }
    const value = jsonOf(data);
    if (!isRecord(value)) {
      bad = true;
      break;
    }
    chunks.push(value);
    if (value.error !== undefined && value.error !== null) {
      failure = statusOf(value.error);
      break;
    }
  }
  const choices = chunks.flatMap((chunk) => list(chunk.choices).filter((choice) => (choice.index ?? 0) === 0));
  const known = new Set(choices.flatMap(({ delta }) => (isRecord(delta) ? list(delta.tool_calls).map(idIn) : [])));
  /** A message, without the calls that deltas have brought. */
  const withoutKnown = (message: Json): Json => ({
    ...message,
    tool_calls: list(message.tool_calls).filter((call) => idIn(call) === undefined || !known.has(idIn(call))),
  });
  // Some gateways send a whole message where a delta should stand.
  const isEmpty = (value: unknown) => !isRecord(value) || Object.keys(value).length === 0;
  const deltas = choices
    .map((choice) => (isEmpty(choice.delta) && isRecord(choice.message) ? withoutKnown(choice.message) : choice.delta))
    .filter(isRecord);
  const texts = (name: string) =>
    deltas.map((delta) => delta[name]).filter((value): value is string => typeof value === 'string');
  const finish =
    choices
      .map((choice) => choice.finish_reason)
      .filter((value) => typeof value === 'string')
      .at(-1) ?? null;
  const usage =
    chunks
      .map((chunk) => chunk.usage)
      .filter(isRecord)
      .at(-1) ?? null;
  const session = chunks
    .map((chunk) => chunk.session_id)
    .filter((value) => typeof value === 'string')
    .at(-1);
  const given = deltas.flatMap((delta) => list(delta.tool_calls));
  // The older form, of one call, counts where the newer is missing.
  const older = deltas.map((delta) => delta.function_call).filter(isRecord);
  const calls = callsOf(given.length > 0 ? given : older.map((one) => ({ index: 0, function: one })));
  const nameless = calls.some((call) => call.name === null);

  const ended = done || finish !== null;
  const openCall = calls.length > 0 && finish === null;
  const outcome =
    failure !== undefined || bad || (broken && !done) || !ended || openCall || nameless || finish === 'error'
      ? 'error'
      : 'complete';
  const reported = calls.filter(
    (call) => call.name !== null && finish !== null && (finish !== 'length' || isJson(call.arguments)),
  );
  const reasoning = texts('reasoning').join('');
  return {
    outcome,
    chat: {
      content: texts('content').join(''),
      ...(reasoning === '' ? {} : { reasoning }),
      tool_calls: finish === 'error' || failure !== undefined ? [] : reported,
      finish_reason: finish,
      usage,
      ...(session === undefined ? {} : { session_id: session }),
    },
    ...(failure === undefined || outcome === 'complete' ? {} : { error: failure }),
  };
}

const statusOf = (error: unknown): { status?: number; code?: string } => {
  if (!isRecord(error)) return {};
  if (Number.isInteger(error.code)) return { status: Number(error.code) };
  return typeof error.code === 'string' ? { code: error.code } : {};
};
