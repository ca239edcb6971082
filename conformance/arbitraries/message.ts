import fc from 'fast-check';
import { prompt } from './prompt.js';

/** Messages before the last one: they are not read. */
export const earlier = (): fc.Arbitrary<unknown[]> =>
  fc.array(
    fc.record(
      {
        role: fc.constantFrom('system', 'user', 'assistant', 'tool', 'developer', 'somebody'),
        content: fc.oneof(
          fc.string({ maxLength: 20 }),
          fc.constant('Something said before.'),
          fc.constant(null),
          fc.constant([{ type: 'image_url' }]),
        ),
        tool_call_id: fc.string({ maxLength: 8 }),
        name: fc.string({ maxLength: 8 }),
      },
      { requiredKeys: ['role'] },
    ),
    { maxLength: 5 },
  );

/** A user's content and the texts it says: a string, or text parts. */
export const content = (): fc.Arbitrary<{ content: unknown; texts: string[] }> =>
  fc.oneof(
    prompt(60).map((text) => ({ content: text, texts: [text] })),
    fc.array(prompt(30), { minLength: 1, maxLength: 4 }).map((texts) => ({
      content: texts.map((text) => ({ type: 'text', text })),
      texts,
    })),
  );

/** Fields of a chat body that this interface does not know. Their names differ from those it knows. */
export const unknownFields = (): fc.Arbitrary<Record<string, unknown>> =>
  fc.dictionary(
    fc.oneof(
      fc.constantFrom(
        'temperature',
        'tools',
        'n',
        'max_tokens',
        'stream_options',
        'metadata',
        'user',
        'Session_id',
        'usage',
        'sessionId',
        'constructor',
      ),
      fc.stringMatching(/^x_[a-z]{1,8}$/),
    ),
    fc.jsonValue({ maxDepth: 2 }),
    { minKeys: 1, maxKeys: 5, noNullPrototype: true },
  );
