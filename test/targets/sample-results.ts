import { lacking } from '../../conformance/model/skip.js';
import type { CheckResult, FindingResult, Results } from '../../conformance/run/results.js';
import { count, coverage, evaluate, matrix } from '../../conformance/run/verdict.js';

/** Text that would break out of whatever does not escape it. */
export const HOSTILE = `<script>window.hit = 1</script><img src=x onerror="window.hit = 2">'"\`&]]>\u0000\u001b[31m\u202e::error::x\n::warning::y\n\`\`\`\n| a |`;

const exchange = {
  number: 1,
  at: 12.5,
  request: {
    method: 'POST',
    url: 'http://127.0.0.1/api/v1/interns',
    headers: { authorization: 'Bearer [api_key]' },
    body: HOSTILE,
  },
  response: {
    at: 20,
    status: 200,
    headers: { 'content-type': 'text/event-stream', 'x-hostile': HOSTILE },
    pieces: [
      { at: 20, text: 'data: {"choices":[]}\n\n' },
      { at: 30_020, text: ': keepalive\n\n' },
      { at: 30_021, text: HOSTILE },
    ],
    ended: 'dropped: reset',
  },
};

const row = (id: string, verdict: CheckResult['verdict'], more: Partial<CheckResult> = {}): CheckResult => ({
  id,
  requirement: 'CHAT-11',
  level: 'S',
  title: `title of ${id}`,
  verdict,
  duration: 1234,
  requests: 2,
  properties: [],
  ...more,
});

const finding: FindingResult = {
  wanted: { kind: 'value', path: 'what', rule: { kind: 'is', value: { any: HOSTILE } } },
  got: HOSTILE,
  of: `what ${HOSTILE}`,
  exchange: 1,
  property: { name: 'p', counterexample: [HOSTILE], seed: 1, path: '0:1', runs: 3, shrinks: 2 },
  transcript: [exchange],
  curl: `curl -H 'x: ${HOSTILE}'`,
  replay: 'npx intern-conformance --only chat/fails --seed 1 --runs 3 --path p:0:1',
};

/** Results with one check of each verdict and hostile text wherever a target could put it. */
export function sampleResults(): Results {
  const checks = [
    row('chat/passes', 'pass', { properties: [{ name: 'p', seed: 1, runs: 100 }] }),
    row('chat/fails', 'fail', { finding }),
    row('chat/known', 'fail', { finding, known: true }),
    row('chat/warns', 'warn', { level: 'P', requirement: 'CHAT-1', finding }),
    row('chat/skips', 'skip', { skip: lacking({ kind: 'met', need: 'a moment', note: HOSTILE }).skip }),
    row('chat/breaks', 'error', { error: { message: HOSTILE, stack: HOSTILE, transcript: [exchange] } }),
  ];
  const cleanup = {
    created: 3,
    deleted: 2,
    failed: [{ id: 'i1', name: HOSTILE, because: { kind: 'error' as const, message: HOSTILE } }],
  };
  return {
    format: 'intern-conformance',
    version: 1,
    kit: '0.0.0',
    run: 'abcd',
    started: '2026-01-01T00:00:00.000Z',
    duration: 4321,
    target: { kind: 'live', url: `http://x/${HOSTILE}`, profile: 'svc', published: false },
    options: { seed: '1', runs: 100, only: [], skip: [], levels: ['S', 'P', 'C'], readOnly: false, slow: 0 },
    ...evaluate(checks, { cleanup, stopped: { kind: 'not-put-back', detail: HOSTILE } }),
    counts: count(checks),
    coverage: coverage(checks),
    requests: 12,
    checks,
    requirements: matrix(checks),
    cleanup,
  };
}
