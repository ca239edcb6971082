// Signatures and verifications per second at 32 connections, against bare Hono routes that make and verify two Ed25519
// signatures; each side in a process of its own, in turns. Run after `npm run build`: npx tsx bench/sign.ts
import { createHash, sign as signature } from 'node:crypto';
import { promisify } from 'node:util';
import autocannon from 'autocannon';
import { createClock } from '../emulator/clock/clock.js';
import { createRandom } from '../emulator/clock/random.js';
import { PROFILES } from '../emulator/contract/profile.js';
import { loadSigningKey } from '../emulator/signing/keys.js';
import { createSigner } from '../emulator/signing/signer.js';
import { median, report, start } from './lib.js';

const ROUNDS = 3;
const SECONDS = 2;
const PROOFS = 4_000;
const inPool = promisify(signature);

const signingKey = loadSigningKey({ seed: 'bench' });
const emulator = await start(
  'emulator.mjs',
  JSON.stringify({ signingKey: signingKey.pem, settings: { turns_per_minute: 0 } }),
);
const bare = await start('bare-proofs.mjs', JSON.stringify(signingKey.pem));
const { base_url, daemon_origin, credentials } = emulator.hello as unknown as {
  base_url: string;
  daemon_origin: string;
  credentials: { oauth_token: string; intern: { id: string } };
};
const authorization = `Bearer ${credentials.oauth_token}`;
const intern = `${base_url}/interns/${credentials.intern.id}`;
const access = (await (await fetch(`${intern}/daemon`, { headers: { authorization } })).json()) as { token: string };

const body = '{"input":"hello"}';
const bodySha256 = createHash('sha256').update(body).digest('hex');
const signBody = JSON.stringify({ bodySha256, route: { method: 'POST', path: '/api/invoke' } });

type Result = { non2xx: number; errors: number; requests: { average: number; total: number } };
const judged = (what: string, { non2xx, errors, requests }: Result): number => {
  if (non2xx + errors > 0) throw new Error(`${what}: ${non2xx} refusals, ${errors} errors`);
  return requests.average;
};

const sign = async (url: string, duration: number) => {
  const headers = { authorization, 'content-type': 'application/json' };
  return judged(url, await autocannon({ url, connections: 32, duration, method: 'POST', headers, body: signBody }));
};

const clock = createClock('real');
const random = createRandom();
const signer = createSigner(signingKey, PROFILES.svc.proof_layout);
const prove = () => {
  const route = { method: 'POST', path: '/api/invoke', nonce: random.bytes(16).toString('base64url') };
  const timestamp = Math.floor(clock.now() / 1_000);
  const proof = signer.sign({ internId: credentials.intern.id, timestamp, user: 'user_alice', bodySha256, route });
  return {
    authorization: `Bearer ${access.token}`,
    'x-intern': credentials.intern.id,
    'x-svc-invoke-signature': proof.signature,
    'x-svc-invoke-timestamp': proof.timestamp,
    'x-svc-invoke-user': proof.user,
    'x-svc-invoke-signature-v2': proof.signatureV2 ?? '',
    'x-svc-invoke-nonce': route.nonce,
  };
};

/** A proof is accepted once: each request takes one of its own, made before the round. */
const verify = async (origin: string, amount: number) => {
  const proofs = Array.from({ length: amount }, prove);
  const url = `${origin}/api/invoke`;
  const began = performance.now();
  // Its own duration ends with the second in which the last answer came.
  let ended = began;
  const result = await new Promise<Result>((resolve, reject) => {
    const instance = autocannon(
      {
        url,
        connections: 32,
        amount,
        method: 'POST',
        body,
        requests: [{ setupRequest: (request) => ({ ...request, headers: proofs.pop() ?? {} }) }],
      },
      (error, found) => (error ? reject(error) : resolve(found)),
    );
    instance.on('response', () => {
      ended = performance.now();
    });
  });
  judged(url, result);
  return (amount * 1_000) / (ended - began);
};

const sides = { emulator: `${intern}/daemon/sign`, bare: `${bare.hello.url}/sign` };
const origins = { emulator: daemon_origin, bare: String(bare.hello.url) };
const rates = {
  sign: { emulator: [] as number[], bare: [] as number[] },
  verify: { emulator: [] as number[], bare: [] as number[] },
};
for (const url of Object.values(sides)) await sign(url, 1);
for (const origin of Object.values(origins)) await verify(origin, 1_000);
/** Processor time per request in µs: the same even if other work takes its share of the machine. */
const costs = {
  sign: { emulator: [] as number[], bare: [] as number[] },
  verify: { emulator: [] as number[], bare: [] as number[] },
};
const servers = { emulator, bare };
for (let round = 0; round < ROUNDS; round++) {
  for (const side of ['emulator', 'bare'] as const) {
    const before = servers[side].cpu();
    const rate = await sign(sides[side], SECONDS);
    const between = servers[side].cpu();
    rates.sign[side].push(rate);
    costs.sign[side].push(((between - before) * 1e6) / (rate * SECONDS));
    rates.verify[side].push(await verify(origins[side], PROOFS));
    costs.verify[side].push(((servers[side].cpu() - between) * 1e6) / PROOFS);
  }
}
for (const [what, name] of [
  ['sign', 'sign requests/s with both proofs'],
  ['verify', 'daemon verifications/s, v2'],
] as const) {
  const { emulator: ours, bare: theirs } = rates[what];
  console.log(`${name}: emulator ${Math.round(median(ours))}, bare route ${Math.round(median(theirs))}`);
  const cost = (side: 'emulator' | 'bare') => Math.round(median(costs[what][side]));
  console.log(`processor time each: emulator ${cost('emulator')} µs, bare route ${cost('bare')} µs`);
  const share = median(ours.map((rate, round) => rate / (theirs[round] ?? 1)));
  const byCost = median(costs[what].emulator.map((cost, round) => (costs[what].bare[round] ?? 0) / cost));
  console.log(`by processor time, of a bare Hono route: ${Math.round(byCost * 100)} %`);
  report(`${name}, of a bare Hono route`, `${Math.round(share * 100)} %`, '≥ 70 %', share >= 0.7);
}
await Promise.all([emulator.stop(), bare.stop()]);

/** The cost of a signature, in µs: made at once, and in Node's thread pool, 32 at a time. */
async function poolCosts(count: number) {
  const bytes = Buffer.alloc(200, 'x');
  const cpu = () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  };
  const before = cpu();
  for (let i = 0; i < count; i++) signature(null, bytes, signingKey.privateKey);
  const between = cpu();
  const idle = performance.eventLoopUtilization();
  let left = count;
  const signer = async () => {
    while (left-- > 0) await inPool(null, bytes, signingKey.privateKey);
  };
  await Promise.all(Array.from({ length: 32 }, signer));
  const { active } = performance.eventLoopUtilization(idle);
  return {
    atOnce: (between - before) / count,
    inPool: (cpu() - between) / count,
    ofThread: (active * 1_000) / count,
  };
}
await poolCosts(1_000);
const { atOnce, inPool: pooled, ofThread } = await poolCosts(10_000);
console.log(
  `a signature: ${atOnce.toFixed(0)} µs at once; in the thread pool ${pooled.toFixed(0)} µs, ${ofThread.toFixed(0)} µs of them of the thread that serves`,
);
