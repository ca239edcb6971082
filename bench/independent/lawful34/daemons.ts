import { withRequest } from '../../../emulator/wire/request.js';
import { bearer } from '../lawful30/helpers.js';
import type { Way } from '../world.js';

const LIFE = 90_000;
const STATUS: Readonly<Record<string, number>> = { nonce_reused: 409, proof_missing: 400, proof_expired: 410 };

export const daemons: readonly Way[] = [
  {
    // A credential of its own; how long it lives is not shown. Each reveal makes another.
    name: 'a daemon token is good for ninety seconds',
    lawful: true,
    quote: 'How keys and tokens are issued, and their lifetimes: not shown.',
    wrong: (world) => {
      let count = 0;
      return world.ok('daemon daemon-alias', (body) => {
        count += 1;
        body.token = `${world.setting.host.now()}.${count}.${String(body.token)}`;
      });
    },
    daemons: (world) => async (call, next) => {
      const [, at, inner] = /^(\d+)\.\d+\.(.+)$/.exec(bearer(call.request)) ?? [];
      if (at === undefined || inner === undefined) return next();
      const expired = world.setting.host.now() - Number(at) > LIFE;
      if (expired) world.hit();
      const token = expired ? 'expired' : inner;
      return next(withRequest(call.request, { headers: { authorization: `Bearer ${token}` } }));
    },
  },
  {
    name: 'daemons take proofs for ten seconds, and answer in plain text',
    lawful: true,
    quote: 'Length of the proof validity window in the daemon: not shown.',
    factories: (usual) => ({
      createProofs: (deps) =>
        usual.createProofs({ ...deps, settings: () => ({ ...deps.settings(), proof_window: 10_000 }) }),
    }),
    daemons: (world) => async (_call, next) => {
      const response = await next();
      world.hit();
      if (response.ok) return new Response(null, { status: 204 });
      const { error } = (await response.json()) as { error?: { metadata?: { reason?: string } } };
      const reason = error?.metadata?.reason ?? '';
      return new Response(`refused: ${reason}\n`, { status: STATUS[reason] ?? response.status });
    },
  },
];
