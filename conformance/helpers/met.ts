import type { Asked } from '../framework/watch.js';
import { OPERATIONS } from './operations.js';

const SOME = 'any';

/** Operations as exchanges name them, by the names that checks have for them. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ...OPERATIONS.map(
    ({ name, method, path }) => [`${method} ${path(SOME).replace(`/${SOME}`, '/{internId}')}`, name] as const,
  ),
  ['GET /scim/group-mappings/{id}', 'scim'] as const,
]);

/** Ids that every server on the way takes for one segment of a path. */
const PLAIN = /^[\w.~-]+$/;

/**
 * The name of the operation of the interface that was asked. Undefined for any other path or method, and for ids that a server
 * may refuse before it knows what was asked.
 */
export const nameOf = ({ operation, id }: Pick<Asked, 'operation' | 'id'>): string | undefined =>
  id === undefined || PLAIN.test(id) ? NAMES.get(operation) : undefined;

/** Whether an answer signs, by the operation or its alias. */
export const isSigning = (name: string | undefined): boolean => name === 'sign' || name === 'sign alias';
