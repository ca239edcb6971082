import type { ClientCase } from '../../emulator/contract/client-case.js';
import { CHAT } from './chat.js';
import { GATEWAYS } from './gateways.js';
import { HTTP } from './http.js';
import { SIGNING } from './signing.js';
import { SSE } from './sse.js';
import { TIME } from './time.js';
import { TRANSPORT } from './transport.js';

/** Every case of the client lab by the file of `fixtures/client-cases` that holds it. */
const FILES: Readonly<Record<string, readonly ClientCase[]>> = {
  sse: SSE,
  http: HTTP,
  chat: [...CHAT, ...GATEWAYS],
  signing: SIGNING,
  time: TIME,
  transport: TRANSPORT,
};

/** Each file's name, cases and text. */
export const CLIENT_CASES = Object.entries(FILES).map(([name, cases]) => ({
  name: `${name}.json`,
  cases,
  // A case a line: half the size, and a change of a case is a change of its line.
  text: `{"format":2,"cases":[\n${cases.map((one) => JSON.stringify(one)).join(',\n')}\n]}\n`,
}));
