import { hash } from '../framework/random.js';
import type { Send } from '../probe/request.js';

/** The media type application/json, as it may be spelled too: its name in any case, and with parameters (RFC 9110, 8.3.1). */
export const SPELLINGS = [
  'application/json; charset=utf-8',
  'Application/JSON',
  'application/json;charset="UTF-8"',
  'APPLICATION/JSON; Charset=UTF-8',
] as const;

/** Of these it is stated that they look at the media type. */
const LOOKS = /^(POST \/interns|(PATCH|DELETE) \/interns\/[^/]+|POST \/interns\/[^/]+\/daemon(-access)?\/sign)$/;

/** One of so many writes is spelled otherwise, until so many were refused for it. */
const OF = 3;
const MOST = 5;

/** Spells the content type of some writes otherwise, as the seed of the run has it. */
export function createSpellings(seed: string) {
  const drawn = new WeakMap<Send, { readonly type: string; times: number }>();
  let count = 0;
  let refused = 0;
  return {
    /** The content type of a JSON body; undefined for the usual one. `path`: below the base. */
    of(send: Send, path: string): string | undefined {
      const before = drawn.get(send);
      if (before !== undefined) return ++before.times === 2 ? undefined : before.type;
      if (refused >= MOST || !LOOKS.test(`${send.method} ${path}`)) return undefined;
      const at = hash(`${seed} ${count++}`) >>> 0;
      const type = at % OF === 0 ? SPELLINGS[(at >>> 8) % SPELLINGS.length] : undefined;
      if (type !== undefined) drawn.set(send, { type, times: 1 });
      return type;
    },
    /** Whether it is sent again after such an answer: once, and as usual. */
    again(send: Send, status: number): boolean {
      if (status !== 415 || drawn.get(send)?.times !== 1) return false;
      refused++;
      return true;
    },
  };
}
