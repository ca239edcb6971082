import type { IncomingMessage, ServerResponse } from 'node:http';
import type { InteractionResults, Provider } from 'oidc-provider';
import type { Member } from '../contract/seed.js';
import { loginPage, PAGE_POLICY, page } from './pages.js';
import { LOGIN_PATH } from './terms.js';

/** Bytes of a form that are read. */
const LARGEST_FORM = 16_384;

async function readForm(request: IncomingMessage): Promise<URLSearchParams | undefined> {
  let text = '';
  for await (const chunk of request) {
    text += String(chunk);
    if (text.length > LARGEST_FORM) return undefined;
  }
  return new URLSearchParams(text);
}

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'cache-control': 'no-store',
  'content-security-policy': PAGE_POLICY,
};

/** Path of the page for one interaction. */
export const interactionPath = (uid: string, prefix = '') => `${prefix}${LOGIN_PATH}/interaction/${uid}`;

/**
 * The page between an authorization request and its answer. Login and consent are one form: who, and with which grant.
 * A grant has the scopes that were requested, without `vault:read` if the person left it out.
 */
export function createInteraction(provider: Provider, members: readonly Member[], prefix = '') {
  const show = (response: ServerResponse, status: number, html: string) => {
    response.writeHead(status, HEADERS).end(html);
  };

  const finish = async (request: IncomingMessage, response: ServerResponse, result: InteractionResults) =>
    provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });

  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let details: Awaited<ReturnType<Provider['interactionDetails']>>;
    try {
      details = await provider.interactionDetails(request, response);
    } catch {
      return show(response, 400, page('Log in', '<p>This login is over, or was started in another browser.</p>'));
    }
    const { uid, params, session } = details;
    const scopes = String(params.scope).split(' ');
    const client = await provider.Client.find(String(params.client_id));
    const vaultAsked = scopes.includes('vault:read');
    if (request.method !== 'POST') {
      const chosen = members.find((member) => member.oauth_subject === session?.accountId)?.id;
      const name = client?.clientName ?? String(params.client_id);
      return show(
        response,
        200,
        loginPage({ action: interactionPath(uid, prefix), client: name, members, vaultAsked, chosen }),
      );
    }
    const form = await readForm(request);
    if (form?.get('decision') === 'deny') {
      return finish(request, response, { error: 'access_denied', error_description: 'the person said no' });
    }
    const member = members.find((candidate) => candidate.id === form?.get('member'));
    const grantKind = form?.get('grant');
    if (!member || (grantKind !== 'full' && grantKind !== 'interns')) {
      return show(response, 400, page('Log in', '<p>Choose a person and a grant.</p>'));
    }
    const grant = new provider.Grant({ accountId: member.oauth_subject, clientId: String(params.client_id) });
    for (const scope of scopes) {
      if (scope === 'vault:read' && grantKind === 'interns') grant.rejectOIDCScope(scope);
      else if (scope !== '') grant.addOIDCScope(scope);
    }
    const grantId = await grant.save();
    return finish(request, response, { login: { accountId: member.oauth_subject }, consent: { grantId } });
  };
}
