import type { ClientCase } from '../../emulator/contract/client-case.js';
import { CHAT } from './chat.js';
import { HTTP } from './http.js';
import { SIGNING } from './signing.js';
import { SSE } from './sse.js';

/** Every case of the client lab by the file of `fixtures/client-cases` that holds it. */
const FILES: Readonly<Record<string, readonly ClientCase[]>> = { sse: SSE, http: HTTP, chat: CHAT, signing: SIGNING };

/** Each file's name, cases and text. */
export const CLIENT_CASES = Object.entries(FILES).map(([name, cases]) => ({
  name: `${name}.json`,
  cases,
  text: `${JSON.stringify({ format: 1, cases }, null, 1)}\n`,
}));
