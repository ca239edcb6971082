import type { IncomingMessage, ServerResponse } from 'node:http';
import { LOGIN_PATH, type LoginDeps, type LoginToken } from './terms.js';

/** The terminal client's OIDC login. */
export interface Login {
  /** Whether a path is the provider's. */
  handles(path: string): boolean;
  /** Serves a request of the provider's, or refuses it with the reason that the guard gave. */
  nodeHandler(request: IncomingMessage, response: ServerResponse, refused?: string): void;
  /** The person and grant of a bearer token that is not a seeded one; undefined if it belongs to nobody. */
  resolveToken(token: string): LoginToken | undefined | Promise<LoginToken | undefined>;
  /** Forgets every login: clients, sessions, tokens. */
  reset(): void;
}

/** An error in the form of OAuth (RFC 6749). */
function oauthError(response: ServerResponse, status: number, error: string, description: string): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify({ error, error_description: description }));
}

/** Loads the provider without its warning, in plain text among our records, that it wants a later Node than 20. */
async function loadQuietly(): Promise<typeof import('./provider.js')> {
  const { warn } = console;
  const warnOfElse = (...said: unknown[]) => {
    if (typeof said[0] !== 'string' || !said[0].includes('oidc-provider WARNING: Unsupported runtime')) warn(...said);
  };
  // Another emulator of this process is loading it.
  if (warn.name === warnOfElse.name) return import('./provider.js');
  console.warn = warnOfElse;
  return import('./provider.js').finally(() => {
    if (console.warn === warnOfElse) console.warn = warn;
  });
}

/**
 * The login of an emulator. The provider and the JWT library are loaded on first use, so an emulator whose users have
 * seeded tokens pays nothing.
 */
export function createLogin(deps: LoginDeps): Login {
  const { outsideIssuer } = deps;
  if (outsideIssuer !== undefined) {
    let outside: Promise<(token: string) => Promise<LoginToken | undefined>> | undefined;
    return {
      handles: () => false,
      nodeHandler: (_, response) => response.writeHead(404).end(),
      resolveToken(token) {
        // Compact JWS have three parts. API keys and seeded tokens have not, and cost no look at the issuer.
        if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token)) return undefined;
        outside ??= import('./outside.js').then(({ createOutside }) => createOutside(deps, outsideIssuer));
        return outside.then((resolve) => resolve(token));
      },
      reset() {
        outside = undefined;
      },
    };
  }

  let local: Promise<import('./provider.js').LocalProvider> | undefined;
  const load = () => {
    local ??= loadQuietly().then(({ createProvider }) => createProvider(deps));
    return local;
  };
  return {
    handles: (path) => path === LOGIN_PATH || path.startsWith(`${LOGIN_PATH}/`) || path.startsWith(`${LOGIN_PATH}?`),
    nodeHandler(request, response, refused) {
      if (refused !== undefined) return oauthError(response, 403, 'access_denied', refused);
      load()
        .then((provider) => provider.handle(request, response))
        .catch((error: unknown) => {
          deps.log?.({
            level: 'error',
            event: 'login_failed',
            error: error instanceof Error ? error.stack : String(error),
          });
          if (response.headersSent) response.destroy();
          else oauthError(response, 500, 'server_error', 'the login failed; see the log');
        });
    },
    resolveToken(token) {
      // Without a provider, there is no token of its making.
      return local?.then((provider) => provider.resolveToken(token));
    },
    reset() {
      local = undefined;
    },
  };
}
