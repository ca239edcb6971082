import type { EventEmitter } from 'node:events';

/** For plants: sees the events of a class before its listeners do, and keeps from them those that it answers true for. */
export function seesFirst(
  { prototype }: { readonly prototype: EventEmitter },
  sees: (name: unknown, ...given: unknown[]) => boolean | undefined,
): void {
  const { emit } = prototype;
  prototype.emit = function (this: EventEmitter, ...given: Parameters<typeof emit>) {
    return sees(...given) || emit.apply(this, given);
  } as typeof emit;
}

/** Ends the process. */
export const die = (): void =>
  void setImmediate(() => {
    throw new Error('planted');
  });
