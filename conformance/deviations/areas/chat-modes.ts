import type { ApprovalMode } from '../../../emulator/contract/run.js';
import { answersItself } from '../combinators/behaviours.js';
import { isObject } from '../combinators/exchange.js';
import { wrap } from '../combinators/parts.js';
import { rewriteBody, rewriteFields, rewritePrompts, rewriteTexts } from '../combinators/requests.js';
import { defineDeviations } from '../mutant.js';

export const CHAT_MODES = defineDeviations({
  'mode-manual-by-default': {
    description: 'Without approval_mode a run asks.',
    mutant: rewritePrompts((body) => ({ approval_mode: 'manual', ...body })),
  },
  'mode-not-looked-at': {
    description: 'A run never asks for permission.',
    mutant: rewritePrompts(({ approval_mode: _, ...body }) => body),
  },
  'mode-self-drive-asks': {
    description: 'approval_mode self-drive asks like manual.',
    mutant: rewriteFields('chat', (body) =>
      body.approval_mode === 'self-drive' ? { ...body, approval_mode: 'manual' } : body,
    ),
  },
  'mode-refuses-by-itself': {
    description: 'A run that is not asked rejects what needs permission.',
    mutant: answersItself((ask, turn) =>
      ask.kind === 'permission' && (turn.approvalMode !== 'manual' || turn.origin === 'invoke')
        ? ask.options.at(-1)
        : undefined,
    ),
  },
  'mode-that-is-none-is-ignored': {
    description: 'An unknown approval_mode is ignored.',
    mutant: rewriteBody('chat', (value) => {
      if (!isObject(value) || ['manual', 'self-drive'].includes(String(value.approval_mode))) return value;
      const { approval_mode: _, ...rest } = value;
      return rest;
    }),
  },
  'mode-in-any-case': {
    description: 'approval_mode is taken in any case.',
    mutant: rewriteTexts('chat', ['approval_mode'], (mode) => mode.toLowerCase()),
  },
  'mode-of-the-session': {
    description: 'A session keeps the mode it was started with.',
    mutant: wrap({
      createRuns: (usual) => {
        const modes = new Map<string, ApprovalMode>();
        return {
          async prompt(request) {
            const known = request.sessionId === undefined ? undefined : modes.get(request.sessionId);
            const result = await usual.prompt({ ...request, approvalMode: request.approvalMode ?? known });
            const session = 'reader' in result ? result.reader.sessionId : result.steered;
            if (request.approvalMode) modes.set(session, request.approvalMode);
            return result;
          },
        };
      },
    }),
  },
  'mode-of-the-reply': {
    description: 'A reply without a mode lets the run go on by itself.',
    mutant: answersItself((ask, _turn, asked) => (asked > 0 && ask.kind === 'permission' ? ask.options[0] : undefined)),
  },
});
