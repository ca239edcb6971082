import type { Results } from '../run/results.js';

/** Everything, for machines and for `report merge`. No text of a target is a command to a runner of GitHub Actions. */
export const json = (results: Results): string =>
  `${JSON.stringify(results, null, 2).replaceAll('##[', '#\\u0023[')}\n`;

/** Reads back what {@link json} wrote. Throws a line that says what is wrong. */
export function readResults(text: string, from: string): Results {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Error(`${from}: no JSON: ${error instanceof Error ? error.message : error}`);
  }
  const results = value as Partial<Results> | null;
  if (results?.format !== 'intern-conformance' || !Array.isArray(results.checks)) {
    throw new Error(`${from}: expected a JSON report of this kit`);
  }
  if (results.version !== 1) throw new Error(`${from}: version ${results.version} of the report is not known here`);
  return results as Results;
}
