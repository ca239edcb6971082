import type { z } from 'zod';
import { place } from '../contract/problem.js';
import { STEP_NAMES } from '../contract/script.js';

/** An invalid script: where it came from, and per problem the JSON path and what was expected. */
export class ScriptInvalid extends Error {
  override readonly name = 'ScriptInvalid';
  readonly status = 400;
  constructor(
    readonly file: string,
    readonly problems: readonly string[],
  ) {
    super(`${file}: ${problems.join('; ')}`);
  }
}

/** `turn[3].then[0].say` */
export const jsonPath = (path: readonly PropertyKey[]): string => place(path, 'the script');

const at = (value: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce((inner: unknown, key) => (inner as Record<PropertyKey, unknown> | undefined)?.[key], value);

/**
 * The problems of a value that a schema refused. For a step, which may be one of several kinds, only the problems of
 * the kind it means to be are reported.
 */
export function problemsOf(issues: readonly z.core.$ZodIssue[], value: unknown, base: PropertyKey[] = []): string[] {
  return issues.flatMap((issue) => {
    const path = [...base, ...issue.path];
    if (issue.code === 'invalid_union' && issue.errors.length === STEP_NAMES.length) {
      const step = at(value, path);
      if (typeof step !== 'object' || step === null || Array.isArray(step)) {
        return [`${jsonPath(path)}: expected a step, an object with one of ${STEP_NAMES.join(', ')}`];
      }
      const kinds = STEP_NAMES.filter((name) => name in step);
      const kind = kinds[0];
      if (kind === undefined) {
        return [
          `${jsonPath(path)}: expected a step with one of ${STEP_NAMES.join(', ')}; found ${Object.keys(step)
            .slice(0, 5)
            .map((name) => JSON.stringify(name.slice(0, 60)))}`,
        ];
      }
      if (kinds.length > 1) return [`${jsonPath(path)}: expected one kind of step, found ${kinds.join(' and ')}`];
      return problemsOf(issue.errors[STEP_NAMES.indexOf(kind)] ?? [], value, path);
    }
    return [`${jsonPath(path)}: ${issue.message}`];
  });
}
