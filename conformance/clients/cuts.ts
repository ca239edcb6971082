import { type ClientCase, isScripted } from '../../emulator/contract/client-case.js';
import { bodyOf } from '../../emulator/lab/body.js';
import { createRandom, hash } from '../probe/time.js';

/** Offsets of a body at which it is divided; an empty list is the body in one piece. */
export type Cuts = readonly number[];

export interface CutOptions {
  /** `few`: at the places that matter and a few more; `all`: everywhere once; `pairs`: and at every two places. */
  readonly cuts?: 'none' | 'few' | 'all' | 'pairs';
  /** Decides the random places of `few`. */
  readonly seed?: string;
}

/** Bodies up to this size are also sent one byte a write. */
const SMALL = 2_048;

/** Where parsers go wrong: inside characters, between CR and LF, between line ends, inside `data:`, in the BOM. */
function telling(body: Uint8Array): number[] {
  const found = new Set<number>();
  const first = (test: (at: number) => boolean) => {
    for (let at = 1; at < body.length; at++) if (test(at)) return void found.add(at);
  };
  const byte = (at: number) => body[at] ?? 0;
  first((at) => (byte(at) & 0xc0) === 0x80);
  first((at) => (byte(at) & 0xc0) === 0x80 && (byte(at - 1) & 0xc0) === 0x80);
  first((at) => byte(at - 1) === 13 && byte(at) === 10);
  first((at) => at > 2 && byte(at - 1) === 13 && byte(at) === 10 && byte(at - 2) === 10);
  first((at) => byte(at - 1) === 10 && byte(at) === 10);
  first((at) => byte(at - 1) === 58);
  first((at) => byte(at - 1) === 100 && byte(at) === 97);
  return [...found];
}

/**
 * The ways to cut the body of a case, each as offsets for `serve` (LAB-6). A case that is not splittable is only sent
 * uncut: `[undefined]`.
 */
export function cutsOf(theCase: ClientCase, options: CutOptions = {}): (Cuts | undefined)[] {
  const { cuts = 'all', seed = '0' } = options;
  const [exchange] = theCase.exchanges;
  const fixed: (Cuts | undefined)[] = [undefined];
  if (cuts === 'none' || theCase.flags?.includes('splittable') !== true || exchange === undefined) return fixed;
  if (!isScripted(exchange)) return fixed;
  const body = bodyOf(exchange);
  const every = Array.from({ length: Math.max(0, body.length - 1) }, (_, at) => at + 1);
  const bytewise = body.length > 1 && body.length <= SMALL ? [every] : [];
  if (cuts === 'few') {
    const random = createRandom(hash(`${seed} ${theCase.id}`));
    const chance = body.length > 2 ? [1, 2].map(() => 1 + Math.floor(random() * (body.length - 1))) : [];
    return [...fixed, [], ...telling(body).map((at) => [at]), ...(chance.length > 0 ? [chance] : []), ...bytewise];
  }
  const pairs = cuts === 'pairs' ? every.flatMap((one, at) => every.slice(at + 1).map((other) => [one, other])) : [];
  return [...fixed, [], ...every.map((at) => [at]), ...pairs, ...bytewise];
}

/** The smallest part of a set of cuts that still fails: first half by half, then cut by cut. */
export async function shrinkCuts(cuts: Cuts, fails: (cuts: Cuts) => Promise<boolean>, most = 64): Promise<Cuts> {
  let best = [...cuts];
  let tries = 0;
  for (
    let size = Math.ceil(best.length / 2);
    size >= 1 && best.length > 0;
    size = size === 1 ? 0 : Math.ceil(size / 2)
  ) {
    for (let at = 0; at < best.length && tries < most; ) {
      const without = [...best.slice(0, at), ...best.slice(at + size)];
      tries++;
      if (await fails(without)) best = without;
      else at += size;
    }
  }
  return best;
}
