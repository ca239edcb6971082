import fc from 'fast-check';

/**
 * Imported by each test that draws its cases with fast-check, so that the suite tries the same cases each time and
 * never fails by chance. `FC_SEED=7` draws others.
 */
fc.configureGlobal({ seed: Number(process.env.FC_SEED ?? 1) });
