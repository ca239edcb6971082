import { type ClientCase, clientCaseSchema } from '../contract/client-case.js';
import { suggestion } from '../contract/nearest.js';
import { problem, words } from '../contract/problem.js';
import { loadZod } from '../contract/with-zod.js';
import { cases } from './cases.js';
import { createLab, type LabOptions, type RunRequest } from './lab.js';
import type { OpenLab } from './lazy.js';

const z = loadZod();

/** A run that cannot be started as requested. */
export class LabRequestError extends Error {
  override readonly name = 'LabRequestError';
  constructor(
    message: string,
    readonly status: 400 | 404,
  ) {
    super(message);
  }
}

const cuts = z.array(z.int().min(0)).optional();
const namedBody = z.strictObject({ case: z.string('expected the id of a case, or a case'), cuts });
const wholeBody = z.strictObject({ case: clientCaseSchema, cuts });

const runSchema = z.union([namedBody, wholeBody]);

function findCase(given: string): ClientCase {
  const found = cases.find(({ id }) => id === given);
  const known = cases.map(({ id }) => id);
  if (found === undefined) throw new LabRequestError(`no case ${given}${suggestion(given, known)}`, 404);
  return found;
}

function readRun(body: unknown): RunRequest {
  const isWhole = typeof (body as { case?: unknown } | null)?.case === 'object';
  const parsed = (isWhole ? wholeBody : namedBody).safeParse(body, { error: words });
  if (!parsed.success) throw new LabRequestError(problem(parsed.error, 'body'), 400);
  const { case: given, cuts: wanted } = parsed.data;
  if (typeof given !== 'string') return { case: given, cuts: wanted };
  return { case: findCase(given), cuts: wanted };
}

/** The lab of an emulator with its catalogue, loaded on first use. */
export const loadLab = (options: LabOptions): OpenLab => ({
  ...createLab(options),
  cases,
  findCase,
  readRun,
  runSchema,
});
