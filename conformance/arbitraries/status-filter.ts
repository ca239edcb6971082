import fc from 'fast-check';

/** The statuses of the published API. */
export const STATUSES = [
  'queued',
  'provisioning',
  'running',
  'failed',
  'stopped',
  'destroying',
  'destroy_failed',
  'awaiting_slack_install',
] as const;

/** One to eight entries, repeats among them. */
export const statusFilter = (): fc.Arbitrary<string[]> =>
  fc.array(fc.constantFrom<string>(...STATUSES), { minLength: 1, maxLength: 8 });

/** Filters that are refused, each for a reason of its own. */
export const BAD_STATUSES = [
  '',
  'RUNNING',
  'suspended',
  'running,',
  'running,nope',
  Array(9).fill('running').join(','),
];

/** Filters that are refused: an unknown status, an empty entry, more than eight. */
export const badStatusFilter = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc
      .tuple(
        fc.array(fc.constantFrom<string>(...STATUSES), { maxLength: 6 }),
        fc.constantFrom('suspended', 'Running', 'RUNNING', 'run', 'destroyed', 'null', '*', 'runnin', 'running_'),
        fc.nat(6),
      )
      .map(([known, unknown, at]) => [...known.slice(0, at), unknown, ...known.slice(at)].join(',')),
    fc.constant(''),
    fc.array(fc.constantFrom<string>(...STATUSES), { minLength: 9, maxLength: 12 }).map((entries) => entries.join(',')),
    fc.constantFrom(...STATUSES).map((status) => Array(9).fill(status).join(',')),
  );
