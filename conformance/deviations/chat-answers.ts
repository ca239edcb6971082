import { Refusal } from '../../emulator/contract/errors.js';
import type { RunView } from '../../emulator/contract/run.js';
import { parses, reads } from './change.js';
import { isObject } from './change-lifecycle.js';
import { makes, replies, runners } from './change-runs.js';
import { choiceOf, chunks, finals, texts } from './change-stream.js';
import { defineDeviations } from './deviation.js';

export const CHAT_ANSWERS = defineDeviations([
  {
    name: 'answer-repeats-what-was-said',
    requirement: 'CHAT-6',
    description: 'The stream after an answer begins again with what was said before the question.',
    alters: () => {
      const said = new Map<string, string>();
      return texts(({ sessionId }) => {
        let own = '';
        return (text, stage) => {
          if (stage === 'open') return text + (said.get(sessionId) ?? '');
          if (stage === 'event' && !text.includes('"finish_reason":"')) own += text;
          if (stage === 'event' && text.includes('"tool_calls":[')) said.set(sessionId, own);
          return text;
        };
      });
    },
    caughtBy: ['chat-answers/any-turn', 'chat-answers/goes-on-live', 'chat/tool-call-pauses-and-continues'],
  },
  {
    name: 'answer-loses-the-next-word',
    requirement: 'CHAT-6',
    description: 'The first content after an answer is lost.',
    alters: () => {
      const asked = new Set<string>();
      return chunks(({ sessionId }) => {
        let lost = !asked.has(sessionId);
        return (chunk) => {
          const delta = choiceOf(chunk)?.delta;
          if (delta?.tool_calls) asked.add(sessionId);
          if (!lost && delta?.content) {
            lost = true;
            return undefined;
          }
          return chunk;
        };
      });
    },
    caughtBy: ['chat-answers/any-turn', 'chat-answers/to-the-run-that-asked', 'chat-answers/every-option'],
  },
  {
    name: 'answer-in-a-session-of-its-own',
    requirement: 'CHAT-6',
    description: 'The stream after an answer tells another session_id.',
    alters: () => {
      const asked = new Set<unknown>();
      return finals((chunk, finish) => {
        const again = asked.has(chunk.session_id);
        if (finish === 'tool_calls') asked.add(chunk.session_id);
        return again ? { ...chunk, session_id: `${String(chunk.session_id)}-2` } : chunk;
      });
    },
    caughtBy: [
      'chat-answers/any-turn',
      'chat-answers/goes-on-live',
      'chat-answers/to-the-run-that-asked',
      'chat/tool-call-pauses-and-continues',
    ],
  },
  {
    name: 'answer-always-once',
    requirement: 'CHAT-6',
    description: 'allow_always reaches the run as allow_once.',
    alters: replies((usual, request) =>
      usual({ ...request, content: request.content === 'allow_always' ? 'allow_once' : request.content }),
    ),
    caughtBy: ['chat-answers/every-option'],
  },
  {
    name: 'answer-cancel-ends-the-run',
    requirement: 'CHAT-6',
    description: 'The answer cancel ends the run.',
    alters: runners((runner) => ({
      ...runner,
      answer(run, answer) {
        const rested = runner.answer(run, answer);
        if (answer === 'cancel') runner.end(run, { ended: 'cancelled' });
        return rested;
      },
    })),
    caughtBy: ['chat-answers/runs-go-on', 'chat-answers/every-option'],
  },
  {
    name: 'answer-cancel-is-no-answer',
    requirement: 'CHAT-6',
    description: 'cancel is refused as an answer to a permission.',
    alters: makes(
      'readAnswer',
      (usual) => (ask, content) =>
        ask.kind === 'permission' && content === 'cancel' ? { problem: 'expected an option' } : usual(ask, content),
    ),
    caughtBy: ['chat-answers/every-option'],
  },
  {
    name: 'answer-as-text',
    requirement: 'CHAT-6',
    description: 'Values of a question reach the run as text.',
    alters: runners((runner) => ({
      ...runner,
      answer: (run, answer) =>
        runner.answer(
          run,
          typeof answer === 'object' && answer.content
            ? {
                ...answer,
                content: Object.fromEntries(Object.entries(answer.content).map(([key, value]) => [key, String(value)])),
              }
            : answer,
        ),
    })),
    caughtBy: ['chat-answers/question-content'],
  },
  {
    name: 'answer-without-its-content',
    requirement: 'CHAT-6',
    description: 'Of an accepted question only the first value reaches the run.',
    alters: runners((runner) => ({
      ...runner,
      answer: (run, answer) =>
        runner.answer(
          run,
          typeof answer === 'object' && answer.content
            ? { ...answer, content: Object.fromEntries(Object.entries(answer.content).slice(0, 1)) }
            : answer,
        ),
    })),
    caughtBy: ['chat-answers/question-content'],
  },
  {
    name: 'answer-decline-is-cancel',
    requirement: 'CHAT-6',
    description: 'decline reaches the run as cancel.',
    alters: runners((runner) => ({
      ...runner,
      answer: (run, answer) =>
        runner.answer(
          run,
          typeof answer === 'object' && answer.action === 'decline' ? { ...answer, action: 'cancel' } : answer,
        ),
    })),
    caughtBy: ['chat-answers/question-actions'],
  },
  {
    name: 'answer-needs-its-echo',
    requirement: 'CHAT-6',
    description: 'A reply without the echo of the call is refused.',
    alters: parses('chat', (parse, parts) => {
      const value = parts.json();
      if (isObject(value) && Array.isArray(value.messages)) {
        const last = value.messages.at(-1) as { role?: unknown; tool_call_id?: unknown } | undefined;
        const echo = value.messages.at(-2) as { tool_calls?: { id?: unknown }[] } | undefined;
        if (last?.role === 'tool' && !echo?.tool_calls?.some((call) => call.id === last.tool_call_id))
          throw new Refusal('bad_request');
      }
      return parse(parts);
    }),
    caughtBy: ['chat-answers/echo-not-checked'],
  },
  {
    name: 'answer-to-the-newest-run',
    requirement: 'CHAT-6',
    description: 'An answer goes to the run of the intern that asked last.',
    alters: replies((usual, request, runs) => {
      const last = runs.list(request.intern.id).find((run) => run.status === 'waiting');
      return usual(
        last?.question ? { ...request, sessionId: last.session_id, interactionId: last.question.id } : request,
      );
    }),
    caughtBy: ['chat-answers/to-the-run-that-asked', 'chat-answers/not-to-others', 'chat-refusals/unknown-call'],
  },
  {
    name: 'answer-to-any-session',
    requirement: 'CHAT-6',
    description: 'A question is found by its call alone, whatever the session.',
    alters: replies((usual, request, runs) => {
      const asking = runs.list(request.intern.id).find((run) => run.question?.id === request.interactionId);
      return usual(asking ? { ...request, sessionId: asking.session_id } : request);
    }),
    caughtBy: ['chat-answers/not-to-others', 'chat-refusals/unknown-call'],
  },
  {
    name: 'answer-taken-by-any-intern',
    requirement: 'CHAT-6',
    description: 'An answer that is sent to another intern is delivered all the same.',
    alters: replies((usual, request, runs) => {
      const asking = runs.list().find((run) => run.question?.id === request.interactionId);
      return usual(asking ? { ...request, intern: { ...request.intern, id: asking.intern_id } } : request);
    }),
    caughtBy: ['chat-answers/not-to-others-live', 'chat-answers/not-to-others', 'chat-refusals/unknown-call'],
  },
  {
    name: 'answer-that-will-not-do-is-cancel',
    requirement: 'CHAT-7',
    description: 'An answer that is no option is taken for cancel.',
    alters: makes('readAnswer', (usual) => (ask, content) => {
      const read = usual(ask, content);
      return 'problem' in read && ask.kind === 'permission' ? { answer: 'cancel' } : read;
    }),
    caughtBy: [
      'chat-unacceptable/unacceptable-option',
      'chat-unacceptable/option-not-offered',
      'chat-unacceptable/unacceptable-stays',
      'chat-deadlines/not-extended',
    ],
  },
  {
    name: 'answer-that-will-not-do-is-422',
    requirement: 'CHAT-7',
    description: 'An answer that is no option is 422.',
    alters: {
      pipeline: (serve) => async (request, resource, framed) => {
        const answer = await serve(request, resource, framed);
        return answer.status === 400 && String(answer.body).includes('Unacceptable answer')
          ? { ...answer, status: 422, body: String(answer.body).replace('"code":400', '"code":422') }
          : answer;
      },
    },
    caughtBy: [
      'chat-unacceptable/unacceptable-option',
      'chat-unacceptable/unacceptable-content',
      'chat-unacceptable/field-types',
      'chat-unacceptable/unacceptable-stays',
    ],
  },
  {
    name: 'answer-that-will-not-do-ends-the-run',
    requirement: 'CHAT-7',
    description: 'After an unacceptable answer the question is closed.',
    alters: {
      runs: (usual) => ({
        ...usual,
        async reply(request) {
          try {
            return await usual.reply(request);
          } catch (error) {
            if (error instanceof Refusal && error.key === 'bad_request') usual.endAll(request.intern.id, 'reset');
            throw error;
          }
        },
      }),
    },
    caughtBy: [
      'chat-unacceptable/unacceptable-option',
      'chat-unacceptable/option-not-offered',
      'chat-unacceptable/unacceptable-content',
      'chat-unacceptable/unacceptable-stays',
    ],
  },
  {
    name: 'answer-of-the-four-is-enough',
    requirement: 'CHAT-6',
    description: 'Any of the four options is taken, offered or not.',
    alters: makes(
      'readAnswer',
      (usual) => (ask, content) =>
        ask.kind === 'permission'
          ? usual({ ...ask, options: ['allow_once', 'allow_always', 'reject_once', 'reject_always'] }, content)
          : usual(ask, content),
    ),
    caughtBy: ['chat-unacceptable/option-not-offered'],
  },
  {
    name: 'answer-content-not-looked-at',
    requirement: 'CHAT-6',
    description: 'Whatever JSON answers a question is taken.',
    alters: makes('readAnswer', (usual) => (ask, content) => {
      const read = usual(ask, content);
      if (!('problem' in read) || ask.kind === 'permission') return read;
      try {
        const value: unknown = JSON.parse(content);
        return { answer: isObject(value) && 'action' in value ? (value as never) : { action: 'cancel' } };
      } catch {
        return read;
      }
    }),
    caughtBy: ['chat-unacceptable/unacceptable-content', 'chat-unacceptable/field-types'],
  },
  {
    name: 'answer-types-not-looked-at',
    requirement: 'CHAT-6',
    description: 'Fields take values of any type.',
    alters: makes(
      'readAnswer',
      (usual) => (ask, content) =>
        usual(
          ask.kind === 'elicitation' ? { ...ask, fields: ask.fields.map(({ type: _, ...field }) => field) } : ask,
          content,
        ),
    ),
    caughtBy: ['chat-unacceptable/field-types'],
  },
  {
    name: 'answer-inherited',
    requirement: 'CHAT-6',
    description: 'A field named like an inherited property counts as answered.',
    alters: makes('readAnswer', (usual) => (ask, content) => {
      if (ask.kind !== 'elicitation') return usual(ask, content);
      return usual({ ...ask, fields: ask.fields.filter((field) => !(field.name in {})) }, content);
    }),
    caughtBy: ['chat-unacceptable/inherited-names'],
  },
  {
    name: 'answer-options-not-looked-at',
    requirement: 'CHAT-6',
    description: 'Fields take values that are not among their options.',
    alters: makes(
      'readAnswer',
      (usual) => (ask, content) =>
        usual(
          ask.kind === 'elicitation' ? { ...ask, fields: ask.fields.map(({ options: _, ...field }) => field) } : ask,
          content,
        ),
    ),
    caughtBy: ['chat-unacceptable/field-types', 'chat-unacceptable/unacceptable-content'],
  },
  {
    name: 'answer-needs-every-field',
    requirement: 'CHAT-6',
    description: 'Every field has to be answered, required or not.',
    alters: makes(
      'readAnswer',
      (usual) => (ask, content) =>
        usual(
          ask.kind === 'elicitation'
            ? { ...ask, fields: ask.fields.map((field) => ({ ...field, required: true })) }
            : ask,
          content,
        ),
    ),
    caughtBy: ['chat-unacceptable/field-types', 'chat-answers/question-content'],
  },
  {
    name: 'answer-needs-no-field',
    requirement: 'CHAT-6',
    description: 'A required field may be left out.',
    alters: makes(
      'readAnswer',
      (usual) => (ask, content) =>
        usual(
          ask.kind === 'elicitation'
            ? { ...ask, fields: ask.fields.map((field) => ({ ...field, required: false })) }
            : ask,
          content,
        ),
    ),
    caughtBy: ['chat-unacceptable/field-types', 'chat-unacceptable/unacceptable-content'],
  },
  {
    name: 'answer-finds-its-session',
    requirement: 'CHAT-15',
    description: 'A tool message without session_id is taken by its call.',
    alters: () => {
      let list: () => RunView[] = () => [];
      return {
        runs(usual) {
          list = () => usual.list();
          return usual;
        },
        ...reads('chat', (value) => {
          if (!isObject(value) || value.session_id !== undefined || !Array.isArray(value.messages)) return value;
          const last = value.messages.at(-1) as { role?: unknown; tool_call_id?: unknown } | undefined;
          if (last?.role !== 'tool') return value;
          const asking = list().find((run) => run.question?.id === last.tool_call_id);
          return { ...value, session_id: asking?.session_id ?? 'none' };
        }),
      };
    },
    caughtBy: ['chat-unacceptable/without-session', 'chat-refusals/session-before-call', 'chat-deadlines/not-extended'],
  },
]);
