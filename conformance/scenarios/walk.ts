import { defineChecks } from '../framework/check.js';
import { walk } from '../requests/walk.js';

/** Requests in orders that nobody wrote down. */
export const WALK = defineChecks({
  'walk/interface': {
    requirement: 'LIFE-1',
    title: 'Whatever is asked before and between, every answer is as the rules say.',
    needs: ['running'],
    walks: true,
    maxRuns: 20,
    run: walk,
  },
});
