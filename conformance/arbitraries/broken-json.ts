import fc from 'fast-check';

/** Text that looks like JSON and is not. */
export const brokenJson = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom(
      '{',
      '}',
      '[',
      'nope',
      "{'name': 'a'}",
      '{"name": }',
      '{"name": "a",}',
      '{"name" "a"}',
      '{name: "a"}',
      'undefined',
      'NaN',
      '{"a": 1} x',
      '{"a": 1}{"a": 1}',
      '{"a": "\n"}',
      '// note\n{}',
      '"',
    ),
    // A document that broke off within.
    fc
      .tuple(fc.dictionary(fc.string({ maxLength: 8 }), fc.jsonValue(), { minKeys: 1, maxKeys: 4 }), fc.nat())
      .map(([value, cut]) => {
        const json = JSON.stringify(value);
        return json.slice(0, 1 + (cut % (json.length - 1)));
      }),
  );

/** JSON that is not an object. */
export const noObject = (): fc.Arbitrary<unknown> =>
  fc.oneof(
    // Inputs that parsers handle carelessly come often.
    { weight: 6, arbitrary: fc.constantFrom<unknown>(null, [], [{}], '', '{}', 'text', 0, 1, true, false) },
    fc.array(fc.jsonValue(), { maxLength: 3 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  );
