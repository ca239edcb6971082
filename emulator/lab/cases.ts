import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ClientCase } from '../contract/client-case.js';

/** `fixtures/client-cases`, above the sources and above the compiled package alike: half a megabyte that ships once. */
function folder(from: string): string {
  const place = join(from, 'fixtures', 'client-cases');
  if (existsSync(place)) return place;
  if (from === dirname(from)) throw new Error(`no folder fixtures/client-cases above ${import.meta.dirname}`);
  return folder(dirname(from));
}

const place = folder(import.meta.dirname);
const casesOf = (file: string): readonly ClientCase[] =>
  JSON.parse(readFileSync(join(place, `${file}.json`), 'utf8')).cases;

/** The catalogue, as `fixtures/client-cases` holds it. */
export const cases: readonly ClientCase[] = ['sse', 'http', 'chat', 'signing', 'time', 'transport'].flatMap(casesOf);
