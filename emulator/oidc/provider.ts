import type { IncomingMessage, ServerResponse } from 'node:http';
import Provider, { type Configuration, type KoaContextWithOIDC } from 'oidc-provider';
import { entities } from '../contract/visible.js';
import { newRsaKey } from '../signing/new-key.js';
import { createAdapterFactory } from './adapter.js';
import { createInteraction, interactionPath } from './interaction.js';
import { ownErrors } from './own-errors.js';
import { page } from './pages.js';
import { ownPolicy } from './policy.js';
import { grantOf, LOGIN_PATH, type LoginDeps, type LoginToken } from './terms.js';

/** The client that is known without registration: public, for a terminal, on any loopback port. */
export const TERMINAL_CLIENT = 'intern-terminal';

/** The local provider, once it is loaded. */
export interface LocalProvider {
  handle(request: IncomingMessage, response: ServerResponse): Promise<void>;
  resolveToken(token: string): Promise<LoginToken | undefined>;
}

const HOSTS = ['127.0.0.1', 'localhost', '[::1]'];
const PATHS = ['/', '/callback', '/oauth/callback'];
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

const show = (ctx: KoaContextWithOIDC, title: string, body: string) => {
  ctx.type = 'html';
  ctx.body = page(title, body);
};

const pages = {
  async userCodeInputSource(ctx: KoaContextWithOIDC, form: string, _out?: unknown, error?: Error) {
    const say = error
      ? '<p>That code is unknown or has expired. Try again.</p>'
      : '<p>Type the code that your terminal shows.</p>';
    show(ctx, 'Connect a terminal', `${say}${form}<button type="submit" form="op.deviceInputForm">Continue</button>`);
  },
  async userCodeConfirmSource(
    ctx: KoaContextWithOIDC,
    form: string,
    client: { clientId: string; clientName?: string | undefined },
    _: unknown,
    code: string,
  ) {
    const name = entities(client.clientName ?? client.clientId);
    show(
      ctx,
      'Connect a terminal',
      `<p><strong>${name}</strong> shows this code: <code>${entities(code)}</code></p>${form}
<button type="submit" form="op.deviceConfirmForm">Yes, it does</button>
<button type="submit" form="op.deviceConfirmForm" value="yes" name="abort">No</button>`,
    );
  },
  async successSource(ctx: KoaContextWithOIDC) {
    show(ctx, 'Connected', '<p>The terminal is logged in. You can close this page.</p>');
  },
};

/**
 * A real OIDC provider (panva's oidc-provider) over the seeded people: discovery, authorization code with PKCE, device
 * flow, refresh, revocation, open registration of clients. Its state is its own and in memory. It uses the host's clock
 * and draws its own random values: expiry of its tokens follows neither a virtual clock nor the seed.
 */
export async function createProvider(deps: LoginDeps): Promise<LocalProvider> {
  const { members } = deps;
  const key = await newRsaKey();
  const byGrant = (subject: string) => members.find((member) => member.oauth_subject === subject);

  const configuration: Configuration = {
    adapter: createAdapterFactory(),
    jwks: { keys: [{ ...key.export({ format: 'jwk' }), alg: 'RS256', use: 'sig' } as never] },
    cookies: { keys: [deps.random.bytes(32).toString('base64url')] },
    clients: [
      {
        client_id: TERMINAL_CLIENT,
        client_name: 'Intern terminal',
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token', DEVICE_GRANT],
        response_types: ['code'],
        redirect_uris: HOSTS.flatMap((host) => PATHS.map((path) => `http://${host}${path}`)),
      },
    ],
    scopes: ['openid', 'offline_access', 'profile', 'interns', 'vault:read'],
    claims: { openid: ['sub'], profile: ['name'] },
    pkce: { required: () => true },
    features: {
      devInteractions: { enabled: false },
      deviceFlow: { enabled: true, ...pages },
      revocation: { enabled: true, allowedPolicy: async (_, client, token) => token.clientId === client.clientId },
      registration: { enabled: true },
      rpInitiatedLogout: { enabled: false },
    },
    interactions: { url: (_, interaction) => interactionPath(interaction.uid, deps.prefix) },
    findAccount(_, subject) {
      const member = byGrant(subject);
      if (!member) return undefined;
      return { accountId: subject, claims: async () => ({ sub: subject, name: member.name }) };
    },
    issueRefreshToken: async (_, client) => client.grantTypeAllowed('refresh_token'),
    expiresWithSession: async () => false,
    ttl: {
      AccessToken: 3_600,
      AuthorizationCode: 60,
      DeviceCode: 600,
      Grant: 14 * 86_400,
      IdToken: 3_600,
      Interaction: 3_600,
      RefreshToken: 14 * 86_400,
      Session: 14 * 86_400,
    },
    async renderError(ctx, out) {
      const rows = Object.entries(out).map(([key, value]) => `<p>${entities(key)}: ${entities(String(value))}</p>`);
      show(ctx, 'This did not work', rows.join('\n'));
    },
  };

  const provider = new Provider(deps.issuer(), configuration);
  provider.use(ownPolicy);
  provider.use(ownErrors(provider, deps.log));
  const callback = provider.callback();
  const interaction = createInteraction(provider, members, deps.prefix);
  provider.on('server_error', (_, error) =>
    deps.log?.({ level: 'error', event: 'login_failed', error: error.message }),
  );

  return {
    async handle(request, response) {
      const url = request.url ?? '/';
      if (url.startsWith(`${LOGIN_PATH}/interaction/`)) return interaction(request, response);
      // The provider's routes do not know where it is mounted. Its links do, from the original URL.
      Object.assign(request, { originalUrl: (deps.prefix ?? '') + url, url: url.slice(LOGIN_PATH.length) || '/' });
      await callback(request, response);
    },
    async resolveToken(token) {
      const found = await provider.AccessToken.find(token);
      const member = found?.isValid && found.accountId !== undefined ? byGrant(found.accountId) : undefined;
      if (!found || !member) return undefined;
      const grant = grantOf((found.scope ?? '').split(' '));
      return grant && { member, grant };
    },
  };
}
