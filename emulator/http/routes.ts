import { type ChatDeps, chatRoute } from './chat.js';
import { type DaemonRouteDeps, daemonAliasRoute, daemonRoute } from './daemon.js';
import { type InternRoutesDeps, internRoutes } from './interns.js';
import { invokeRoute } from './invoke.js';
import type { Route } from './route.js';
import { type ScimRoutesDeps, scimRoutes } from './scim.js';
import { type SignDeps, signAliasRoute, signRoute } from './sign.js';
import { type VaultRoutesDeps, vaultRoutes } from './vault.js';

export interface RoutesDeps {
  readonly interns: InternRoutesDeps;
  readonly chat: ChatDeps;
  readonly daemon: DaemonRouteDeps;
  readonly sign: SignDeps;
  readonly scim: ScimRoutesDeps;
  readonly vault: VaultRoutesDeps;
}

/** The route table: every operation of the interface. */
export const createRoutes = ({ interns, chat, daemon, sign, scim, vault }: RoutesDeps): readonly Route[] => [
  ...internRoutes(interns),
  chatRoute(chat),
  invokeRoute(chat),
  daemonRoute(daemon),
  daemonAliasRoute(daemon),
  signRoute(sign),
  signAliasRoute(sign),
  ...scimRoutes(scim),
  ...vaultRoutes(vault),
];
