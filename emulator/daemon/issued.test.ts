import { expect, test } from 'vitest';
import { createIssued } from './issued.js';

test('the last signatures are remembered with what they were made over, the oldest are dropped', () => {
  const issued = createIssued(100);
  for (let at = 0; at < 1_000; at++) issued.add(`signature-${at}`, { timestamp: String(at) });
  for (let at = 900; at < 1_000; at++) expect(issued.get(`signature-${at}`)).toEqual({ timestamp: String(at) });
  for (let at = 0; at < 800; at++) expect(issued.get(`signature-${at}`)).toBeUndefined();
});

test('a signature that was made again counts as made last', () => {
  const issued = createIssued(10);
  issued.add('again', { nonce: 'first' });
  for (let at = 0; at < 100; at++) {
    issued.add(`other-${at}`, {});
    issued.add('again', { nonce: 'last' });
  }
  expect(issued.get('again')).toEqual({ nonce: 'last' });
});
