import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folderOf = (input) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1];

/** The licences of the packages that a bundle holds copies of, as one text. `inputs` are the paths of its sources. */
export function bundledLicences(inputs) {
  const folders = [...new Set(inputs.map(folderOf).filter((folder) => folder !== undefined))].sort();
  const parts = folders.map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
    if (!file && license !== 'MIT') throw new Error(`${name} comes without the text of its licence, ${license}`);
    return `${name} ${version} (${license})\n\n${file ? readFileSync(join(folder, file), 'utf8').trim() : ''}\n`;
  });
  return `This package holds copies of the following.\n\n${parts.join(`\n${'-'.repeat(80)}\n\n`)}`;
}
