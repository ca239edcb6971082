import fc from 'fast-check';

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
