import { Refusal } from '../../emulator/contract/errors.js';
import type { ApprovalMode, RunView } from '../../emulator/contract/run.js';
import { parses, reads } from './change.js';
import { isObject } from './change-lifecycle.js';
import { makes, replies, runners } from './change-runs.js';
import { calls, choiceOf, choices, chunks, finals, texts } from './change-stream.js';
import { defineDeviations, together } from './deviation.js';

interface Input {
  kind: 'prompt' | 'reply';
  sessionId?: string;
  approvalMode?: ApprovalMode;
}

/** Changes what a chat request was understood as. */
const inputs = (change: (input: Input) => Input) => parses('chat', (parse, parts) => change(parse(parts) as Input));

/** Changes what the control interface shows of runs. */
const shown = (change: (run: RunView) => RunView) => ({
  runs: (usual: { list(id?: string): RunView[] }) => ({ ...usual, list: (id?: string) => usual.list(id).map(change) }),
});

export const CHAT_QUESTIONS = defineDeviations([
  {
    name: 'question-by-another-name',
    requirement: 'CHAT-5',
    description: 'The tool call is named `provide_input`.',
    alters: calls((call) => ({ ...call, function: { ...call.function, name: 'provide_input' } })),
    caughtBy: ['chat-questions/one-tool-call', 'model/conversations'],
  },
  {
    name: 'question-called-twice',
    requirement: 'CHAT-5',
    description: 'The tool call comes in two chunks, under two ids.',
    alters: chunks(() => (chunk) => {
      const text = JSON.stringify(chunk);
      return choiceOf(chunk)?.delta.tool_calls
        ? [chunk, JSON.parse(text.replace('"id":"call_', '"id":"again_')) as typeof chunk]
        : chunk;
    }),
    caughtBy: ['chat-questions/one-tool-call', 'chat-questions/question-in-self-drive'],
  },
  {
    name: 'question-ends-with-stop',
    requirement: 'CHAT-5',
    description: 'A response that asks finishes with stop.',
    alters: choices((choice) =>
      choice.finish_reason === 'tool_calls' ? { ...choice, finish_reason: 'stop' } : choice,
    ),
    caughtBy: ['chat-questions/one-tool-call', 'chat/tool-call-pauses-and-continues', 'chat-modes/manual-asks-live'],
  },
  {
    name: 'question-answers-itself',
    requirement: 'CHAT-5',
    description: 'Outside manual a question is answered by its fallback.',
    alters: makes('ownAnswer', (usual) => (run, ask) => {
      if (ask.kind === 'elicitation' && run.approvalMode !== 'manual') return ask.fallback ?? { action: 'decline' };
      return usual(run, ask);
    }),
    caughtBy: ['chat-questions/question-in-self-drive', 'scripts/asks-of-a-question', 'shipped-scripts/shipped-asks'],
  },
  {
    name: 'question-in-pieces',
    requirement: 'CHAT-5',
    description: 'The arguments of the call come in a chunk of their own.',
    alters: chunks(() => (chunk) => {
      const choice = choiceOf(chunk);
      const call = (choice?.delta.tool_calls as { function: { name: string; arguments: string } }[] | undefined)?.[0];
      if (!choice || !call) return chunk;
      const piece = (entry: unknown) => ({ ...chunk, choices: [{ ...choice, delta: { tool_calls: [entry] } }] });
      return [
        piece({ ...call, function: { name: call.function.name, arguments: '' } }),
        piece({ index: 0, function: { arguments: call.function.arguments } }),
      ];
    }),
    caughtBy: ['chat-questions/whole-call'],
  },
  {
    name: 'question-numbered-from-one',
    requirement: 'CHAT-5',
    description: 'The index of the call is 1.',
    alters: calls((call) => ({ ...call, index: 1 })),
    caughtBy: ['chat-questions/whole-call'],
  },
  {
    name: 'question-without-type',
    requirement: 'CHAT-5',
    description: 'The call has no type.',
    alters: calls(({ type: _, ...call }) => call),
    caughtBy: ['chat-questions/whole-call'],
  },
  {
    name: 'question-arguments-as-object',
    requirement: 'CHAT-5',
    description: 'The arguments of the call are an object.',
    alters: calls((call) => ({
      ...call,
      function: { ...call.function, arguments: JSON.parse(call.function.arguments) as unknown },
    })),
    caughtBy: ['chat-questions/whole-call', 'chat-questions/one-tool-call'],
  },
  {
    name: 'permission-without-its-operation',
    requirement: 'CHAT-5',
    description: 'A permission does not tell the operation.',
    alters: calls((call) => {
      const { operation: _, ...rest } = JSON.parse(call.function.arguments) as Record<string, unknown>;
      return { ...call, function: { ...call.function, arguments: JSON.stringify(rest) } };
    }),
    caughtBy: ['chat-questions/permission-arguments'],
  },
  {
    name: 'permission-with-all-options',
    requirement: 'CHAT-5',
    description: 'A permission always offers all four options.',
    alters: calls((call) => {
      const asked = JSON.parse(call.function.arguments) as Record<string, unknown>;
      if (asked.kind !== 'permission') return call;
      const options = ['allow_once', 'allow_always', 'reject_once', 'reject_always'];
      return { ...call, function: { ...call.function, arguments: JSON.stringify({ ...asked, options }) } };
    }),
    caughtBy: ['chat-questions/permission-arguments', 'chat-answers/any-turn'],
  },
  {
    name: 'question-tells-its-fallback',
    requirement: 'CHAT-5',
    description: 'The arguments of a question carry its fallback.',
    alters: {
      encoder: (create) => (options) => {
        const usual = create(options);
        return {
          ...usual,
          event(event) {
            const text = usual.event(event);
            if (event.type !== 'ask' || event.ask.kind !== 'elicitation' || !event.ask.fallback) return text;
            const { kind, message, fields, fallback } = event.ask;
            const was = JSON.stringify(JSON.stringify({ kind, message, fields }));
            return text.replace(was, () => JSON.stringify(JSON.stringify({ kind, message, fields, fallback })));
          },
        };
      },
    },
    caughtBy: ['chat-questions/elicitation-arguments'],
  },
  {
    name: 'question-fields-without-labels',
    requirement: 'CHAT-5',
    description: 'Fields of a question carry name and type only.',
    alters: calls((call) => {
      const asked = JSON.parse(call.function.arguments) as { fields?: { name: string; type?: string }[] };
      if (!asked.fields) return call;
      const fields = asked.fields.map(({ name, type }) => ({ name, type }));
      return { ...call, function: { ...call.function, arguments: JSON.stringify({ ...asked, fields }) } };
    }),
    caughtBy: ['chat-questions/elicitation-arguments'],
  },
  {
    name: 'question-shown-under-another-id',
    requirement: 'EMU-4',
    description: 'The control interface shows questions under ids of its own.',
    alters: shown((run) =>
      run.question ? { ...run, question: { ...run.question, id: `q_${run.id}` } } : run,
    ) as never,
    caughtBy: ['chat-questions/call-id-is-the-interaction'],
  },
  {
    name: 'question-ids-repeat',
    requirement: 'CHAT-5',
    description: 'Questions of an intern are numbered from 1 in every run.',
    alters: makes(
      'runner',
      (create) => (deps) =>
        create({ ...deps, random: { ...deps.random, uuid: () => '00000000-0000-4000-8000-000000000001' } }),
    ),
    caughtBy: ['chat-questions/ids-differ'],
  },
  {
    name: 'question-swallows-what-was-said',
    requirement: 'CHAT-5',
    description: 'What was said before a question is lost.',
    alters: texts(() => {
      let held = '';
      return (text, stage) => {
        if (stage !== 'event') return text;
        if (!text.includes('"finish_reason":"')) {
          held += text;
          return ': \n\n';
        }
        const before = text.includes('"tool_calls":[') ? '' : held;
        held = '';
        return before + text;
      };
    }),
    caughtBy: ['chat-questions/pause-keeps-content', 'chat-answers/any-turn', 'chat-modes/consents-when-omitted'],
  },
  {
    name: 'question-comes-before-what-was-said',
    requirement: 'CHAT-5',
    description: 'The tool call comes before the content that was said before it.',
    alters: texts(() => {
      let held = '';
      return (text, stage) => {
        if (stage !== 'event') return text;
        if (!text.includes('"finish_reason":"')) {
          held += text;
          return ': \n\n';
        }
        const [call = '', finish = ''] = text.split('\n\n');
        const all = finish === '' ? held + text : `${call}\n\n${held}${finish}\n\n`;
        held = '';
        return all;
      };
    }),
    caughtBy: ['chat-questions/pause-keeps-content'],
  },
  {
    name: 'question-ends-the-run',
    requirement: 'CHAT-5',
    description: 'A run that asks is over.',
    alters: makes('reader', (attach) => (run, cancel) => {
      const reader = attach(run, cancel);
      return {
        ...reader,
        finish() {
          if (run.status === 'waiting') cancel(run);
          reader.finish();
        },
      };
    }),
    caughtBy: [
      'chat-questions/pause-keeps-content',
      'chat/tool-call-pauses-and-continues',
      'disconnect/after-done',
      'disconnect/cancel-after-done',
      'disconnect/after-each-done',
      'chat-deadlines/open-until',
      'model/conversations',
      'chat-answers/goes-on-live',
    ],
  },
  {
    name: 'mode-manual-by-default',
    requirement: 'CHAT-8',
    description: 'Without approval_mode a run asks.',
    alters: inputs((input) =>
      input.kind === 'prompt' ? { ...input, approvalMode: input.approvalMode ?? 'manual' } : input,
    ),
    caughtBy: ['chat-modes/consents-when-omitted', 'chat-modes/manual-asks-live', 'chat-modes/mode-not-remembered'],
  },
  {
    name: 'mode-not-looked-at',
    requirement: 'CHAT-8',
    description: 'A run never asks for permission.',
    alters: inputs((input) => (input.kind === 'prompt' ? { ...input, approvalMode: 'self-drive' } : input)),
    caughtBy: [
      'chat-modes/consents-when-omitted',
      'chat-modes/manual-asks-live',
      'chat-questions/one-tool-call',
      'model/conversations',
    ],
  },
  {
    name: 'mode-self-drive-asks',
    requirement: 'CHAT-8',
    description: 'approval_mode self-drive asks like manual.',
    alters: inputs((input) => (input.approvalMode === 'self-drive' ? { ...input, approvalMode: 'manual' } : input)),
    caughtBy: ['chat-modes/self-drive-is-omitted'],
  },
  {
    name: 'mode-refuses-by-itself',
    requirement: 'CHAT-8',
    description: 'A run that is not asked rejects what needs permission.',
    alters: makes('ownAnswer', (usual) => (run, ask) => {
      const own = usual(run, ask);
      return own !== undefined && ask.kind === 'permission' ? (ask.options.at(-1) ?? own) : own;
    }),
    caughtBy: ['chat-modes/consents-when-omitted', 'chat-modes/self-drive-is-omitted', 'invoke-runs/consents'],
  },
  {
    name: 'mode-that-is-none-is-ignored',
    requirement: 'CHAT-8',
    description: 'An unknown approval_mode is ignored.',
    alters: reads('chat', (value) => {
      if (!isObject(value) || ['manual', 'self-drive'].includes(String(value.approval_mode))) return value;
      const { approval_mode: _, ...rest } = value;
      return rest;
    }),
    caughtBy: ['chat-modes/unknown-mode', 'chat-modes/mode-of-a-reply'],
  },
  {
    name: 'mode-in-any-case',
    requirement: 'CHAT-8',
    description: 'approval_mode is taken in any case.',
    alters: reads('chat', (value) =>
      isObject(value) && typeof value.approval_mode === 'string'
        ? { ...value, approval_mode: value.approval_mode.toLowerCase() }
        : value,
    ),
    caughtBy: ['chat-modes/unknown-mode'],
  },
  {
    name: 'mode-of-the-session',
    requirement: 'CHAT-8',
    description: 'A session keeps the mode it was started with.',
    alters: {
      runs: (usual) => {
        const modes = new Map<string, ApprovalMode>();
        return {
          ...usual,
          async prompt(request) {
            const known = request.sessionId === undefined ? undefined : modes.get(request.sessionId);
            const result = await usual.prompt({ ...request, approvalMode: request.approvalMode ?? known });
            const session = 'reader' in result ? result.reader.sessionId : result.steered;
            if (request.approvalMode) modes.set(session, request.approvalMode);
            return result;
          },
        };
      },
    },
    caughtBy: ['chat-modes/not-remembered-live', 'chat-modes/mode-not-remembered'],
  },
  {
    name: 'mode-of-the-reply',
    requirement: 'CHAT-8',
    description: 'A reply without a mode lets the run go on by itself.',
    alters: runners((runner) => ({
      ...runner,
      answer: (run, answer) => runner.answer(Object.assign(run, { approvalMode: 'self-drive' }), answer),
    })),
    caughtBy: ['chat-modes/reply-keeps-mode'],
  },
  {
    name: 'mode-changed-by-a-reply',
    requirement: 'CHAT-8',
    description: 'A mode sent with a reply is the mode of the run from then on.',
    alters: () => {
      let sent: ApprovalMode | undefined;
      return together(
        reads('chat', (value) => {
          sent = isObject(value) ? (value.approval_mode as ApprovalMode | undefined) : undefined;
          return value;
        }),
        runners((runner) => ({
          ...runner,
          answer: (run, answer) => runner.answer(sent ? Object.assign(run, { approvalMode: sent }) : run, answer),
        })),
      );
    },
    caughtBy: ['chat-modes/mode-of-a-reply'],
  },
  {
    name: 'mode-of-a-reply-not-validated',
    requirement: 'CHAT-8',
    description: 'A reply with an unknown mode is taken.',
    alters: reads('chat', (value) => {
      if (!isObject(value) || !Array.isArray(value.messages)) return value;
      const last = value.messages.at(-1) as { role?: unknown } | undefined;
      const { approval_mode: _, ...rest } = value;
      return last?.role === 'tool' ? rest : value;
    }),
    caughtBy: ['chat-modes/mode-of-a-reply'],
  },
]);

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
