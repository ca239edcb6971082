/** A shorter text is searched for only as a whole. It is also how many first characters lead to a value. */
export const SEARCHED_FROM = 8;

const BASE = 0x01000193;
const POWER = Array.from({ length: SEARCHED_FROM }).reduce<number>((power) => Math.imul(power, BASE), 1);
/** A hash of the characters of a place, which rolls from one place of a text to the next. */
export const hash = (text: string, place = 0): number => {
  let sum = 0;
  for (let at = place; at < place + SEARCHED_FROM; at++) sum = (Math.imul(sum, BASE) + text.charCodeAt(at)) | 0;
  return sum;
};

/** The beginnings of all known values: at most places of a text one look at a byte rules them all out. */
export function createBeginnings() {
  const all = new Set<number>();
  let bits = new Uint8Array(1_024);
  return {
    add(hash: number) {
      all.add(hash);
      if (all.size * 32 > bits.length) {
        bits = new Uint8Array(bits.length * 4);
        for (const each of all) bits[each & (bits.length - 1)] = 1;
      } else {
        bits[hash & (bits.length - 1)] = 1;
      }
    },
    /** The first place of a text, from one on, where something may begin; -1 if there is none. */
    next(text: string, from: number): number {
      if (all.size === 0 || text.length - from < SEARCHED_FROM) return -1;
      const mask = bits.length - 1;
      let sum = hash(text, from);
      for (let place = from; ; place++) {
        if (bits[sum & mask] === 1 && all.has(sum)) return place;
        if (place + SEARCHED_FROM >= text.length) return -1;
        sum =
          (Math.imul(sum, BASE) + text.charCodeAt(place + SEARCHED_FROM) - Math.imul(POWER, text.charCodeAt(place))) |
          0;
      }
    },
  };
}
