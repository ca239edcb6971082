import fc from 'fast-check';

/**
 * Imported by each test that draws its cases with fast-check: a suite that may not fail by chance tries the same ones each
 * time. `FC_SEED=7` draws others.
 */
fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 1) });
