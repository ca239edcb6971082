// Writes the calls of the control interface into docs/control.md: `npm run docs`.
import { readFileSync, writeFileSync } from 'node:fs';
import { withCalls } from './control-docs.js';

const PAGE = 'docs/control.md';
writeFileSync(PAGE, await withCalls(readFileSync(PAGE, 'utf8')));
console.log(PAGE);
