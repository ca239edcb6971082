/** Options of validators whose code is made quickly: most of it runs a few times. */
export const QUICK = { strict: false, inlineRefs: false, code: { optimize: false } } as const;
