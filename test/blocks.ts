import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '..');

/** A block of a page: its language and its text. */
export interface Block {
  readonly language: string;
  readonly text: string;
}

/** The blocks of a page, in order. */
export const blocksOf = (page: string): Block[] =>
  [...readFileSync(join(ROOT, page), 'utf8').matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', text = '']) => ({ language, text }),
  );

/** The n-th block of a language, from 0. */
export function block(page: string, language: string, at = 0): string {
  const found = blocksOf(page).filter((one) => one.language === language)[at];
  if (found === undefined) throw new Error(`${page} has no ${language} block ${at}`);
  return found.text;
}
