import type { CaseClient } from '../../conformance/clients/attempt.js';
import type { Host } from '../../conformance/probe/time.js';
import { answerRun } from './client.js';
import type { Flaw } from './flaws.js';
import { overNetwork } from './network.js';

/** The reference client as one that the lab evaluates: in this process, over sockets; right, or wrong in one way. */
export function referenceClient(host: Host, flaw?: Flaw): CaseClient {
  const has = (name: Flaw) => name === flaw;
  const means = { transport: overNetwork(has), host, has, past: { aborted: false } };
  return {
    tells: true,
    async call(line, onEvent) {
      const began = host.now();
      let stop = () => {};
      // The right client always ends by itself: on a busy machine, late.
      const limit = flaw === undefined ? 120_000 : line.timeout + 1_000;
      const late = new Promise<undefined>((resolve) => {
        stop = host.later(limit, () => resolve(undefined));
      });
      const answer = await Promise.race([answerRun(line, means, onEvent), late]);
      stop();
      const took = host.now() - began;
      return answer === undefined
        ? { kind: 'hung', message: `no answer within ${limit} ms`, took }
        : { kind: 'answer', answer, took };
    },
  };
}
