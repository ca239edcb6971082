import { describe, expect, test } from 'vitest';
import { HOSTILE, sampleResults } from '../testing/sample-results.js';
import { REPORT_KINDS, REPORTERS } from './index.js';
import { readResults } from './json.js';

const results = sampleResults();

describe.each(REPORT_KINDS.filter((kind) => kind !== 'json'))('%s', (kind) => {
  const text = REPORTERS[kind](results);

  test('says verdict, failing checks and how to do them again', () => {
    expect(text).toMatch(/does not conform|failure/);
    expect(text).toContain('chat/fails');
    expect(text).toContain('--seed 1 --runs 3 --path p:0:1');
  });

  test('lets no control character of a target through', () => {
    const found = [...text].filter(
      (character) => /[\p{Cc}\p{Bidi_Control}]/u.test(character) && !/[\n\t]/.test(character),
    );
    expect(found).toEqual([]);
  });
});

test('JSON can be read back', () => {
  expect(readResults(REPORTERS.json(results), 'x')).toEqual(results);
  expect(() => readResults('{}', 'file.json')).toThrow('file.json: expected a JSON report of this kit');
  expect(() => readResults('nonsense', 'file.json')).toThrow('file.json: no JSON');
});

test('JUnit counts what it lists and holds no markup of the target', () => {
  const text = REPORTERS.junit(results);
  expect(text).toMatch(/<testsuite [^>]*tests="6" failures="1" errors="1" skipped="1"/);
  expect(text.match(/<testcase /g)).toHaveLength(6);
  expect(text.match(/<failure /g)).toHaveLength(1);
  expect(text.match(/<(script|img)/g)).toBeNull();
});

test('HTML holds no markup of the target', () => {
  const text = REPORTERS.html(results);
  expect(text).not.toContain('<img');
  expect(text.match(/<script/g)).toHaveLength(1);
  expect(text).toContain('&lt;script&gt;window.hit = 1&lt;/script&gt;');
  expect(text).not.toMatch(/(src|href)="http/);
});

test('Markdown lets no fence, table or markup of the target out', () => {
  const text = REPORTERS.markdown(results);
  const outside = text.replace(/^(`{3,})text\n[\s\S]*?^\1$/gm, '');
  expect(outside).not.toMatch(/<(script|img)/);
  expect(outside).not.toContain('window.hit = 1</script>');
});

test('no line of the target is a workflow command', () => {
  const lines = REPORTERS.github(results).split('\n').filter(Boolean);
  expect(lines.every((line) => /^::(error|warning|notice) title=[^:]*::/.test(line))).toBe(true);
  expect(lines.filter((line) => line.startsWith('::error title=chat/fails'))).toHaveLength(1);
  expect(HOSTILE).toContain('\n::warning::y');
});
