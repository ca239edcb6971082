import { beforeEach, inject } from 'vitest';
import { hash } from '../conformance/probe/time.js';

/** One test in this many is run. */
const OF = 64;

/** A setup of `npm test`: of the live tests each commit draws some, and another commit draws others. */
const drawnBy = inject('commit');
beforeEach(({ skip, task }) => {
  if (!task.file.name.endsWith('.live.test.ts')) return;
  if (hash(`${drawnBy} ${task.file.name} ${task.fullTestName}`) % OF === 0) return;
  task.meta.leftOutBy = drawnBy;
  skip();
});

declare module 'vitest' {
  interface TaskMeta {
    /** The commit whose sample a live test is not part of. */
    leftOutBy?: string;
  }
}
