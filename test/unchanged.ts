import { afterAll, expect } from 'vitest';

/** Globals that all files of a process share, and that one could change for the others. */
const shared = () => ({
  cwd: process.cwd(),
  env: { ...process.env },
  globals: [Date, fetch, Headers, queueMicrotask, ReadableStream, Request, Response, setImmediate, setTimeout],
  listeners: ['SIGINT', 'SIGTERM', 'uncaughtException', 'unhandledRejection'].map((name) =>
    process.listenerCount(name),
  ),
});

// Files share a process, since no module has a state of its own. A file that leaves something changed fails itself.
const before = shared();
afterAll(() => {
  const after = shared();
  for (const name of ['cwd', 'env', 'globals', 'listeners'] as const)
    expect(after[name], `this file changes the ${name} of its process, which others share`).toEqual(before[name]);
});
