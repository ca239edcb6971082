import type { Member } from '../contract/seed.js';
import { entities } from '../contract/visible.js';

/**
 * The policy of the login's pages: nobody may frame them to steal clicks, and no script runs but those whose hashes the
 * provider adds. It looks for a `script-src` to add them to.
 */
export const PAGE_POLICY =
  "default-src 'none'; script-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'";

/** A plain page; `body` is HTML. */
export const page = (title: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${entities(title)}</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 32rem; margin: 3rem auto; padding: 0 1rem; color: #222; }
fieldset { border: 1px solid #ccc; border-radius: 6px; margin: 0 0 1rem; padding: .75rem 1rem; }
label { display: block; padding: .2rem 0; }
button { font: inherit; padding: .5rem 1.2rem; margin-right: .5rem; }
input[type=text] { font: inherit; padding: .4rem; letter-spacing: .1em; }
small { color: #555; }
</style>
</head>
<body>
<h1>${entities(title)}</h1>
${body}
</body>
</html>
`;

/**
 * The page on which a person says who they are and what the client may do. Both choices are radio buttons of one form.
 */
export function loginPage(options: {
  action: string;
  client: string;
  members: readonly Member[];
  /** Whether the client asked for `vault:read`; a grant never has more than was requested. */
  vaultAsked: boolean;
  chosen: string | undefined;
}): string {
  const { action, client, members, vaultAsked, chosen } = options;
  const people = members.map((member, index) => {
    const checked = chosen === undefined ? index === 0 : member.id === chosen;
    const text = `${entities(member.name)} <small>${entities(member.oauth_subject)}</small>`;
    return `<label><input type="radio" name="member" value="${entities(member.id)}"${checked ? ' checked' : ''}> ${text}</label>`;
  });
  const full = vaultAsked
    ? '<label><input type="radio" name="grant" value="full" checked> Interns and personal connections <small>interns vault:read</small></label>'
    : '<p><small>The client did not ask for vault:read.</small></p>';
  return page(
    'Log in',
    `<p><strong>${entities(client)}</strong> wants to act for you. This is an emulator: be anybody you like.</p>
<form method="post" action="${entities(action)}">
<fieldset><legend>Who are you?</legend>
${people.join('\n')}
</fieldset>
<fieldset><legend>What may it use?</legend>
${full}
<label><input type="radio" name="grant" value="interns"${vaultAsked ? '' : ' checked'}> Interns only <small>interns</small></label>
</fieldset>
<button type="submit" name="decision" value="allow">Allow</button>
<button type="submit" name="decision" value="deny">Deny</button>
</form>`,
  );
}
