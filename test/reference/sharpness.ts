import { evaluate } from '../../conformance/clients/evaluate.js';
import { checkInProcess, isInProcess } from '../../conformance/clients/in-process.js';
import { runLine } from '../../conformance/clients/protocol.js';
import type { Host } from '../../conformance/probe/time.js';
import { type ClientCase, isScripted } from '../../emulator/contract/client-case.js';
import type { Lab } from '../../emulator/lab/lab.js';
import { referenceClient } from './as-client.js';
import { answerRun } from './client.js';
import type { Flaw, FlawArea } from './flaws.js';
import { inProcess } from './transport.js';

/** How sharp the catalogue is: which wrong clients each case catches (LAB-12). */
export interface Score {
  readonly cases: number;
  /** Cases that catch at least one wrong client. */
  readonly sharp: number;
  readonly flaws: number;
  /** Wrong clients that at least one case catches. */
  readonly caught: number;
  /** The wrong clients that a case catches, the one that the fewest cases catch first. */
  readonly catches: Readonly<Record<string, readonly string[]>>;
}

/** Whether a case needs no socket: bytes alone, and nothing that time or order decides. */
export const isPlain = (theCase: ClientCase): boolean =>
  isInProcess(theCase) &&
  !theCase.id.startsWith('http-') &&
  theCase.exchanges.every((exchange) => isScripted(exchange) && !exchange.steps.some((step) => 'end' in step)) &&
  theCase.expect.prompt === undefined &&
  theCase.expect.within === undefined &&
  theCase.flags?.includes('linear') !== true;

const CONCERNS: Readonly<Record<FlawArea, (theCase: ClientCase) => boolean>> = {
  stream: ({ id }) => /^(sse|chat)-/.test(id),
  http: (one) => /^(http|coding|h2)-|^abort-leave/.test(one.id) || (one.id.startsWith('chat-') && !isPlain(one)),
  time: ({ id }) => /^(idle|abort)-/.test(id),
  transport: ({ id }) => /^(h2|coding)-/.test(id),
  chat: ({ id }) => id.startsWith('chat-') || id.endsWith('-after-done'),
  signing: ({ id }) => id.startsWith('sign-'),
};

/** Whether it is worth trying a mistake of this area on a case. */
export const concerns = (area: FlawArea, theCase: ClientCase): boolean => CONCERNS[area](theCase);

/** Whether a case catches a client with one mistake. */
export async function catches(theCase: ClientCase, flaw: Flaw, lab: Lab, host: Host): Promise<boolean> {
  if (isPlain(theCase)) {
    const line = { run: 'r', url: 'http://lab.test/c', base_url: 'http://lab.test', key: 'key' };
    const has = (name: Flaw) => name === flaw;
    const read = (response: Response) =>
      answerRun(runLine(theCase, line), { transport: inProcess(() => response), host, has });
    return (await checkInProcess(theCase, read, { cuts: 'few' })).counterexample !== undefined;
  }
  const { watching } = await evaluate(theCase, referenceClient(host, flaw), lab, { cuts: 'few', seed: '0', host });
  return (await watching).verdict === 'fail';
}
