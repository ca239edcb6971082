import type { Ask } from '../../contract/interaction.js';
import type { RunView } from '../../contract/run.js';
import type { Facts } from './facts.js';

/** An answer that a question accepts. */
export function acceptable(ask: Ask): string {
  if (ask.kind === 'permission') return ask.options[0] ?? 'cancel';
  const values = ask.fields.map(({ name, type, options }) => [
    name,
    options?.[0] ?? (type === 'boolean' ? true : type === 'number' || type === 'integer' ? 1 : 'text'),
  ]);
  return JSON.stringify({ action: 'accept', content: Object.fromEntries(values) });
}

/** The body that answers the question of a run (CHAT-6). */
export const replyTo = ({ session_id, question }: RunView, toolName: string) => ({
  stream: true,
  session_id,
  messages: [
    {
      role: 'assistant',
      content: null,
      tool_calls: [
        {
          id: question?.id,
          type: 'function',
          function: { name: toolName, arguments: JSON.stringify(question?.ask) },
        },
      ],
    },
    { role: 'tool', tool_call_id: question?.id, content: question ? acceptable(question.ask) : '' },
  ],
});

/** Hexadecimal SHA-256 of nothing. */
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** A body that an operation accepts; undefined for those that take none. */
export function exampleOf({ entry, workspaceId, waiting, toolName }: Facts, replies: boolean): unknown {
  switch (entry.operation) {
    case 'chat':
      if (replies && waiting) return replyTo(waiting, toolName);
      return { stream: true, messages: [{ role: 'user', content: 'hello' }] };
    case 'invoke':
      return { input: 'hello' };
    case 'create':
      return { name: 'ada', workspace_id: workspaceId };
    case 'update':
      return { name: 'ada', description: 'a description', instructions: 'instructions', model: 'author/model' };
    case 'sign':
      return { bodySha256: EMPTY, route: { method: 'POST', path: '/session' } };
    case 'vault-store':
      return { value: 'a-secret', hosts: ['api.example.com'] };
    case 'vault-copy':
      return { names: ['a_secret'] };
    default:
      return undefined;
  }
}
