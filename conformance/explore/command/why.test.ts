import { expect, test } from 'vitest';
import { whyOf } from './why.js';

const VITEST = `\u001b[41m\u001b[1m FAIL \u001b[22m\u001b[49m a.test.mjs\u001b[2m > \u001b[22masserts
\u001b[31m\u001b[1mAssertionError\u001b[22m: expected 'one' to be 'one two' // Object.is equality\u001b[39m

Expected: \u001b[32m"one\u001b[7m two\u001b[27m"\u001b[39m
Received: \u001b[31m"one"\u001b[39m

\u001b[36m \u001b[2m❯\u001b[22m a.test.mjs:\u001b[2m2:37\u001b[22m\u001b[39m
    \u001b[90m  1|\u001b[39m import { expect, test } from 'vitest';
`;
const JEST = `FAIL f/a.jest.mjs
  ✕ asserts (33 ms)

  ● asserts

    expect(received).toBe(expected) // Object.is equality

    Expected: "one two"
    Received: "one"

      1 | import { expect, test } from '@jest/globals';

      at Object.<anonymous> (f/a.jest.mjs:2:37)
`;
/** An error of Node itself has no place in the test. */
const PLACELESS = `  ● asks

    TypeError: terminated

    Cause:
    SocketError: other side closed

Test Suites: 1 failed, 1 total
Tests:       1 failed, 1 total
`;
const TAP = `TAP version 13
# Subtest: suite
    not ok 1 - asserts
      ---
      failureType: 'testCodeFailure'
      error: |-
        Expected values to be strictly equal:
        + actual - expected

        + 'one'
        - 'one two'
      code: 'ERR_ASSERTION'
      name: 'AssertionError'
      expected: 'one two'
      actual: 'one'
      operator: 'strictEqual'
      ...
not ok 1 - suite
  ---
  failureType: 'subtestsFailed'
  error: '1 subtest failed'
  ...
`;
const MOCHA = `  1) an intern
       says what it was sent:
     TypeError: fetch failed
      at node:internal/deps/undici/undici:13510:13
`;
const PYTEST = `    def test_asserts(): assert 'one' == 'one two'
E   AssertionError: assert 'one' == 'one two'
E${'     '}
E     - one two
E     + one

test_x.py:2: AssertionError
FAILED test_x.py::test_asserts - AssertionError: assert 'one' == 'one two'
`;
const GO = `--- FAIL: TestSay (0.00s)
    say_test.go:12: Post "http://127.0.0.1:1": connection refused
FAIL
`;
const PYTHON = `Traceback (most recent call last):
  File "say.py", line 4, in <module>
ConnectionResetError: [Errno 104] Connection reset by peer

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "say.py", line 9, in <module>
SayError: the reply was lost
`;

test.each([
  [
    'vitest',
    '',
    VITEST,
    'test',
    `AssertionError: expected 'one' to be 'one two' // Object.is equality\n\nExpected: "one two"\nReceived: "one"`,
  ],
  [
    'jest',
    '',
    JEST,
    'test',
    'expect(received).toBe(expected) // Object.is equality\n\nExpected: "one two"\nReceived: "one"',
  ],
  [
    'jest, with an error that has no place in the test',
    '',
    PLACELESS,
    'app',
    'TypeError: terminated\n\nCause:\nSocketError: other side closed',
  ],
  [
    'TAP, whose suite says less than its test',
    TAP,
    '',
    'test',
    `AssertionError: Expected values to be strictly equal:\n+ actual - expected\n\n+ 'one'\n- 'one two'\nexpected: one two\nactual: one`,
  ],
  ['mocha', MOCHA, '', 'app', 'TypeError: fetch failed'],
  [
    'the spec reporter of node:test, whose test had a limit',
    `✖ asks (3002.7ms)\nℹ tests 1\nℹ cancelled 1\n\n✖ failing tests:\n\ntest at a.mjs:3:7\n✖ asks (3002.7ms)\n  'test timed out after 3000ms'\n`,
    '',
    'test',
    'test timed out after 3000ms',
  ],
  ['pytest', PYTEST, '', 'test', `AssertionError: assert 'one' == 'one two'\n\n  - one two\n  + one`],
  ['go test', GO, '', 'app', 'Post "http://127.0.0.1:1": connection refused'],
  ['a chain of Python', '', PYTHON, 'app', 'SayError: the reply was lost'],
  ['a program that says no error', 'working\n', 'it is over\n', 'app', 'it is over'],
])('the reason of a failure is found: %s', (_, stdout, stderr, by, message) => {
  expect(whyOf(stdout, stderr)).toEqual({ message, by });
});

test.each([
  'Error: Test timed out in 5000ms.\nIf this is a long-running test, pass a timeout value',
  '  ● hangs\n\n    thrown: "Exceeded timeout of 5000 ms for a test.\n',
  '  1) hangs:\n     Error: Timeout of 2000ms exceeded. For async tests and hooks',
  'panic: test timed out after 1s\n',
])('the limit of a runner is what the test alone noticed: %j', (text) => {
  expect(whyOf(text, '')).toMatchObject({ by: 'test' });
});

test('nothing that was printed gives no reason, and a long one is cut', () => {
  expect(whyOf('working\n', '')).toBeUndefined();
  expect(whyOf('', `Error: ${'x'.repeat(5_000)}`)?.message).toHaveLength(2_000);
});
