/** The `index`-th of `of` parts, from 1. */
export interface Shard {
  readonly index: number;
  readonly of: number;
}

/** A shard as `i/n` names it; undefined if it names none. */
export function shardIn(text: string): Shard | undefined {
  const [, index = 0, of = 0] = /^(\d+)\/(\d+)$/.exec(text)?.map(Number) ?? [];
  return index >= 1 && index <= of ? { index, of } : undefined;
}

/** Whether a shard holds the unit at an index. Without a shard, every unit is held. */
export const isInShard = (shard: Shard | undefined, at: number): boolean =>
  shard === undefined || at % shard.of === shard.index - 1;
