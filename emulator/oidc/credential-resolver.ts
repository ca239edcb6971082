import type { Accounts } from '../domain/accounts.js';
import type { Caller } from '../domain/caller.js';
import type { Login } from './login.js';
import type { LoginToken } from './terms.js';

const callerOfLogin = ({ member, grant }: LoginToken): Caller => ({
  id: member.id,
  kind: 'oauth',
  workspaceId: member.workspace_id,
  programme: member.programme,
  subject: member.oauth_subject,
  grant,
});

/** Resolves a bearer token: a seeded one, an intern's own key, or one from a login (AUTH-2). */
export function credentialResolver(accounts: Accounts, login: Pick<Login, 'resolveToken'>) {
  return (token: string): Caller | undefined | Promise<Caller | undefined> => {
    const seeded = accounts.resolve(token);
    if (seeded) return seeded;
    const callerOf = (found: LoginToken | undefined) => {
      // From here on it is a credential like the seeded ones: never shown, wherever it is quoted (AUTH-9).
      if (found) accounts.addLoginToken(token);
      return found && callerOfLogin(found);
    };
    const found = login.resolveToken(token);
    return found instanceof Promise ? found.then(callerOf) : callerOf(found);
  };
}
