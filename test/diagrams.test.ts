import { expect, test } from 'vitest';
import { STATUSES } from '../emulator/contract/intern.js';
import { TRANSITIONS } from '../emulator/domain/lifecycle.js';
import { diagrams } from './diagrams.js';

test('the states of docs/concepts.md are those of the transition table', () => {
  const states = diagrams.find(({ source }) => source.startsWith('stateDiagram'))?.source ?? '';
  const drawn = [...states.matchAll(/^ {2}(\S+) --> (\S+?)(?:: .*)?$/gm)].map(([, from = '', to = '']) => [from, to]);
  const known = new Set(
    TRANSITIONS.flatMap(({ from, to }) => from.map((status) => `${status} ${to === 'gone' ? '[*]' : to}`)),
  );
  for (const status of ['stopped', 'queued']) known.add(`[*] ${status}`); // a create, without and with provisioning
  expect(drawn.length).toBeGreaterThan(10);
  expect(drawn.map((edge) => edge.join(' ')).filter((edge) => !known.has(edge))).toEqual([]);
  // The emulator accepts `awaiting_slack_install` as a filter, but no transition leads to it.
  const named = new Set(drawn.flat());
  expect(STATUSES.filter((status) => !named.has(status))).toEqual(['awaiting_slack_install']);
});
