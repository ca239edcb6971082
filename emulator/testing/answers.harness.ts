import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { answerSchemas } from '../control/answer-schemas.js';
import { ANSWERS } from '../control/answers.js';
import { components } from '../openapi/schemas.js';
import type { Observed } from './exchanges.harness.js';
import { QUICK } from './quick.harness.js';

/** Rows by the pattern of their paths, those with the fewest parameters first. */
const ROWS = Object.keys(ANSWERS)
  .sort((first, second) => first.split(':').length - second.split(':').length)
  .map((row) => ({ row, pattern: new RegExp(`^${row.replace(/ \/$/, ' ').replace(/:\w+/g, '[^/]+')}$`) }));

/** The row of the control interface that a request met; undefined for another path. */
export const rowOf = ({ method, url }: Pick<Observed, 'method' | 'url'>): string | undefined => {
  const path = url.split('?')[0]?.match(/\/_emulator(.*)$/)?.[1];
  return ROWS.find(({ pattern }) => pattern.test(`${method} ${path}`))?.row;
};

const validators = new Map<string, ValidateFunction>();
const ajv = new Ajv2020(QUICK);
addFormats.default(ajv);

function validatorOf(row: string, schema: object): ValidateFunction {
  // When it is first needed: most tests ask nothing of the control interface.
  if (validators.size === 0)
    ajv.addSchema({ $id: 'control', components: { schemas: components(answerSchemas, 'output') } });
  const here = JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"control#/components'));
  const made = validators.get(row) ?? ajv.compile(here);
  validators.set(row, made);
  return made;
}

/** How an answer of the control interface differs from what its document says. Refusals and other paths differ in nothing. */
export function validateControl({ method, url, status, headers, text }: Observed): string[] {
  const row = rowOf({ method, url });
  const answer = ANSWERS[row ?? ''];
  if (row === undefined || answer === undefined || status >= 400) return [];
  if (status !== answer.status) return [`status ${status}, expected ${answer.status}`];
  const type = headers.get('content-type')?.split(';')[0];
  if (type === undefined) return Object.keys(answer.content).length === 0 ? [] : ['content type: missing'];
  const content = answer.content[type];
  if (content === undefined) return [`content type ${type}`];
  if (type !== 'application/json') return [];
  const validate = validatorOf(row, content.schema);
  if (validate(JSON.parse(text))) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
