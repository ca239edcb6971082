import type { ApprovalMode } from '../../emulator/contract/run.js';
import { parses, reads } from './change.js';
import { isObject } from './change-lifecycle.js';
import { makes, runners } from './change-runs.js';
import { defineDeviations, together } from './deviation.js';

interface Input {
  kind: 'prompt' | 'reply';
  sessionId?: string;
  approvalMode?: ApprovalMode;
}

/** Changes what a chat request was understood as. */
const inputs = (change: (input: Input) => Input) => parses('chat', (parse, parts) => change(parse(parts) as Input));

export const CHAT_MODES = defineDeviations([
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
