import type { RunView } from '../../emulator/contract/run.js';
import { makes } from './change-runs.js';
import { calls, choiceOf, choices, chunks, texts } from './change-stream.js';
import { defineDeviations } from './deviation.js';

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
]);
