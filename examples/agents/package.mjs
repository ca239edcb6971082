// The public doors of the package that this folder lies in: its commands and its modules, as package.json names them.
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');
const { bin, exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

/** The program and first argument of a command: `intern-emulator` or `intern-conformance`. */
export const commandOf = (name) => [process.execPath, join(ROOT, bin[name])];

/** Imports what the package exports under a path: `.`, `./conformance`. */
export const doorOf = (path) => import(join(ROOT, exports[path].default));

/** What keeps the package from being used, in one line, if anything. */
export const notBuilt = () =>
  existsSync(join(ROOT, bin['intern-emulator'])) ? undefined : `${ROOT} is not built: run npm run build there`;
