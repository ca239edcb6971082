import { hash } from 'node:crypto';
import type { SentRequest } from '../../contract/curl.js';
import type { DaemonReason } from '../../contract/daemon.js';
import { type Advice, type Facts, withBody } from './facts.js';

/** Asks for a new proof of the sent request; undefined unless its intern and whole body are known. */
function signAgain({ entry, base }: Facts): SentRequest | undefined {
  const { method, url, headers, body } = entry.request;
  const isEmpty = body === null && (headers['content-length'] ?? '0') === '0' && !headers['transfer-encoding'];
  const isWhole = body !== null && !entry.truncated && !body.includes('[redacted]');
  if (entry.intern_id === null || !(isEmpty || isWhole)) return undefined;
  return withBody(
    {
      method: 'POST',
      url: `${base}/interns/${entry.intern_id}/daemon/sign`,
      headers: { authorization: 'Bearer' },
      body: null,
    },
    {
      bodySha256: hash('sha256', body ?? '', 'hex'),
      ...(method === 'POST' && { route: { method, path: new URL(url).pathname } }),
    },
  );
}

const of = (at: string, what: string): Advice => ({
  in: 'header',
  at,
  do: what,
  send: signAgain,
  page: 'docs/proofs.md#how-a-daemon-judges',
});

export const DAEMON_ADVICE: Readonly<Record<DaemonReason, Advice>> = {
  token_invalid: of(
    'authorization',
    'Send "Authorization: Bearer" with the token of GET /interns/{id}/daemon, not with an API key. The token changes when the intern boots again, and opens nothing while it does not run.',
  ),
  proof_missing: of(
    'proof',
    'Send every header that POST /interns/{id}/daemon/sign answers, under the names that it gives them, beside the daemon token.',
  ),
  proof_malformed: of('proof', 'Send each header of the proof once, and exactly as the signing answered it.'),
  proof_expired: of('timestamp', 'Ask for a new proof right before each request: proofs live for 60 s by default.'),
  proof_from_future: of(
    'timestamp',
    'Ask for a proof, and do not set its time: it is the time of the service, in seconds. After the clock was set back, ask for a new one.',
  ),
  bad_signature: of(
    'signature',
    'Sign exactly what is sent: the SHA-256 of the bytes of the body, and with a route the method and path of this request. The proof holds for one intern and one person.',
  ),
  nonce_reused: of('nonce', 'Ask for a new proof for each request, a retry too: a nonce is accepted once.'),
};
