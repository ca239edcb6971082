/** Of Node, what the types of the contract lead to: its schemas load zod. A page has only the types, and never calls it. */
declare module 'node:module' {
  export function createRequire(from: string): (id: string) => never;
}
