import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { entities } from '../contract/visible.js';
import { page } from './pages.js';
import type { LoginDeps } from './terms.js';

const SESSION_COOKIE = '_session';

function show(ctx: KoaContextWithOIDC, status: number, error: string, description: string): void {
  ctx.status = status;
  if (ctx.accepts('json', 'html') === 'html') {
    ctx.type = 'html';
    ctx.body = page('This did not work', `<p>error: ${error}</p>\n<p>error_description: ${entities(description)}</p>`);
  } else {
    ctx.body = { error, error_description: description };
  }
}

/** The path of codes for devices. The provider takes a GET of it for a login in progress, and calls it `auth`. */
const DEVICE_CODES = '/device/auth';

/**
 * Whether a request continues from a page, and needs the session of that page: a device's code, and what follows it.
 */
const goesOn = (method: string, path: string) =>
  path === '/device' ? method === 'POST' : path.startsWith('/device/') && path !== DEVICE_CODES;

/**
 * Answers in the provider's own form what the provider leaves to Koa, whose answers are plain text and whose log is a
 * stack: unknown paths or methods, and failures. A device form that is sent without the session of its page is one of
 * those.
 */
export function ownErrors(provider: Provider, log: LoginDeps['log']) {
  const hasSession = async (ctx: KoaContextWithOIDC) => {
    const id = ctx.cookies.get(SESSION_COOKIE);
    return id !== undefined && (await provider.Session.find(id)) !== undefined;
  };
  return async (ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> => {
    try {
      // The provider's routes take either letter case, and a slash at the end.
      const path = ctx.path.toLowerCase().replace(/\/$/, '');
      if (path === DEVICE_CODES && (ctx.method === 'GET' || ctx.method === 'HEAD')) {
        ctx.set('allow', 'POST, OPTIONS');
        return show(ctx, 405, 'invalid_request', `${ctx.method} is not allowed here; POST asks for a code`);
      }
      if (goesOn(ctx.method, path) && !(await hasSession(ctx)))
        return show(
          ctx,
          400,
          'invalid_request',
          'this page was opened in another browser, or too long ago: open it again',
        );
      await next();
      if (ctx.status === 404 && ctx.body == null) show(ctx, 404, 'invalid_request', 'there is no such endpoint');
    } catch (error) {
      log?.({ level: 'error', event: 'login_failed', error: error instanceof Error ? error.stack : String(error) });
      show(ctx, 500, 'server_error', 'the login failed; see the log');
    }
  };
}
