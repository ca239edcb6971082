import type { ServedFile } from '../console/serve.js';
import { guardPage } from '../control/guard.js';
import type { PlainResponse } from '../http/response.js';
import type { ReceivedRequest } from '../requests/received-request.js';

/** Whether the client is a person's browser: browsers say so when a person goes to an address, and programs do not. */
const wantsPage = (request: ReceivedRequest): boolean => request.headers.get('accept')?.includes('text/html') ?? false;

const PLACE = '/_emulator/';
const ASSETS = '/_emulator/console/';

const leadTo = (location: string): PlainResponse => ({
  status: 303,
  headers: { location, vary: 'accept' },
  body: null,
});

/**
 * The way to the console (SEE-4): `/` and `/_emulator` redirect a browser to `/_emulator/`, which is the page.
 * Undefined for every other request. The page and its parts hold nothing of this emulator, so they need no token. Where
 * the control interface is closed to a host or an origin, the page is closed too.
 */
export function createPage(
  beyondLoopback: () => boolean,
  prefix = '',
): (request: ReceivedRequest, path: string) => Promise<PlainResponse> | PlainResponse | undefined {
  let files: Promise<(name: string) => Promise<ServedFile>> | undefined;
  const file = async (name: string, vary: boolean): Promise<PlainResponse> => {
    // Most emulators are never looked at: the page costs them nothing.
    files ??= import('../console/serve.js').then(({ createConsole }) => createConsole());
    const response = await (await files)(name);
    return vary ? { ...response, headers: { ...response.headers, vary: 'accept' } } : response;
  };
  return (request, url) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') return undefined;
    const path = url.split(/[?#]/, 1)[0] ?? '';
    const page = path === '/' || path === '/_emulator' || path === PLACE;
    if (page ? !wantsPage(request) : !path.startsWith(ASSETS)) return undefined;
    if (guardPage(request, beyondLoopback()) !== undefined) return undefined;
    if (!page) return file(path.slice(ASSETS.length), false);
    return path === PLACE ? file('index.html', true) : leadTo(prefix + PLACE);
  };
}
