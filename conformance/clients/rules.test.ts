import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { withClientRules } from '../../scripts/client-rules-page.js';
import { cases } from './index.js';
import { RULES_PAGE, ruleOf } from './rules.js';

test('the page of the rules is that of the cases (npm run docs)', () => {
  const page = readFileSync(new URL(`../../${RULES_PAGE}`, import.meta.url), 'utf8');
  expect(withClientRules(page, cases)).toBe(page);
});

test('every rule that a case cites has a place on the page', () => {
  const page = readFileSync(new URL(`../../${RULES_PAGE}`, import.meta.url), 'utf8');
  const places = new Set([...page.matchAll(/<a id="([^"]+)"/g)].map(([, anchor]) => anchor));
  const cited = cases.flatMap((one) =>
    [...one.why, ...(one.alternatives ?? []).map(({ why }) => why)].map((why) => ruleOf(why, one.layer)),
  );
  expect(cited.filter(({ anchor }) => !places.has(anchor))).toEqual([]);
  expect(cited.filter(({ source, sentence }) => /lab\.md|interface\.md/.test(source + sentence))).toEqual([]);
});

test('a rule of the lab has a sentence and a topic, one of a standard its source', () => {
  expect(ruleOf('docs/client-rules.md, Ends: neither is an error', 'chat')).toEqual({
    sentence: 'neither is an error',
    source: 'the lab',
    topic: 'Ends',
    anchor: 'ends-neither-is-an-error',
  });
  expect(ruleOf('RFC 9110 15.4: 301 may become a GET', 'sse')).toEqual({
    sentence: '301 may become a GET',
    source: 'RFC 9110 15.4',
    anchor: 'rfc-9110-15-4-301-may-become-a-get',
  });
});
