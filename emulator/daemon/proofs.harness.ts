import { createHash } from 'node:crypto';
import { type ClockControl, createClock } from '../clock/clock.js';
import { createFairQueue } from '../clock/fair-queue.js';
import { createRandom } from '../clock/random.js';
import { blankIntern } from '../contract/intern-row.js';
import { PROFILES, type Profile, type ProofHeaders, proofAsHeaders, proofHeaders } from '../contract/profile.js';
import type { InternRow } from '../contract/state.js';
import { loadSigningKey } from '../signing/keys.js';
import type { KeptNonces } from './nonces.js';
import { createProofs, type Proofs } from './proofs.js';

export const ALICE = 'user|alice';
export const BOB = 'user|bob';
export const INTERN = '11111111-1111-4111-8111-111111111111';
export const OTHER_INTERN = '22222222-2222-4222-8222-222222222222';
export const ORIGIN = 'http://127.0.0.1:4684';

/** An intern's row, as a lifecycle would leave it. */
export function internRow(id: string): InternRow {
  const blank = blankIntern(id, '2026-01-01T00:00:00.000Z');
  return {
    ...blank,
    seq: 1,
    record: {
      ...blank.record,
      name: 'tester',
      status: 'running',
      hostname: 'host',
      workspace_id: id,
      vault_id: id,
    },
    creator: 'alice',
    api_key: `key-${id}`,
    booted: { model: null, instructions: null },
    disk_id: id,
    daemon_token: `token-${id}`,
  };
}

export const sha256 = (body: Uint8Array | string) => createHash('sha256').update(body).digest('hex');

export interface Bench extends Proofs {
  readonly clock: ClockControl;
  readonly profile: Profile;
  readonly names: ProofHeaders;
  readonly logged: { event: string; [detail: string]: unknown }[];
  /** A valid proof of Alice's for the first intern, as headers with the daemon token. */
  prove(what?: { body?: Uint8Array | string; v2?: boolean }): Record<string, string>;
  /** Sends a request to the daemon. */
  send(what: {
    headers: NonNullable<RequestInit['headers']>;
    body?: NonNullable<RequestInit['body']>;
    method?: string;
    path?: string;
  }): Promise<{
    status: number;
    detail?: string;
    json: { ok?: true; verified?: Record<string, string>; error?: DaemonError };
  }>;
}

interface DaemonError {
  code: number;
  message: string;
  metadata: { reason: string; retryable: boolean; hint?: string };
}

/** Signer, daemon and lab over two running interns, on a virtual clock. For tests. */
export function createBench(options: { requireV2?: boolean; window?: number; kept?: KeptNonces } = {}): Bench {
  const clock = createClock('virtual');
  const random = createRandom('bench');
  const profile = PROFILES.svc;
  const names = proofHeaders(profile);
  const interns = new Map([INTERN, OTHER_INTERN].map((id) => [id, internRow(id)]));
  const logged: Bench['logged'] = [];
  const proofs = createProofs({
    clock,
    heavyWork: createFairQueue(clock),
    random,
    profile,
    signingKey: loadSigningKey({ seed: 'bench' }),
    interns,
    subjects: () => [ALICE, BOB],
    settings: () => ({ proof_window: options.window ?? 60_000 }),
    daemonOrigin: () => ORIGIN,
    requestId: () => 'request',
    requireV2: options.requireV2,
    kept: options.kept,
    log: (record) => logged.push(record),
    onRequest: (request) => logged.push({ event: 'request', ...request }),
  });
  return {
    ...proofs,
    clock,
    profile,
    names,
    logged,
    prove({ body = '', v2 = true } = {}) {
      const proof = proofs.signer.sign({
        internId: INTERN,
        timestamp: Math.floor(clock.now() / 1_000),
        user: ALICE,
        bodySha256: sha256(body),
        ...(v2 && { route: { method: 'POST', path: '/api/invoke', nonce: random.bytes(16).toString('base64url') } }),
      });
      return { authorization: `Bearer token-${INTERN}`, ...proofAsHeaders(names, proof) };
    },
    async send({ headers, body, method = 'POST', path = '/api/invoke' }) {
      const init: RequestInit & { duplex?: 'half' } = {
        method,
        headers,
        ...(body !== undefined && { body, duplex: 'half' }),
      };
      const response = await proofs.daemon.fetch(new Request(ORIGIN + path, init));
      const text = await response.text();
      const detail = response.headers.get('x-emulator-detail');
      const json = text === '' ? {} : JSON.parse(text);
      return { ...(detail !== null && { detail }), status: response.status, json };
    },
  };
}
