import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { decodeWrites } from './coding.js';

const TEXT = `{"data":"${'interns and streams '.repeat(40)}"}`;
const LIMIT = 1_000_000;

const decode = async (coding: string | undefined, bytes: Uint8Array, limit = LIMIT) => {
  const { writes, problem } = await decodeWrites(coding, [{ at: 1, bytes }], limit);
  return { text: Buffer.concat(writes.map((write) => write.bytes)).toString(), problem };
};

describe('a coding is read', () => {
  test.each([
    ['none', undefined, Buffer.from(TEXT)],
    ['identity', 'identity', Buffer.from(TEXT)],
    ['gzip', 'gzip', gzipSync(TEXT)],
    ['gzip in capitals', ' GZIP', gzipSync(TEXT)],
    ['x-gzip', 'x-gzip', gzipSync(TEXT)],
    ['deflate', 'deflate', deflateSync(TEXT)],
    ['deflate without its header', 'deflate', deflateRawSync(TEXT)],
    ['br', 'br', brotliCompressSync(TEXT)],
    ['identity, gzip', 'identity, gzip', gzipSync(TEXT)],
    ['gzip, br', 'gzip, br', brotliCompressSync(gzipSync(TEXT))],
    ['two members of gzip', 'gzip', Buffer.concat([gzipSync(TEXT.slice(0, 50)), gzipSync(TEXT.slice(50))])],
  ])('%s', async (_what, coding, bytes) => {
    expect(await decode(coding, bytes)).toEqual({ text: TEXT, problem: undefined });
  });

  test.each([
    ['gzip', gzipSync(TEXT, { level: 0 })],
    ['deflate', deflateSync(TEXT, { level: 0 })],
    ['deflate', deflateRawSync(TEXT, { level: 0 })],
    ['br', brotliCompressSync(TEXT, { params: { [constants.BROTLI_PARAM_QUALITY]: 0 } })],
  ])('as far as it goes where it is cut: %s', async (coding, bytes) => {
    const { text, problem } = await decode(coding, bytes.subarray(0, bytes.length - 12));
    expect(problem).toBeUndefined();
    if (coding !== 'br') expect(text.length).toBeGreaterThan(500);
    expect(TEXT.startsWith(text)).toBe(true);
  });

  test.each([
    [
      'its check',
      gzipSync(TEXT).map((byte, at, all) => (at === all.length - 6 ? byte ^ 1 : byte)),
      'incorrect data check',
    ],
    ['something after it', Buffer.concat([gzipSync(TEXT), Buffer.from('after')]), 'incorrect header check'],
  ])('as far as it goes where it is wrong, with the reason: %s', async (_what, bytes, problem) => {
    expect(await decode('gzip', bytes)).toEqual({ text: TEXT, problem: `content-encoding gzip: ${problem}` });
  });
});

describe('what is not read says why', () => {
  test.each([
    ['zstd', 'zstd', Buffer.from('x'), 'content-encoding "zstd" cannot be read'],
    ['a list that ends in it', 'zstd, gzip', gzipSync('x'), 'content-encoding "zstd" cannot be read'],
    ['no gzip', 'gzip', Buffer.from(TEXT), 'content-encoding gzip: incorrect header check'],
    ['too many', Array(9).fill('gzip').join(), Buffer.from('x'), 'content-encoding has over 4 codings'],
  ])('%s', async (_what, coding, bytes, problem) => {
    expect(await decode(coding, bytes)).toEqual({ text: '', problem });
  });

  test('a bomb is read to the limit', async () => {
    const bomb = gzipSync(gzipSync(Buffer.alloc(50_000_000, 'x')));
    const { text, problem } = await decode('gzip, gzip', bomb);
    expect(text.length).toBeLessThanOrEqual(LIMIT);
    expect(text.length).toBeGreaterThan(LIMIT / 2);
    expect(problem).toBe('it decodes to more than 0.95 MB');
  });
});
