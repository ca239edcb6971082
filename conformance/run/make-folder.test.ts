import { statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderOfFile } from '../../test/folders.js';
import { needs } from '../../test/tools.js';
import { makeFolder } from './ledger.js';

const root = folderOfFile('intern-folder-');
const at = (...names: string[]) => join(root, ...names);

test('makes what is missing of a path, and takes what is there', () => {
  makeFolder(at('a', 'b', 'c'));
  expect(statSync(at('a', 'b', 'c')).isDirectory()).toBe(true);
  makeFolder(at('a', 'b', 'c'));
  symlinkSync(at('a'), at('link'));
  makeFolder(at('link'));
  makeFolder('/');
});

test('says what is in the way', () => {
  writeFileSync(at('file'), '');
  expect(() => makeFolder(at('file'))).toThrow(/EEXIST/);
  expect(() => makeFolder(at('file', 'below'))).toThrow(/ENOTDIR/);
});

test('ends where a file system makes no folders', needs('linux'), () => {
  expect(() => makeFolder('/proc/x/y')).toThrow('no folder can be made in /proc');
});
