import type { Ask, AskResult } from '../contract/interaction.js';
import type { ApprovalMode, RunOrigin } from '../contract/run.js';

/**
 * The answer that a run gives by itself; undefined when it must ask the caller. Outside `manual` it consents to
 * approvals, with the first offered option that allows, or else the first (CHAT-8). Under invoke a question is answered
 * by its fallback, or declined (INVOKE-4).
 */
export function ownAnswer(run: { origin: RunOrigin; approvalMode: ApprovalMode }, ask: Ask): AskResult | undefined {
  if (ask.kind === 'permission') {
    if (run.origin === 'chat' && run.approvalMode === 'manual') return undefined;
    return ask.options.find((option) => option.startsWith('allow_')) ?? ask.options[0] ?? 'cancel';
  }
  return run.origin === 'invoke' ? (ask.fallback ?? { action: 'decline' }) : undefined;
}
