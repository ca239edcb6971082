import type { Reader } from '../../conformance/clients/in-process.js';
import { runLine } from '../../conformance/clients/protocol.js';
import { systemHost } from '../../conformance/probe/time.js';
import { answerRun } from './client.js';
import { inProcess } from './transport.js';

const line = { run: 'r', url: 'http://lab.test/c', base_url: 'http://lab.test', key: 'key' };

/** No time passes: these tests must not depend on the speed of the machine. */
export const still = () => () => 0;

/** The reference client over responses; without mistakes, or with one. */
export const reader =
  (flaw?: string): Reader =>
  (response, theCase, onEvent) =>
    answerRun(
      runLine(theCase, line),
      { transport: inProcess(() => response), host: systemHost, has: (name) => name === flaw },
      onEvent,
    );
