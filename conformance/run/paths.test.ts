import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { internPath } from '../probe/request.js';

const KIT = resolve(import.meta.dirname, '..');
/** Where requests of a run are made. */
const FOLDERS = ['scenarios', 'scenarios/steps', 'requests', 'model', 'run', 'drivers'];

// An id of dots alone is a step up however it is spelled: none is let through (isPlainId).
test('an id stays one segment of a path, whatever else is in it', () => {
  const ids = ['../x', 'x/../y', 'x?y', 'x#y', 'x%2fy', 'x%2e%2e', 'x\\y', ' '];
  for (const id of ids) {
    const { pathname, search, hash } = new URL(`https://service.test/api/v1${internPath(id, '/provision')}`);
    expect([pathname.split('/').length, pathname.endsWith('/provision'), search, hash]).toEqual([6, true, '', '']);
  }
});

test.each(FOLDERS)('no path of an intern is put together by hand in %s', (folder) => {
  const files = readdirSync(join(KIT, folder)).filter((name) => /(?<!\.test)\.ts$/.test(name));
  const wrong = files.filter((name) => /\/interns\/\$\{/.test(readFileSync(join(KIT, folder, name), 'utf8')));
  expect(wrong).toEqual([]);
});
