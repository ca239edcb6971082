import { bodyText, type RecordedExchange } from '../../emulator/recording/format.js';
import { piecesOf } from '../../emulator/recording/template.js';
import type { Script } from '../drivers/control.js';
import type { RecordFields } from '../model/intern.js';
import { isRecord, jsonOf, recordOf } from '../probe/json.js';
import { createSseParser } from '../probe/sse.js';
import { aliasOf } from './compare.js';
import { deltaOf, errorOf, listOf, textOf } from './events.js';
import { type DriftSchedule, endsRuns, internAliasOf } from './schedule.js';

type Step = Record<string, unknown>;

/** A body as JSON; other bodies as text. */
export function parsedBody(body: RecordedExchange['body']): unknown {
  const text = bodyText(body) ?? '';
  return jsonOf(text) ?? (text === '' ? undefined : text);
}

export const streamText = (exchange: RecordedExchange): string =>
  (exchange.writes ?? []).map((write) => ('text' in write ? write.text : '')).join('');

/** A chunk of a recorded stream, and when it was said: ms since the request, 0 where that does not matter. */
interface Said {
  readonly chunk: RecordFields;
  readonly at: number;
}

/** @param times of the stream's writes */
function chunksOf({ writes = [] }: RecordedExchange, times: readonly number[]): Said[] {
  const parser = createSseParser();
  return writes.flatMap((write, index) => {
    const items = parser.push(Buffer.from('text' in write ? write.text : ''), times[index] ?? 0);
    return items.flatMap((item): Said[] => {
      const chunk = item.kind === 'event' ? jsonOf(item.data) : undefined;
      return isRecord(chunk) ? [{ chunk, at: item.at }] : [];
    });
  });
}

/** The text, with the names of aliases for their values: wording does not count. */
const plain = (recorded: string) =>
  piecesOf(recorded)
    .map((piece) => ('text' in piece ? piece.text : piece.alias))
    .join('');

/** The last message of a recorded chat request: the one that counts. */
export function lastMessage(exchange: RecordedExchange): { readonly role: string; readonly answers: string } {
  const { messages } = recordOf(jsonOf(bodyText(exchange.request.body) ?? ''));
  const { role, tool_call_id } = recordOf(listOf(messages).at(-1));
  return { role: textOf(role), answers: textOf(tool_call_id) };
}

const QUESTION_FIELDS = ['name', 'type', 'required', 'options', 'label'];

/** The question of a recorded tool call, in the words of a script. */
function askOf(call: string): Step | undefined {
  const { kind, operation, options, message, fields } = recordOf(jsonOf(plain(call)));
  if (kind === 'permission') return { kind, operation, options };
  if (kind !== 'elicitation') return undefined;
  const known = (field: unknown) =>
    Object.fromEntries(Object.entries(recordOf(field)).filter(([name]) => QUESTION_FIELDS.includes(name)));
  return { kind, message, fields: listOf(fields).map(known) };
}

const USAGE = ['prompt_tokens', 'completion_tokens', 'total_tokens', 'prompt_tokens_details', 'cost'];

function usageOf(usage: unknown): Step[] {
  if (!isRecord(usage)) return [];
  const reported = Object.entries(usage).filter(([name, value]) => USAGE.includes(name) && value !== null);
  return [{ usage: Object.fromEntries(reported) }];
}

/** How a recorded stream's run ended, as the last step of a script. */
function endOf(exchange: RecordedExchange, chunks: readonly RecordFields[], endedFromOutside: boolean): Step[] {
  if (exchange.ended === 'client') return [{ end: 'never' }];
  const [error] = chunks.flatMap((chunk) => errorOf(chunk) ?? []);
  if (!error) return exchange.ended === 'broken' ? [{ end: 'severed' }] : [{ end: 'stop' }];
  const { reason, isRetryable } = error;
  if (reason === 'run_ended') return [{ end: endedFromOutside ? 'never' : 'cancelled' }];
  if (reason === 'stream_severed') return [{ end: 'severed' }];
  return [{ end: 'failed', retryable: isRetryable }];
}

