import type { ApprovalMode } from '../../../emulator/contract/run.js';
import { answersItself } from '../combinators/behaviours.js';
import { isObject } from '../combinators/exchange.js';
import { wrap } from '../combinators/parts.js';
import { rewriteBody, rewriteFields, rewritePrompts, rewriteTexts } from '../combinators/requests.js';
import { defineDeviations } from '../mutant.js';

export const CHAT_MODES = defineDeviations({
  // Without approval_mode a run asks.
  'mode-manual-by-default': rewritePrompts((body) => ({ approval_mode: 'manual', ...body })),
  // A run never asks for permission.
  'mode-not-looked-at': rewritePrompts(({ approval_mode: _, ...body }) => body),
  'mode-self-drive-asks': rewriteFields('chat', (body) =>
    body.approval_mode === 'self-drive' ? { ...body, approval_mode: 'manual' } : body,
  ),
  // A run that is not asked rejects what needs permission.
  'mode-refuses-by-itself': answersItself((ask, turn) =>
    ask.kind === 'permission' && (turn.approvalMode !== 'manual' || turn.origin === 'invoke')
      ? ask.options.at(-1)
      : undefined,
  ),
  // An unknown approval_mode is ignored.
  'mode-that-is-none-is-ignored': rewriteBody('chat', (value) => {
    if (!isObject(value) || ['manual', 'self-drive'].includes(String(value.approval_mode))) return value;
    const { approval_mode: _, ...rest } = value;
    return rest;
  }),
  'mode-in-any-case': rewriteTexts('chat', ['approval_mode'], (mode) => mode.toLowerCase()),
  // A session keeps the mode it was started with.
  'mode-of-the-session': wrap({
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
  // A reply without a mode lets the run go on by itself.
  'mode-of-the-reply': answersItself((ask, _turn, asked) =>
    asked > 0 && ask.kind === 'permission' ? ask.options[0] : undefined,
  ),
});
