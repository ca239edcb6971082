import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** The action of this repository, as GitHub reads it. */
export const action = parse(readFileSync(join(import.meta.dirname, '..', 'action.yml'), 'utf8')) as {
  inputs: Record<string, { description: string; default: string }>;
  outputs: Record<string, { value: string }>;
  runs: {
    using: string;
    steps: {
      name: string;
      id?: string;
      env?: Record<string, string>;
      run?: string;
      with?: Record<string, unknown>;
    }[];
  };
};
