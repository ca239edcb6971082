import type { BootFailure, Obstacle, ObstacleSeen, Waited } from '../../framework/stop.js';

/** `120 s`, `150 s of its clock`. */
export const waitedText = ({ ms, clock }: Waited): string =>
  `${ms / 1_000} s${clock === 'virtual' ? ' of its clock' : ''}`;

/** The things that obstacles keep a check from. */
const OBSTACLES: Readonly<Record<Obstacle, string>> = {
  create: 'no intern could be created',
  running: 'no intern came to run',
  gone: 'a deleted intern stays',
  chat: 'chat does not answer with a stream that ends',
  streaming: 'streams arrive only when they end',
  answers: 'no answer to a question is taken',
};

/** Why an intern did not come to run. */
export function bootText(failure: BootFailure, which = 'the boot of an intern'): string {
  if (failure.kind === 'boot-failed')
    return `${which} failed${failure.message === undefined ? '' : ` (${failure.message})`}`;
  const { status } = failure;
  const waited = waitedText(failure.waited);
  return ['queued', 'provisioning'].includes(status)
    ? `an intern still boots after ${waited}; allow more with --boot-timeout`
    : `an intern that was provisioned did not come to run within ${waited}; it is ${status}`;
}

/** The blocker, as it was seen or in general. */
export function obstacleText(obstacle: Obstacle, seen: ObstacleSeen | undefined): string {
  if (seen === undefined) return OBSTACLES[obstacle];
  switch (seen.kind) {
    case 'create':
      return seen.status === undefined ? 'a valid create gave no answer' : `a valid create answered ${seen.status}`;
    case 'not-own':
      return 'a valid create answered no intern of its own';
    case 'stays':
      return `a deleted intern is still there after ${waitedText(seen.waited)}`;
    case 'never-was':
      return `the intern that was made did not become ${seen.status}`;
    case 'silent':
      return 'a prompt was answered with nothing, not even a keepalive';
    default:
      return bootText(seen);
  }
}