/** The exchanges around one in a recording, as far as they decide what its script does. */
export interface Relations {
  /** The streamed answer to the question with this alias, if one was given and taken. */
  answerTo(question: string): RecordedExchange | undefined;
  /** Whether a suspend or a delete of the intern came while this exchange was open. */
  endedFromOutside(exchange: RecordedExchange): boolean;
  /** For a stream that other requests came during: when it said what, ms since its request, for each of its writes. */
  saidAt(exchange: RecordedExchange): readonly number[] | undefined;
  /** Whether a prompt was later steered into the session of this invoke. */
  steeredLater(exchange: RecordedExchange): boolean;
}

function stepsOf(exchange: RecordedExchange, relations: Relations): Step[] {
  const times = relations.saidAt(exchange) ?? [];
  const said = chunksOf(exchange, times);
  const chunks = said.map(({ chunk }) => chunk);
  const steps: Step[] = [];
  let now = 0;
  const waitUntil = (at: number) => {
    if (at > now) steps.push({ wait: at - now });
    now = Math.max(now, at);
  };
  for (const { chunk, at } of said) {
    if (errorOf(chunk)) continue;
    const { content, reasoning, calls } = deltaOf(chunk);
    if (reasoning || content || calls.length > 0) waitUntil(at);
    if (reasoning) steps.push({ reason: plain(reasoning) });
    if (content) steps.push({ say: plain(content) });
    for (const call of calls) {
      const ask = askOf(call.arguments);
      if (!ask) continue;
      const answer = relations.answerTo(call.id);
      return [...steps, { ask }, ...(answer ? stepsOf(answer, relations) : [{ end: 'never' }])];
    }
  }
  waitUntil(times.at(-1) ?? 0);
  return [...steps, ...usageOf(chunks.at(-1)?.usage), ...endOf(exchange, chunks, relations.endedFromOutside(exchange))];
}

/**
 * The script that makes an emulator's intern do what a recorded one did, for an exchange that started a run; undefined
 * for any other.
 */
export function scriptOf(exchange: RecordedExchange, relations: Relations): Script | undefined {
  const { operation, status } = exchange;
  if (operation === 'invoke' && status === 202) {
    return { turn: [{ say: 'At work. ' }, { end: relations.steeredLater(exchange) ? 'never' : 'stop' }] };
  }
  if (operation !== 'chat' || lastMessage(exchange).role !== 'user') return undefined;
  if (status === 200 && exchange.writes) {
    const steps = stepsOf(exchange, relations);
    // The stream had opened: without anything before its end, the prompt itself would be refused.
    return { turn: 'end' in (steps[0] ?? {}) ? [{ wait: 1 }, ...steps] : steps };
  }
  if (status !== 502) return undefined;
  const { reason, isRetryable } = errorOf(jsonOf(bodyText(exchange.body) ?? '')) ?? {};
  if (reason === 'intern_unreachable') return { turn: [{ end: 'severed' }] };
  return reason === 'turn_failed' ? { turn: [{ end: 'failed', retryable: isRetryable }] } : undefined;
}

/** The relations between the exchanges of a scenario. */
export function relationsOf(all: readonly RecordedExchange[], { endOf, saidAt }: DriftSchedule): Relations {
  const sessionOf = (exchange: RecordedExchange) => aliasOf(recordOf(parsedBody(exchange.body)).session_id);
  return {
    saidAt,
    answerTo: (question) =>
      all.find((one) => question !== '' && one.status === 200 && one.writes && lastMessage(one).answers === question),
    endedFromOutside: (exchange) =>
      all.some(
        (one) =>
          endsRuns(one) &&
          internAliasOf(one) === internAliasOf(exchange) &&
          one.n > exchange.n &&
          one.at < endOf(exchange),
      ),
    steeredLater(exchange) {
      const session = sessionOf(exchange);
      return all.some(
        (one) =>
          one.n > exchange.n &&
          one.status === 202 &&
          sessionOf(one) === session &&
          /"status":"steered"/.test(JSON.stringify(one.body ?? '')),
      );
    },
  };
}
