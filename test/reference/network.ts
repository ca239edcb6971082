import type { Has } from './flaws.js';
import { overHttp2 } from './h2.js';
import { overHttp, type Transport } from './transport.js';

/** Over sockets: HTTP/1.1, and HTTP/2 where the URL is one of TLS. */
export function overNetwork(has: Has): Transport {
  const [plain, secure] = [overHttp(has), overHttp2(has)];
  return (outgoing) => (outgoing.url.startsWith('https:') ? secure : plain)(outgoing);
}
