import { isJson, parsed } from '../call.js';
import type { Way } from '../world.js';

/** What a question says, in other words than the published ones. */
function reworded(text: unknown): string {
  const asked = parsed(String(text));
  if (!isJson(asked)) return String(text);
  return JSON.stringify(
    asked.kind === 'permission'
      ? { type: 'approval', tool: asked.operation, choices: asked.options }
      : { type: 'question', text: asked.message, form: asked.fields },
  );
}

export const otherForm: Way = {
  name: 'the arguments of a question have other names',
  lawful: true,
  unpublished: true,
  quote: 'the stream emits one tool call named `service.provide_input`',
  wrong: (world) =>
    world.stream(() => (_, chunk) => {
      const calls = chunk?.choices[0]?.delta.tool_calls;
      for (const call of Array.isArray(calls) ? calls : [])
        if (isJson(call) && isJson(call.function)) call.function.arguments = reworded(call.function.arguments);
      return chunk;
    }),
};

export const chat: readonly Way[] = [otherForm];
