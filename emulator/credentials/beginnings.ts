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

/** The spellings of a beginning: as it is, and in Base64. */
export const PLAINLY = 1;
export const IN_BASE64 = 2;

/** The beginnings of all known values: at most places of a text one look at a byte rules them all out. */
export function createBeginnings() {
  /** The spellings of each. */
  const all = new Map<number, number>();
  let bits = new Uint8Array(1_024);
  const mark = (hash: number, spelling: number) => {
    const at = hash & (bits.length - 1);
    bits[at] = (bits[at] ?? 0) | spelling;
  };
  return {
    add(hash: number, spelling: number) {
      all.set(hash, (all.get(hash) ?? 0) | spelling);
      if (all.size * 32 > bits.length) {
        bits = new Uint8Array(bits.length * 4);
        for (const [each, spellings] of all) mark(each, spellings);
      } else {
        mark(hash, spelling);
      }
    },
    /** The first place of a text, from one on, where something may begin in one of these spellings; -1 if there is none. */
    next(text: string, from: number, spellings: number): number {
      if (all.size === 0 || text.length - from < SEARCHED_FROM) return -1;
      const mask = bits.length - 1;
      let sum = hash(text, from);
      for (let place = from; ; place++) {
        if (((bits[sum & mask] ?? 0) & spellings) !== 0 && ((all.get(sum) ?? 0) & spellings) !== 0) return place;
        if (place + SEARCHED_FROM >= text.length) return -1;
        sum =
          (Math.imul(sum, BASE) + text.charCodeAt(place + SEARCHED_FROM) - Math.imul(POWER, text.charCodeAt(place))) |
          0;
      }
    },
  };
}
