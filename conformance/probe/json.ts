import { isTooDeep, MAX_NESTING } from '../../emulator/contract/nesting.js';

export { jsonOf } from '../../emulator/contract/nesting.js';

/** JSON that is nested deeper than {@link MAX_NESTING}. */
export class TooDeep extends SyntaxError {
  override readonly name = 'TooDeep';
  constructor() {
    super(`JSON of more than ${MAX_NESTING} levels`);
  }
}

/**
 * The value of a JSON text of a target.
 *
 * @throws TooDeep, SyntaxError
 */
export function parseJson(text: string): unknown {
  if (isTooDeep(text)) throw new TooDeep();
  return JSON.parse(text);
}

export { isRecord, recordOf } from '../../emulator/contract/record.js';
