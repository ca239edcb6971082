// Seen: PrimeIntellect-ai/prime#678: the idempotency key was made anew for each attempt of one create.
import { explored } from './tools.mjs';

export const judge = (folder) =>
  explored(folder, ['main.mjs', 'night'], 'lost,unavailable,refused', ['--require', 'transient']);

// biome-ignore-start lint/suspicious/noTemplateCurlyInString: text of the client
export const solution = {
  'main.mjs': [
    ['async function create(name) {', 'async function create(name, idempotencyKey) {'],
    ["'idempotency-key': randomUUID(),", "'idempotency-key': idempotencyKey,"],
    ['`${name}-${randomUUID().slice(0, 4)}`', 'name'],
    ['async function untilMade(name, attempt = 1) {', 'async function untilMade(name, idempotencyKey, attempt = 1) {'],
    ['return await create(name);', 'return await create(name, idempotencyKey);'],
    ['return untilMade(name, attempt + 1);', 'return untilMade(name, idempotencyKey, attempt + 1);'],
    [
      'await untilMade(process.argv[2]);',
      'await untilMade(`${process.argv[2]}-${randomUUID().slice(0, 4)}`, randomUUID());',
    ],
  ],
};
// biome-ignore-end lint/suspicious/noTemplateCurlyInString: text of the client
