import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { folderOfTest } from '../../test/folders.js';
import { appendExchange, createScenarioFiles, rewriteExchanges } from './files.js';
import type { RecordedExchange } from './format.js';

let folder = '';
beforeEach(() => {
  folder = folderOfTest('files-');
});

const out = () => join(folder, 'main.jsonl');

describe('the name of a scenario', () => {
  test('is compared without letter case: it stays as it was first spelled', () => {
    const fileOf = createScenarioFiles(out(), false);
    const file = { scenario: 'Login', path: join(folder, 'Login.jsonl') };
    expect(['Login', 'login', 'LOGIN'].map(fileOf)).toEqual([file, file, file]);
    expect(readdirSync(folder)).toEqual(['Login.jsonl']);
  });

  test.each(['con', 'NUL', 'aux.1', 'Com1', 'lpt9.x', 'prn'])('cannot be %s, a device of Windows', (name) => {
    expect(() => createScenarioFiles(out(), false)(name)).toThrow('Windows has a device of this name');
    expect(readdirSync(folder)).toEqual([]);
  });

  test.each(['console', 'com10', 'nulls', 'auxiliary'])('can be %s', (name) => {
    expect(createScenarioFiles(out(), false)(name).path).toBe(join(folder, `${name}.jsonl`));
  });

  test.each(['', '../x', '.hidden', 'a/b', 'a\\b', 'a b', 'ä', 'x'.repeat(101)])('cannot be %j', (name) => {
    expect(() => createScenarioFiles(out(), false)(name)).toThrow('expected 1 to 100 letters, digits');
  });

  test('cannot be that of the file of those that name none, in any letter case', () => {
    const fileOf = createScenarioFiles(out(), true);
    fileOf(null);
    writeFileSync(out(), 'kept');
    expect(() => fileOf('MAIN')).toThrow('holds the exchanges that name no scenario');
    expect(readFileSync(out(), 'utf8')).toBe('kept');
  });
});

describe('a file that is there', () => {
  test('is left alone without force, in any letter case', () => {
    writeFileSync(join(folder, 'LOGIN.jsonl'), 'kept');
    expect(() => createScenarioFiles(out(), false)('login')).toThrow('LOGIN.jsonl exists already. Use --force');
    expect(createScenarioFiles(out(), true)('login').path).toBe(join(folder, 'LOGIN.jsonl'));
    expect(readFileSync(join(folder, 'LOGIN.jsonl'), 'utf8')).toBe('');
  });

  test('also where it is a link to nowhere: nothing is written there', () => {
    const elsewhere = join(folder, 'elsewhere');
    symlinkSync(elsewhere, out());
    expect(() => createScenarioFiles(out(), false)(null)).toThrow('exists already');
    expect(existsSync(elsewhere)).toBe(false);
  });

  test('in a folder that is not: one line says so', () => {
    expect(() => createScenarioFiles(join(folder, 'no', 'x.jsonl'), false)(null)).toThrow(
      'cannot be written: no such file',
    );
  });
});

describe('exchanges are written anew', () => {
  const exchange = (n: number, body: string): RecordedExchange => ({
    format: 1,
    n,
    scenario: null,
    at: 0,
    operation: null,
    request: { method: 'GET', path: '/', headers: {} },
    status: 200,
    headers: {},
    body,
    ended: 'complete',
  });
  const bodies = ['a', 'ß'.repeat(700_000), 'b', 'x'.repeat(3_000_000), 'c'];
  const lines = () =>
    readFileSync(out(), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).body);

  test('each of them, however long its line', () => {
    for (const [index, body] of bodies.entries()) appendExchange(out(), exchange(index + 1, body));
    rewriteExchanges(out(), (one) => ({ ...one, body: `${one.body}!` }));
    expect(lines()).toEqual(bodies.map((body) => `${body}!`));
    expect(readdirSync(folder)).toEqual(['main.jsonl']);
  });

  test('all or none: where one cannot be, the file stays', () => {
    for (const [index, body] of bodies.entries()) appendExchange(out(), exchange(index + 1, body));
    const change = (one: RecordedExchange) => {
      if (one.n === 4) throw new Error('not this one');
      return { ...one, body: 'changed' };
    };
    expect(() => rewriteExchanges(out(), change)).toThrow('not this one');
    expect(lines()).toEqual(bodies);
    expect(readdirSync(folder)).toEqual(['main.jsonl']);
  });

  test('a folder in its place is named', () => {
    expect(() => createScenarioFiles(folder, true)(null)).toThrow(`${folder} is a folder. Name a file in it`);
  });

  test('a link beside it or in its place is not followed', () => {
    const elsewhere = join(folder, 'elsewhere');
    writeFileSync(elsewhere, 'mine');
    for (const path of [out(), `${out()}.new`]) symlinkSync(elsewhere, path);
    expect(() => createScenarioFiles(out(), false)(null)).toThrow('exists already');
    createScenarioFiles(out(), true)(null);
    appendExchange(out(), exchange(1, 'a'));
    rewriteExchanges(out(), (one) => ({ ...one, body: 'changed' }));
    expect([lines(), readFileSync(elsewhere, 'utf8')]).toEqual([['changed'], 'mine']);
  });
});
