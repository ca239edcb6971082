import { eventsIn } from '../sse/events.harness.js';
import type { createTestClient } from './client.harness.js';

/** A call of the Model Context Protocol to an emulator in process: its result, or its error. */
export function mcpClient(api: Pick<ReturnType<typeof createTestClient>, 'emulator'>, base = '') {
  let id = 0;
  const post = (body: object, headers: Record<string, string> = {}, signal: AbortSignal | null = null) =>
    api.emulator.fetch(`${base}/_emulator/mcp`, {
      method: 'POST',
      signal,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-06-18',
        ...headers,
      },
      body: JSON.stringify(body),
    });
  /** The messages of an answer: one, or those of a stream. */
  const messages = async (response: Response): Promise<Record<string, unknown>[]> => {
    const text = await response.text();
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return [JSON.parse(text)];
    return eventsIn(text).data.flatMap((data) => (data === '' ? [] : [JSON.parse(data)]));
  };
  const ask = async (method: string, params: object = {}): Promise<Record<string, unknown>[]> =>
    messages(await post({ jsonrpc: '2.0', id: ++id, method, params }));
  return {
    post,
    ask,
    // biome-ignore lint/suspicious/noExplicitAny: tests look into results of every shape
    async result(method: string, params: object = {}): Promise<any> {
      const last = (await ask(method, params)).at(-1) ?? {};
      if (last.error) throw new Error(JSON.stringify(last.error));
      return last.result;
    },
    // biome-ignore lint/suspicious/noExplicitAny: tests look into results of every shape
    call(name: string, given: object = {}): Promise<any> {
      return this.result('tools/call', { name, arguments: given });
    },
  };
}
