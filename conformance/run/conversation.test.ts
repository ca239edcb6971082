import { expect, test } from 'vitest';
import { acceptable } from './conversation.js';

const PERMISSION = { kind: 'permission', operation: 'shell', options: ['reject_once', 'allow_always'] };
const QUESTION = {
  kind: 'elicitation',
  message: 'How many?',
  fields: [{ name: 'count', type: 'number', required: true }],
};
const accept = { action: 'accept', content: { count: 1 } };

test.each([
  ['an option that was offered', PERMISSION, 'allow_always', 'allow_always'],
  ['an option that was not', PERMISSION, 'allow_once', 'reject_once'],
  ['cancel, which always is one', PERMISSION, 'cancel', 'cancel'],
  ['an option for a question', QUESTION, 'allow_once', { action: 'decline' }],
  ['an answer to a question', QUESTION, accept, accept],
])('%s', (_, question, meant, said) => {
  expect(acceptable(JSON.stringify(question), meant)).toEqual(said);
});

test('what cannot be read is answered as meant', () => {
  expect(acceptable('{"kind":', 'allow_once')).toBe('allow_once');
});
