import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../conformance');

/** Words that say, or ask, what kind of target it is: the context of a check knows it (`run/create-context.ts`). */
const ASKS = /\bkind ?[!=]==? ?'(emulator|live)'|\btarget\.kind\b|\bdriver\b|\.scripted\b|\bcontrolled ?[?&|:]/;

/** The lines of such a file that ask for the kind of the target. */
const asking = (source: string): string[] =>
  source
    .replaceAll(/\/\*[\s\S]*?\*\//g, (comment) => comment.replaceAll(/[^\n]/g, ''))
    .split('\n')
    .filter((line) => !/^(import|export) .* from '/.test(line) && ASKS.test(line.replace(/\/\/.*$/, '')));

const FILES = ['scenarios', 'scenarios/steps', 'requests', 'model', 'arbitraries'].flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((file) => /(?<!\.test)\.ts$/.test(file))
    .map((file) => `${folder}/${file}`),
);

test('no check asks of which kind its target is', () => {
  expect(FILES.length).toBeGreaterThan(60);
  const found = FILES.flatMap((file) => asking(readFileSync(join(ROOT, file), 'utf8')).map((line) => [file, line]));
  expect(found).toEqual([]);
});

test.each([
  "if (ctx.target.kind === 'live' && answer.status === 409) return;",
  "const { kind } = target;\nconst most = kind === 'emulator' ? 30 : 8;",
  'if (!t.scripted) return;',
  'if (driver.control === undefined) return;',
])('one that did would be found: %s', (source) => {
  expect(asking(source)).toHaveLength(1);
});

test('a question of an intern has a kind too, and comments may name what they like', () => {
  expect(asking("if (asked.kind === 'permission') return; // whatever target.kind is")).toEqual([]);
});
