import type { Transcript } from '../probe/chunks.js';
import { isRecord, jsonOf } from '../probe/json.js';
import { isAnswer } from '../probe/request.js';
import { type Asked, bodyOf, type Exchange } from './exchange.js';
import type { RecordFields, Who } from './intern.js';
import { hashed, joined, MOST, type ModelOptions, Recent, type ShownValue } from './options.js';

/** A session: its intern, its beginning, and the person who began it. */
type SessionFacts = ShownValue<{
  readonly id: string;
  readonly intern: string;
  readonly origin: 'chat' | 'invoke';
  readonly person: string | undefined;
  /** When its first answer ended. */
  readonly at: number;
  /** When its latest prompt was answered. */
  last: number;
  /** The usage that its latest run reported. */
  usage: ShownValue<RecordFields> | undefined;
}>;

export type AskedQuestion = ShownValue<{
  readonly intern: string;
  readonly session: string | undefined;
  /** When its stream ended, and how far the clock was moved by then. */
  readonly at: number;
  readonly moved: number;
  readonly asks: RecordFields | undefined;
  /** The options of a permission. */
  readonly options: readonly string[] | undefined;
  /** Answers in its session that are under way. */
  readonly replies: Set<number>;
  /** The number of an accepted answer. */
  answered?: number;
  /** Its run has ended. */
  over?: boolean;
}>;

/** The question in the arguments of a tool call. */
export function questionIn(text: string): RecordFields | undefined {
  const asks = jsonOf(text);
  return isRecord(asks) ? asks : undefined;
}

/** The prompt and the reply of a turn. */
function turnOf(asked: Asked, { content }: Transcript): string | undefined {
  const body = bodyOf(asked);
  const last: unknown = Array.isArray(body?.messages) ? body.messages.at(-1) : undefined;
  return isRecord(last) && last.role === 'user' ? hashed(joined(JSON.stringify(last.content), content)) : undefined;
}

/** Sessions, and the questions that were asked in them. */
export function createSessions({ personOf }: Pick<Who, 'personOf'>, { moved }: Pick<ModelOptions, 'moved'>) {
  const sessions = new Recent<string, SessionFacts>(MOST);
  const questions = new Recent<string, AskedQuestion>(MOST);
  /** The latest question of each session. */
  const asking = new Recent<string, AskedQuestion['value']>(MOST);
  /** Usage of runs that began their session, by what was said in them. */
  const alone = new Recent<string, ShownValue<RecordFields>>(MOST);

  /** The latest question in the session of an answer. */
  const askedBefore = (asked: Asked, intern: string) => {
    const body = bodyOf(asked);
    return isAnswer(body) ? asking.get(joined(intern, String(body?.session_id))) : undefined;
  };
  return {
    session: (intern: string, id: string): SessionFacts | undefined => sessions.get(joined(intern, id)),
    /** Questions by their tool calls. */
    questions: questions as ReadonlyMap<string, AskedQuestion>,
    /** The usage of a run with the same words, alone in its session. */
    usageAlone: (asked: Asked, stream: Transcript): ShownValue<RecordFields> | undefined =>
      alone.get(turnOf(asked, stream) ?? ''),
    /** The sessions of an intern. */
    of: (intern: string) => [...sessions.values()].flatMap(({ value }) => (value.intern === intern ? [value] : [])),
    /** The calls of an intern that asked something. */
    calls: (intern: string) =>
      [...questions].flatMap(([call, { value }]) =>
        value.intern === intern ? [{ call, session: value.session }] : [],
      ),

    /** Notes that a prompt is sent, and that its answer ends. */
    asks: (asked: Asked, intern: string) => void askedBefore(asked, intern)?.replies.add(asked.number),
    ends: (asked: Asked, intern: string) => void askedBefore(asked, intern)?.replies.delete(asked.number),
    /** A prompt was taken in a session. */
    spoke({ asked, answered }: Exchange, intern: string, origin: 'chat' | 'invoke', id: unknown) {
      if (typeof id !== 'string' || answered === undefined) return;
      const { at, stream } = answered;
      const { number } = asked;
      const key = joined(intern, id);
      const known = sessions.get(key);
      const usage = stream?.final?.usage;
      const reported = isRecord(usage) ? { value: usage, number } : undefined;
      if (known !== undefined) {
        known.value.last = Math.max(known.value.last, at);
        known.value.usage = reported ?? known.value.usage;
      } else {
        const person = personOf(asked);
        sessions.set(key, { value: { id, intern, origin, person, at, last: at, usage: reported }, number });
      }
      if (reported === undefined || stream === undefined) return;
      const said = turnOf(asked, stream);
      if (known === undefined && said !== undefined && !alone.has(said)) alone.set(said, reported);
    },
    /** A stream asked a question, or said how an answered run ended. */
    heard({ asked, answered }: Exchange, intern: string) {
      const stream = answered?.stream;
      if (answered === undefined || stream === undefined) return;
      const before = askedBefore(asked, intern);
      if (before !== undefined) {
        before.answered ??= asked.number;
        before.over = stream.ended === 'end' && stream.finish !== 'tool_calls';
      }
      const call = stream.finish === 'tool_calls' ? stream.toolCalls[0] : undefined;
      if (call?.id === undefined) return;
      const asks = questionIn(call.arguments);
      const value = {
        intern,
        session: stream.sessionId,
        at: answered.at,
        moved: moved?.() ?? 0,
        asks,
        options: asks?.kind === 'permission' && Array.isArray(asks.options) ? asks.options.map(String) : undefined,
        replies: new Set<number>(),
      };
      questions.set(call.id, { value, number: asked.number });
      asking.set(joined(intern, stream.sessionId), value);
    },
    restart() {
      for (const known of [sessions, questions, asking, alone]) known.clear();
    },
  };
}
