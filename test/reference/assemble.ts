import type { AnsweredChat } from '../../conformance/clients/protocol.js';
import type { ParsedEvent } from './event-stream.js';
import type { Has } from './flaws.js';

/** An error that a client shows its caller, with its status. */
export class CallError extends Error {
  override readonly name = 'CallError';
  constructor(
    message: string,
    readonly status?: number,
    /** As the stream gave it, where that is no number. */
    readonly code?: string,
  ) {
    super(message);
  }
}

interface Call {
  index: number;
  id: string | null;
  name: string;
  arguments: string;
  closed: boolean;
}

type Json = Record<string, unknown>;
const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

const KNOWN = new Set([
  'id',
  'object',
  'created',
  'model',
  'choices',
  'usage',
  'error',
  'session_id',
  'system_fingerprint',
]);

/** Joins the chunks of a chat as they come; the reference client's other half. */
export function createAssembly(has: Has) {
  let content = '';
  let reasoning = '';
  let finish: string | null = null;
  let usage: Record<string, unknown> | null = null;
  let session: string | undefined;
  let done = false;
  const calls: Call[] = [];
  const positionOf = new Map<number, Call>();
  let last: Call | undefined;
  let newer = false;

  const idOf = (delta: Json): string | undefined =>
    typeof delta.id === 'string' && delta.id !== '' && (delta.id !== 'null' || has('nullIdIsId'))
      ? delta.id
      : undefined;

  const callFor = (delta: Json): Call => {
    const id = idOf(delta);
    const named = isRecord(delta.function) && typeof delta.function.name === 'string' && delta.function.name !== '';
    const open = (index: number) => {
      const call = { index, id: null, name: '', arguments: '', closed: false };
      calls.push(call);
      positionOf.set(index, call);
      return call;
    };
    if (has('lastCallOnly') && last !== undefined && id === undefined) return last;
    if (has('idOpens') && id !== undefined) return open(typeof delta.index === 'number' ? delta.index : calls.length);
    const spelt =
      typeof delta.index === 'string' && !has('indexTextLost') ? Number.parseInt(delta.index, 10) : Number.NaN;
    const given = typeof delta.index === 'number' ? delta.index : Number.isNaN(spelt) ? undefined : spelt;
    if (given !== undefined || has('indexNeeded')) {
      const index = given ?? 0;
      const known = has('indexIsPosition') ? calls[index] : positionOf.get(index);
      const differs =
        known !== undefined && id !== undefined && known.id !== null && known.id !== id && !has('idMerges');
      const renamed = named && known !== undefined && known.name !== '' && known.name !== nameOf(delta);
      const second = differs && (has('idAloneOpens') || renamed || parses(known.arguments));
      return known === undefined || second ? open(index) : known;
    }
    const same = id === undefined ? undefined : calls.find((call) => call.id === id);
    if (same !== undefined) return same;
    if (last === undefined || id !== undefined || (named && last.name !== '')) return open(calls.length);
    return last;
  };

  const nameOf = (delta: Json): unknown => (isRecord(delta.function) ? delta.function.name : undefined);

  const takeCall = (delta: Json) => {
    if (finish !== null && has('closedAtFinish')) return;
    const given = isRecord(delta.function) ? delta.function : {};
    if (has('nameFirst') && !given.name && typeof delta.id === 'string' && !calls.some((call) => call.id === delta.id))
      return;
    const call = callFor(delta);
    last = call;
    if (call.closed) return;
    if (has('idOverwritten') && 'id' in delta) call.id = typeof delta.id === 'string' ? delta.id : null;
    else call.id = has('lastIdWins') ? (idOf(delta) ?? call.id) : (call.id ?? idOf(delta) ?? null);
    if (has('nameOverwritten') && 'name' in given) call.name = typeof given.name === 'string' ? given.name : '';
    else if (typeof given.name === 'string' && given.name !== '')
      call.name = has('nameAppended') ? call.name + given.name : given.name;
    else if (has('nameAppended') && 'name' in given) call.name += String(given.name);
    if (typeof given.arguments === 'string') call.arguments += given.arguments;
    else if (isRecord(given.arguments) && !has('objectArgumentsLost'))
      call.arguments += has('objectAsText') ? String(given.arguments) : JSON.stringify(given.arguments);
    else if (has('nullArguments') && 'arguments' in given) call.arguments += String(given.arguments);
    if (has('parsesEarly') && parses(call.arguments)) call.closed = true;
  };

  const drop = () => {
    calls.length = 0;
    positionOf.clear();
    last = undefined;
  };

  const takeDelta = (delta: Json) => {
    const textOf = (name: string): string => {
      const value = delta[name];
      if (typeof value !== 'string') return has('nullText') && name in delta ? String(value) : '';
      return has('surrogatesApart') ? new TextDecoder().decode(new TextEncoder().encode(value)) : value;
    };
    content += textOf('content');
    if (has('reasoningIsText')) content += textOf('reasoning');
    else reasoning += textOf('reasoning');
    const older = delta.function_call;
    if (isRecord(older) && !newer && !has('functionCallLost')) {
      if (last === undefined) takeCall({ index: 0, function: older });
      else takeCall({ index: last.index, function: older });
    }
    if (Array.isArray(delta.tool_calls) && delta.tool_calls.length > 0) {
      // The part in the older form is of the same call.
      if (!newer && calls.length > 0 && !has('bothForms')) drop();
      newer = !has('bothForms');
      const deltas = delta.tool_calls.filter(isRecord);
      for (const one of has('firstDelta') ? deltas.slice(0, 1) : deltas) takeCall(one);
    }
  };

  /** A message in place of a delta: whole calls, some of which may be known. */
  const takeMessage = (message: Json) => {
    const given = Array.isArray(message.tool_calls) ? message.tool_calls.filter(isRecord) : [];
    const fresh = given.filter((call) => has('messageAgain') || !calls.some(({ id }) => id !== null && id === call.id));
    if (has('messageAgain')) for (const call of fresh) call.index = calls.length;
    takeDelta({ ...message, tool_calls: fresh });
  };

  const fail = (error: unknown): never => {
    const code = isRecord(error) && Number.isInteger(error.code) ? Number(error.code) : undefined;
    const word = has('wordIsStatus') && isRecord(error) && typeof error.code === 'string' ? 500 : undefined;
    const text = isRecord(error) && typeof error.code === 'string' && !has('errorTextLost') ? error.code : undefined;
    throw new CallError(
      isRecord(error) ? String(error.message) : 'the stream failed',
      has('errorCodeLost') ? undefined : (code ?? word),
      text,
    );
  };

  const takeChunk = (chunk: Json) => {
    if (chunk.error !== undefined && chunk.error !== null && !has('errorChunkIgnored')) fail(chunk.error);
    if (has('strictFields'))
      for (const name of Object.keys(chunk)) if (!KNOWN.has(name)) throw new Error(`unknown field ${name}`);
    if (has('choicesNeeded') && !Array.isArray(chunk.choices)) throw new TypeError('choices is not iterable');
    const choices = Array.isArray(chunk.choices) ? chunk.choices.filter(isRecord) : [];
    if (has('firstChoice') && choices.length === 0) throw new TypeError('choices[0] is undefined');
    if (
      isRecord(chunk.usage) &&
      !(has('usageNeedsChoices') && choices.length === 0) &&
      !(has('firstUsage') && usage !== null)
    )
      usage = chunk.usage;
    if (typeof chunk.session_id === 'string') session = has('sessionLost') ? 'another' : chunk.session_id;
    for (const choice of choices) {
      if ((choice.index ?? 0) !== 0 && !has('choicesMixed')) continue;
      if (choice.delta === null && has('deltaNeeded')) throw new TypeError('delta is null');
      const ends = typeof choice.finish_reason === 'string';
      const missing = !isRecord(choice.delta) || Object.keys(choice.delta).length === 0;
      if (missing && isRecord(choice.message) && !has('messageIgnored')) takeMessage(choice.message);
      else if (isRecord(choice.delta) && !(ends && has('finishCarriesNothing'))) takeDelta(choice.delta);
      if (ends && finish !== null && has('toldPerFinish')) calls.push(...calls.map((call) => ({ ...call })));
      if (ends) finish = String(choice.finish_reason);
      else if (has('lastFinish') && 'finish_reason' in choice) finish = null;
    }
    if (has('stopAtFinish') && finish !== null) done = true;
  };

  const callsOf = (whole: boolean): Call[] => {
    if (has('toldUnfinished') || (whole && has('anyEnd'))) return calls;
    if (finish === null || finish === 'error') return has('parsesEarly') ? calls.filter((call) => call.closed) : [];
    if (has('stopDropsCalls') && finish !== 'tool_calls') return [];
    const named = calls.filter((call) => call.name !== '' || has('nameNotNeeded'));
    return named.filter((call) => finish !== 'length' || has('lengthTold') || parses(call.arguments));
  };

  const rewritten = (text: string): string => {
    if (text === '' && has('emptyArgumentsFail')) throw new SyntaxError('Unexpected end of JSON input');
    if (!has('argumentsParsed') || !parses(text)) return text;
    return JSON.stringify(JSON.parse(text));
  };

  return {
    /** Whether nothing more is read. */
    get done() {
      return done && !has('readAfterDone');
    },
    get finished() {
      return finish !== null;
    },
    take(event: ParsedEvent) {
      if (event.data === '' && !has('emptyDataParsed')) return;
      if (event.event === 'error' && !has('errorEventIgnored')) {
        let value: unknown;
        try {
          value = JSON.parse(event.data);
        } catch {}
        fail(isRecord(value) && isRecord(value.error) ? value.error : value);
      }
      if (event.event !== 'message' && !has('everyEventIsChunk')) return;
      if ((event.data === '[DONE]' && !has('doneIsJson')) || (has('doneAnywhere') && event.data.includes('[DONE]'))) {
        done = true;
        return;
      }
      let value: unknown;
      try {
        value = JSON.parse(event.data);
      } catch (error) {
        if (has('skipBadJson')) return;
        throw error;
      }
      if (!isRecord(value)) {
        if (has('skipNonObjects')) return;
        throw new CallError('a chunk is no object');
      }
      takeChunk(value);
    },
    /** The stream has ended cleanly: is that a whole answer? Throws if not. */
    end() {
      if (has('anyEnd')) return;
      if (has('finishRequired') && finish === null) throw new CallError('no finish reason', 500);
      if (has('doneRequired') && !done) throw new CallError('no [DONE]');
      if (has('usageRequired') && usage === null) throw new CallError('no usage');
      if (has('knownFinish') && finish !== null && finish !== 'stop' && finish !== 'tool_calls')
        throw new CallError(`finish reason ${finish}`);
      if (finish === null && (!done || calls.length > 0)) throw new CallError('the stream ended before the answer did');
      if (finish === 'error' && !has('errorFinishOk')) throw new CallError('the run failed');
      if (!has('nameNotNeeded') && calls.some((call) => call.name === '')) throw new CallError('a call has no name');
    },
    /** The content until now; of calls, those that are finished. */
    chat(whole: boolean): AnsweredChat {
      let list = [...callsOf(whole)];
      if (!has('callsByArrival')) list.sort((a, b) => a.index - b.index);
      if (has('echoOfPauseLost')) list = list.filter((call) => !call.name.endsWith('provide_input'));
      const answered = list.map((call) => ({
        id: call.id === '' ? null : call.id,
        name: call.name === '' ? null : call.name,
        arguments: rewritten(call.arguments),
      }));
      if (has('callInvented') && finish === 'tool_calls' && answered.length === 0)
        answered.push({ id: 'call_0', name: 'unknown', arguments: '{}' });
      if (has('idRequired')) for (const call of answered) call.id ??= 'none';
      return {
        content,
        ...(reasoning === '' ? {} : { reasoning }),
        tool_calls: answered,
        finish_reason: finish,
        usage,
        ...(session === undefined ? {} : { session_id: session }),
      };
    },
  };
}
