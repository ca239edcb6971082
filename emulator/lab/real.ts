type InProcess = (input: string, init?: RequestInit) => Promise<Response>;

/** The part of an emulator that a signing case needs. */
export interface SigningEmulator {
  readonly target: {
    readonly base_url: string;
    readonly daemon_origin: string;
    readonly credentials: { readonly oauth_token: string; readonly intern?: { readonly id: string } | undefined };
  };
  readonly clock: { now(): number; advance(ms: number): Promise<void> };
  readonly fetch: InProcess;
  readonly daemon: { readonly fetch: InProcess };
  close(): Promise<void>;
}

/** Makes one whose clock stands still until it is advanced. */
export type MakeSigningEmulator = (options: { readonly clock: 'virtual'; readonly quiet: true }) => SigningEmulator;

/** The emulator's own sign and daemon, for one run alone: its own clock, nonces and limiter. */
export interface RealSigning {
  /** A credential that may sign. */
  readonly key: string;
  sign(init: RequestInit): Promise<Response>;
  /** The daemon token of its intern. */
  readonly token: string;
  daemon(path: string, init: RequestInit): Promise<Response>;
  advance(seconds: number): Promise<void>;
  close(): Promise<void>;
}

/** Makes them `offset` seconds away from real time. */
export async function realSigning(make: MakeSigningEmulator, now: number, offset: number): Promise<RealSigning> {
  const emulator = make({ clock: 'virtual', quiet: true });
  const { credentials, base_url, daemon_origin } = emulator.target;
  const { intern } = credentials;
  if (intern === undefined) throw new RangeError('the lab needs a seed with a running intern');
  await emulator.clock.advance(Math.max(0, now + offset * 1_000 - emulator.clock.now()));
  const access = await emulator.fetch(`${base_url}/interns/${intern.id}/daemon`, {
    headers: { authorization: `Bearer ${credentials.oauth_token}` },
  });
  const { token } = (await access.json()) as { token: string };
  return {
    key: credentials.oauth_token,
    sign: (init) => emulator.fetch(`${base_url}/interns/${intern.id}/daemon/sign`, init),
    token,
    daemon: (path, init) => emulator.daemon.fetch(`${daemon_origin}${path}`, init),
    advance: (seconds) => emulator.clock.advance(seconds * 1_000),
    close: () => emulator.close(),
  };
}
