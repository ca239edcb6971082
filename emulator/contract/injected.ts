import type { Injected } from './fault.js';

export function injectedText({ status, delay, disconnect, reset, at, disturb, write }: Injected): string {
  const done = [
    delay !== undefined && `made it wait ${delay} ms`,
    status !== undefined && `answered ${status} in place of the service`,
    disconnect !== undefined && `dropped its connection ${disconnect === true ? 'before-headers' : disconnect}`,
    reset === true && 'reset the connection',
    at !== undefined && `made its ${at} step fail`,
    disturb !== undefined && `disturbed it: ${disturb}${write === undefined ? '' : ` at ${write}`}`,
  ];
  return done.filter((text) => typeof text === 'string').join(', ');
}
