import type { Ask } from '../contract/interaction.js';
import { isRecord, jsonOf, valueAt } from '../wire/json.js';

export interface AskedQuestion {
  readonly id: string;
  readonly sessionId: string;
  readonly ask: Ask;
}

/** Id of the question that a chat request answers; undefined for a prompt, and for what is no chat request. */
export function questionIn(body: string): string | undefined {
  // Most are prompts, and need no parsing.
  if (!body.includes('"tool_call_id"')) return undefined;
  const last = valueAt(jsonOf(body), 'messages.-1');
  return isRecord(last) && last.role === 'tool' && typeof last.tool_call_id === 'string'
    ? last.tool_call_id
    : undefined;
}

/** The request by which somebody else declines a question, or rejects what it asks permission for. */
export function declining(request: Request, { id, sessionId, ask }: AskedQuestion): Request {
  const content =
    ask.kind === 'permission'
      ? (ask.options.find((option) => option.startsWith('reject')) ?? 'cancel')
      : JSON.stringify({ action: 'decline' });
  const call = { id, type: 'function', function: { name: 'service.provide_input', arguments: JSON.stringify(ask) } };
  const body = {
    stream: true,
    session_id: sessionId,
    messages: [
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: id, content },
    ],
  };
  const headers = { authorization: request.headers.get('authorization') ?? '', 'content-type': 'application/json' };
  return new Request(request.url, { method: 'POST', headers, body: JSON.stringify(body) });
}
