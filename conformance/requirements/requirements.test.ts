import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { requirementsPage } from '../../scripts/requirements-page.js';
import type { Check } from '../run/check.js';
import { checks } from '../scenarios/index.js';
import { quoteOf, REQUIREMENTS, requirement, speaksAt } from './index.js';
import { QUOTES } from './quotes.js';
import type { Requirement } from './requirement.js';

const rows: readonly Requirement[] = REQUIREMENTS;
const twice = (ids: readonly string[]) => ids.filter((id, at) => ids.indexOf(id) !== at);

test('ids stand once', () => {
  expect(twice(checks.map((check) => check.id))).toEqual([]);
});

test('every requirement has checks, or a reason why it has none', () => {
  const without = rows.filter((row) => !checks.some((check) => check.requirement === row.id));
  expect(without.filter((row) => row.excluded === undefined).map((row) => row.id)).toEqual([]);
  expect(rows.filter((row) => row.excluded !== undefined && !without.includes(row)).map((row) => row.id)).toEqual([]);
});

test('every stated requirement is checked at its own level', () => {
  const stated = rows.filter((row) => row.level === 'S' && row.excluded === undefined);
  const bare = stated.filter((row) => !checks.some((check) => check.requirement === row.id && check.level === 'S'));
  expect(bare.map((row) => row.id)).toEqual([]);
});

test('every stated requirement quotes the interface, and nothing else is quoted', () => {
  const stated = rows.filter((row) => row.level === 'S').map((row) => row.id);
  expect(stated.filter((id) => quoteOf(id) === undefined)).toEqual([]);
  expect(Object.keys(QUOTES).filter((id) => !stated.includes(id))).toEqual([]);
});

test('a check judges at a level at which its requirement says something', () => {
  const mute = checks.filter((check) => !speaksAt(requirement(check.requirement), check.level));
  expect(mute.map((check) => `${check.id}: ${check.requirement} says nothing at ${check.level}`)).toEqual([]);
});

test('a check has an id in its area, a sentence for a title, and what it needs once', () => {
  for (const check of checks as readonly Check[]) {
    expect(check.id).toMatch(/^([a-z0-9-]+|[A-Z]+-\d+)\/[a-z0-9-]+$/);
    expect(check.title, check.id).toMatch(/^[A-Za-z0-9`].*\.$/s);
    expect(twice(check.needs), check.id).toEqual([]);
  }
});

test('every file of checks is enlisted', async () => {
  const folder = new URL('../scenarios/', import.meta.url);
  const enlisted = new Set(checks.map((check) => check.id));
  for (const file of readdirSync(folder, { encoding: 'utf8', recursive: true })) {
    if (!/^(?!.*\.(?:test|harness)\.).*\.ts$/.test(file) || file === 'index.ts') continue;
    const exported: Record<string, unknown> = await import(new URL(file, folder).href);
    for (const value of Object.values(exported)) {
      if (!Array.isArray(value)) continue;
      for (const check of value as Check[]) {
        if (typeof check?.run === 'function') expect(enlisted.has(check.id), `${file}: ${check.id}`).toBe(true);
      }
    }
  }
});

test('there are at least 150 checks', () => {
  expect(checks.length).toBeGreaterThanOrEqual(150);
});

test('the page of the documentation is that of the ledger', async () => {
  await expect(requirementsPage(rows, checks)).toMatchFileSnapshot('../../docs/requirements.md');
});
