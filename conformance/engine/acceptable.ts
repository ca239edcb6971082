import { isRecord, jsonOf } from '../probe/json.js';

/** The question in the arguments of a call of `provide_input`; undefined where they cannot be read. */
const questionOf = (text: string): Readonly<Record<string, unknown>> => {
  const question = jsonOf(text);
  return isRecord(question) ? question : {};
};

/** The kind of a question: `permission`, `elicitation`, or undefined where it does not say. */
export const kindOfQuestion = (question: string): unknown => questionOf(question).kind;

/**
 * The answer to a question that an intern asked of its own accord (CHAT-6): the answer that the check has in mind where
 * it is one; else the first option that was offered, and for a question that has no options a refusal to answer it.
 *
 * @param question the arguments of the call, as streamed
 */
export function acceptable(question: string, content: unknown): unknown {
  const { kind, options } = questionOf(question);
  if (kind === 'elicitation') return typeof content === 'string' ? { action: 'decline' } : content;
  if (!Array.isArray(options) || options.length === 0) return content;
  return content === 'cancel' || options.includes(content) ? content : options[0];
}
