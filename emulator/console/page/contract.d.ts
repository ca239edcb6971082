/** The part of Node that the contract's types name: its schemas load zod. A page uses the types alone, and never calls it. */
declare module 'node:module' {
  export function createRequire(from: string): (id: string) => never;
}
