// A process that asks a server as the kit does. Each message is an address; the answer is the outcome.

import { networkFetch } from '../../conformance/drivers/network.js';
import { createClient, whyNoAnswer } from '../../conformance/probe/client.js';
import { createRedactor } from '../../conformance/probe/redact.js';
import { systemHost } from '../../conformance/probe/time.js';
import { answerEach } from './ask-child.js';
import type { Probed } from './upstreams.js';

const TIMEOUT_MS = 400;

async function probe(url: string): Promise<Probed> {
  const client = createClient({
    fetch: networkFetch,
    baseUrl: url,
    host: systemHost,
    redactor: createRedactor(),
    credential: () => 'a-key-of-the-fuzzer',
    timeout: TIMEOUT_MS,
  });
  try {
    const { status } = await client.send({ url });
    return { status };
  } catch (error) {
    const why = whyNoAnswer(error);
    if (why === undefined) throw error;
    return { why: `${why.kind}: ${why.detail}` };
  } finally {
    // The evidence is shown, so it must be possible to show it.
    JSON.stringify(client.exchanges());
    await client.closeAll();
  }
}

answerEach(probe);
