// The style and the script of the reports' pages as one module. The style is the console's, and what the reports add to it.
// `npm run docs` writes it.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { transform } from 'esbuild';

const ROOT = resolve(import.meta.dirname, '..');
const STYLES = [
  'emulator/console/page/styles/tokens.css',
  'emulator/console/page/styles/base.css',
  'conformance/report/page/report.css',
];
const SCRIPT = 'conformance/report/page/page.js';
const TARGET = ['chrome116', 'firefox124', 'safari17.4'];

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
// A template literal would read a backslash and `${`.
const literal = (text: string): string =>
  `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

/** The module, as it should be. */
export async function reportAssets(): Promise<string> {
  const styles = await transform(STYLES.map(read).join('\n'), { loader: 'css', minify: true, target: TARGET });
  // A `</script` within the text would end the element.
  const script = await transform(read(SCRIPT), { loader: 'js', minify: true, format: 'iife', target: TARGET });
  return `// Written by \`npm run docs\` from ${[...STYLES, SCRIPT].join(', ')}. Do not edit.
/** The console's styles, and what the reports add. */
export const STYLE =
  ${literal(styles.code.trim())};

/** Filters that stand in the address, and the keyboard. */
export const SCRIPT =
  ${literal(script.code.trim())};
`;
}
