import type { Seen, Wrong } from '../types.js';

/** Interns that the program made, and that are there at the end. */
export function leftBehind({ requests, interns }: Seen): Seen['interns'] {
  const made = new Set(requests.flatMap(({ madeId }) => madeId ?? []));
  return interns.filter(({ id }) => made.has(id));
}

/** Interns that are left behind where the program passes, with what it did about them. */
export function brokenTidy(seen: Seen, allowed: number): Wrong | undefined {
  const left = leftBehind(seen);
  if (left.length <= allowed) return undefined;
  const names = left.map(({ name, status }) => `${name} (${status})`).join(', ');
  const tried = seen.requests.find(
    ({ operation, path }) => operation === 'delete' && left.some(({ id }) => path.includes(id)),
  );
  return tried === undefined
    ? { message: `it left ${names}, and sent no delete`, request: 'create', did: 'sends no delete' }
    : {
        message: `it left ${names}: its delete did not come to its end`,
        request: 'delete',
        did: 'leaves its delete at that',
      };
}
