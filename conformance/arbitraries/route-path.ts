import fc from 'fast-check';

const UNIT = fc.oneof(
  { arbitrary: fc.constantFrom(...'abcXYZ019-._~'), weight: 4 },
  { arbitrary: fc.constantFrom(..."!$&'()*+,;=:@"), weight: 1 },
  { arbitrary: fc.constantFrom('%20', '%2F', '%2f', '%C3%A9', '%25', '%3F'), weight: 1 },
);

/** A path as it is sent: one slash first, percent-encoded. */
export const routePath = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom('/', '/api/invoke', '/a/', '/api/invoke/%E2%82%AC', '/a%2Fb'),
    fc
      .array(fc.string({ unit: UNIT, minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 4 })
      .map((segments) => `/${segments.join('/')}`)
      // A URL parser reads these as steps up and down.
      .filter((path) => !path.split('/').some((segment) => segment === '.' || segment === '..')),
  );
