import { join } from 'node:path';
import { inject } from 'vitest';

/** A file of the package as it ships: `builtFile('emulator/index.js')`. The build is of this run of the tests. */
export const builtFile = (path: string): string => join(inject('built'), path);

/** A command of the package. */
export const commandOf = (name: 'intern-emulator' | 'intern-conformance'): string => builtFile(`bin/${name}.js`);
