import type { RecordFields } from '../model/intern.js';
import { isRecord, jsonOf, recordOf } from '../probe/json.js';
import { createSseParser } from '../probe/sse.js';

// Answers and recordings may have any form: nothing here throws.
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
/** A value, as text for a line of the report. */
export const said = (value: unknown): string => (typeof value === 'string' ? value : String(JSON.stringify(value)));

/** The content that the first choice of a chunk adds. */
export function deltaOf(chunk: RecordFields) {
  const choice = recordOf(listOf(chunk.choices)[0]);
  const delta = recordOf(choice.delta);
  return {
    role: delta.role,
    content: textOf(delta.content),
    reasoning: textOf(delta.reasoning),
    calls: listOf(delta.tool_calls).map((call) => ({
      id: textOf(recordOf(call).id),
      arguments: textOf(recordOf(recordOf(call).function).arguments),
    })),
    finish: choice.finish_reason,
  };
}

/** The error of a chunk or of an envelope, where there is one. */
export function errorOf(holder: unknown) {
  const { error } = recordOf(holder);
  if (!isRecord(error)) return undefined;
  const { reason, retryable } = recordOf(error.metadata);
  return { code: error.code, reason, isRetryable: retryable === true };
}

/** An event of a stream by its meaning, and the chunk that carried it. */
interface StreamEvent {
  readonly kind: string;
  readonly chunk?: RecordFields;
}

/** The data of the events of a stream's text. */
export function dataOf(text: string): string[] {
  const items = createSseParser().push(Buffer.from(text), 0);
  return items.flatMap((item) => (item.kind === 'event' ? [item.data] : []));
}

/** A short name for the question in a tool call. */
const question = (call: string) => `question (${said(recordOf(jsonOf(call)).kind ?? 'of no kind')})`;

/** The parts of a chunk whose form is wrong, so that no kind can be read from them. */
function malformed(chunk: RecordFields): string[] {
  if (!Array.isArray(chunk.choices)) return ['chunk without a list of choices'];
  const [choice] = chunk.choices;
  if (choice === undefined) return [];
  const { delta } = recordOf(choice);
  if (!isRecord(delta)) return ['choice without a delta'];
  const { tool_calls: calls = [] } = delta;
  return calls === null || (Array.isArray(calls) && calls.every(isRecord)) ? [] : ['delta without a list of calls'];
}

/** The meaning of one event: a chunk may carry several at once. */
function kindsOf(data: string): StreamEvent[] {
  if (data === '[DONE]') return [{ kind: 'done' }];
  const chunk = jsonOf(data);
  if (!isRecord(chunk)) return [{ kind: 'data that is no JSON to be read' }];
  const kinds = malformed(chunk);
  if (Array.isArray(chunk.choices) && chunk.choices.length === 0)
    kinds.push(chunk.usage === null || chunk.usage === undefined ? 'final chunk' : 'final chunk with usage');
  const { role, reasoning, content, calls, finish } = deltaOf(chunk);
  if (role !== undefined) kinds.push('opening');
  if (reasoning) kinds.push('reasoning');
  if (content) kinds.push('content');
  for (const call of calls) kinds.push(question(call.arguments));
  if (finish) kinds.push(`finish ${said(finish)}`);
  const error = errorOf(chunk);
  if (error) {
    kinds.push(
      `error ${said(error.code)} ${said(error.reason ?? 'without a reason')}${error.isRetryable ? ', retryable' : ''}`,
    );
  }
  return kinds.map((kind) => ({ kind, chunk }));
}

/**
 * The events of a stream. Repeats of a kind are joined, except questions, which are one each; comments do not count.
 */
export function eventsOf(text: string): StreamEvent[] {
  const all = dataOf(text).flatMap(kindsOf);
  return all.filter(({ kind }, index) => kind !== all[index - 1]?.kind || kind.startsWith('question'));
}

/** Whether the intern caused an event rather than the service. On a deployment the intern may act otherwise next time. */
export const ofTheIntern = (kind: string): boolean =>
  /^(?:reasoning$|content$|question |error |finish (?:stop|tool_calls|error)$)/.test(kind);

/** Whether a turn ends in a way that the interface does not know. No intern can cause that. */
export const isUnknownEnd = (kind: string): boolean => kind.startsWith('finish ') && !ofTheIntern(kind);

/** The kind of an event without what the intern decided in it. */
export const ofTheService = (kind: string): string => kind.replace(/ with usage$/, '');
