import pc from 'picocolors';
import { describe, expect, test } from 'vitest';
import type { RequestRecord } from '../http/request-log.js';
import { createLogging } from './logging.js';
import { createLineWriter, createRequestLine } from './request-log.js';

const RECORD: RequestRecord = {
  time: '2026-01-01T12:34:56.789Z',
  method: 'GET',
  path: '/api/v1/interns/1',
  status: 200,
  ms: 12,
  caller: 'alice',
  intern: '1',
  script: null,
  wrong: null,
};

describe('a line for a person', () => {
  const line = createRequestLine(pc.createColors(false));
  test('has columns of a width before the path, and what is there after it', () => {
    expect(line(RECORD, 'first-intern')).toBe(
      '12:34:56.789  GET      200      12 ms  alice       /api/v1/interns/1  first-intern',
    );
    const refused = { ...RECORD, method: 'DELETE', status: 400, ms: 1_234, caller: null, intern: null };
    expect(line({ ...refused, wrong: 'workspace_id: missing' })).toBe(
      '12:34:56.789  DELETE   400    1234 ms  -           /api/v1/interns/1  workspace_id: missing',
    );
    expect(line({ ...RECORD, trace_id: '4bf92f3577b34da6a3ce929d0e0e4736' }, 'first-intern')).toMatch(
      / {2}first-intern {2}trace 4bf92f3577b34da6a3ce929d0e0e4736$/,
    );
    expect(line({ ...RECORD, status: null, script: 'slow', stream: 'ended', how: 'client left' })).toBe(
      '12:34:56.789  GET      ---      12 ms  alice       /api/v1/interns/1  1 (slow)  stream ended: client left',
    );
  });

  test('is one line, whatever a client wrote', () => {
    const wrong = `a\n12:00:00.000  GET  \u001b[2J\u202e\u2028${'x'.repeat(1_000)}: unknown`;
    const said = line({ ...RECORD, wrong, script: 'a\rb', path: '/\u0007' }, undefined);
    expect(said).toContain('  /\\u0007  1 (a\\u000db)  a\\u000a12:00:00.000  GET  \\u001b[2J\\u202e\\u2028xxx');
    expect(said).toMatch(/x…$/);
    expect(said).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028]/u);
  });

  test('cuts what is too long for its column', () => {
    const own = { ...RECORD, caller: 'intern:0b000000-0000-4000-8000-000000000001' };
    expect(line(own)).toContain('  intern:0b…  /api');
  });

  test('is coloured where colours are shown, and says the same', () => {
    const coloured = createRequestLine(pc.createColors(true))({ ...RECORD, status: 503, wrong: 'injected fault' });
    expect(coloured).toContain('\u001b[31m503\u001b[39m');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters
    expect(coloured.replaceAll(/\u001b\[\d+m/g, '')).toBe(line({ ...RECORD, status: 503, wrong: 'injected fault' }));
  });
});

describe('what is written where', () => {
  const written = (given: Parameters<typeof createLogging>[1], least?: 'warn') => {
    const texts: string[] = [];
    const io = { colors: false, err: (more: string) => void texts.push(more) };
    const { log, options, flush } = createLogging(io, given, least);
    options.onRequest?.(RECORD, 'first-intern');
    log({ level: 'warn', event: 'waits', message: 'run 1 waits for the clock' });
    log({ level: 'error', event: 'script_failed', step: 'event 1' });
    log({ event: 'reveal', caller: 'a person' });
    flush();
    return texts.join('');
  };
  const waits = 'run 1 waits for the clock\n';
  const error = 'error: script_failed step="event 1"\n';

  test('of many that wait for the clock the first is reported beside a command, each where all is reported', () => {
    const written = (least?: 'warn') => {
      const texts: string[] = [];
      const { log, flush } = createLogging({ colors: false, err: (more) => void texts.push(more) }, {}, least);
      for (const run of [1, 2]) log({ level: 'warn', event: 'waits', message: `run ${run} waits` });
      flush();
      return texts.join('');
    };
    expect([written('warn'), written()]).toEqual(['run 1 waits\n', 'run 1 waits\nrun 2 waits\n']);
  });

  test.each([
    [{ event: 'scripts_reloaded', names: ['a', 'b'], gone: [] }, 'scripts read again: a, b'],
    [{ event: 'scripts_reloaded', names: [], gone: [] }, 'scripts read again: unchanged'],
    [{ event: 'scripts_reloaded', names: ['a'], gone: ['b'] }, 'scripts read again: a; scripts gone: b'],
    [{ event: 'scripts_reloaded', names: [], gone: ['a', 'b'] }, 'scripts gone: a, b'],
    [
      { level: 'error', event: 'scripts_not_reloaded', file: 'a.json', problems: ['turn[0]: expected a step'] },
      'error: a.json: turn[0]: expected a step. The scripts stay as they were until you fix it',
    ],
    [
      { level: 'warn', event: 'script_skipped', file: 'a\nb.json', problem: 'it is a FIFO' },
      'a\\u000ab.json is left out: it is a FIFO',
    ],
    [
      { event: 'recorded', n: 3, scenario: null, operation: 'create', status: 201, ended: 'complete' },
      'recorded 3: create, 201',
    ],
    [
      { event: 'recorded', n: 4, scenario: 'login', operation: null, status: null, ended: 'broken' },
      'recorded 4: another call, no answer, in login, broken',
    ],
  ])('%j is written as a sentence', (record, sentence) => {
    const texts: string[] = [];
    const { log, flush } = createLogging({ colors: false, err: (more) => void texts.push(more) }, {});
    log(record);
    flush();
    expect(texts.join('')).toBe(`${sentence}\n`);
  });

  test('what waits is written in its order, once, and each batch by itself', () => {
    const texts: string[] = [];
    const { write, flush } = createLineWriter((text) => void texts.push(text));
    write(() => 'a');
    write('b');
    write(() => 'c');
    flush();
    flush();
    write('d');
    flush();
    expect(texts).toEqual(['a\nb\nc\n', 'd\n']);
  });
  test('text by default', () => {
    expect(written({})).toMatch(/^12:34:56\.789 {2}GET .*\nrun 1 waits.*\nerror: .*\nreveal caller="a person"\n$/);
  });
  test('records with --log-format json, with the keys of the contract', () => {
    const [first = ''] = written({ logFormat: 'json' }).split('\n');
    expect(JSON.parse(first)).toEqual(RECORD);
    expect(Object.keys(JSON.parse(first)).join(' ')).toBe('time method path status ms caller intern script wrong');
  });
  test('--quiet: only what went wrong', () => {
    expect(written({ quiet: true })).toBe(error);
  });
  test('beside a command that has standard error for itself, no requests', () => {
    expect(written({}, 'warn')).toBe(waits + error);
  });
});
