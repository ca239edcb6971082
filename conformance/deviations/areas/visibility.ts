import { Refusal } from '../../../emulator/contract/errors.js';
import type { Emulator } from '../../../emulator/emulator.js';
import { bodyOf, type Exchange, isJsonType, type Operation, TYPED, tokenOf } from '../combinators/exchange.js';
import { beforeHandling, callers, puts, visible, whenGone } from '../combinators/parts.js';
import { errorReply, errors, exchanges, responseOf } from '../combinators/replies.js';
import { instead, withTheKey } from '../combinators/requests.js';
import { defineDeviations, together } from '../mutant.js';

/** Whether it is sent with the own key of an intern: one that was made, or that of the seed. */
const isOwnKey = (request: Request, credentials: Emulator['target']['credentials']) =>
  tokenOf(request)?.startsWith('emu-ikey-') === true || tokenOf(request) === credentials.intern?.api_key;

const withAnOwnKey = (name: Operation) =>
  withTheKey(({ operation, request }, credentials) => operation === name && isOwnKey(request, credentials));

/** Refuses in another way what is there and hidden. */
const hidden = (refusal: () => Refusal) =>
  visible((caller, id, interns) => {
    try {
      return interns.visible(caller, id);
    } catch (error) {
      throw interns.get(id) ? refusal() : error;
    }
  });

/** A create of a caller outside the programme. */
const isOutsidersCreate = ({ operation, request }: Exchange, { credentials }: Emulator['target']) =>
  operation === 'create' && tokenOf(request) === credentials.outsider_api_key;

const NOT_OIDC = errorReply(403, 'Personal connections require the OIDC login', 'personal_identity_required');

const METHODS = { 'content-type': 'application/json', allow: 'GET' };

export const VISIBILITY = defineDeviations({
  // An intern's own key counts as the person who created the intern.
  'own-key-acts-as-its-creator': callers((caller, _token, interns) =>
    caller?.internId === undefined ? caller : { ...caller, id: interns.get(caller.internId)?.creator ?? caller.id },
  ),
  // An intern that the caller cannot see is 403.
  'hidden-is-403': hidden(() => new Refusal('regional')),
  // The 404 of a hidden intern has a message of its own.
  'hidden-says-so': hidden(() => new Refusal('not_found', { message: 'Intern not visible' })),
  // The 404 of a hidden intern has a header that one for an unknown id has not.
  'hidden-has-a-header': hidden(() => new Refusal('not_found', { headers: { vary: 'authorization' } })),
  // An API key asking for the daemon of a hidden intern is 403, of an unknown one 404.
  'kind-of-credential-first': () => {
    const known = new Set<string>();
    return together(
      puts((put) => (row, ...rest) => {
        known.add(row.id);
        return put(row, ...rest);
      }),
      exchanges(async ({ operation, internId = '', request }, next, { target }) => {
        const { api_key, peer_api_key, foreign_api_key } = target.credentials;
        const isKey = [api_key, peer_api_key, foreign_api_key].includes(tokenOf(request) ?? '');
        const response = await next(request);
        const isIt = (operation === 'daemon' || operation === 'sign') && response.status === 404;
        return isIt && isKey && known.has(internId) ? responseOf(NOT_OIDC) : response;
      }),
    );
  },
  'gone-differs-from-unknown': () => {
    const gone = new Set<string>();
    return together(
      whenGone((row) => gone.add(row.id)),
      errors({ of: ({ internId = '' }) => gone.has(internId), status: 404 }, { message: 'Intern was deleted' }),
    );
  },
  // An intern's own key sees the other interns of the workspace.
  'own-key-sees-the-workspace': visible((caller, id, interns) =>
    interns.visible({ ...caller, kind: caller.kind === 'own_key' ? 'api_key' : caller.kind }, id),
  ),
  // With an own key interns are created, in the name of who made it.
  'own-key-creates': withAnOwnKey('create'),
  // With an own key every intern of the workspace is provisioned.
  'own-key-provisions-others': withAnOwnKey('provision'),
  // A suspend of what the key does not see is 409.
  'suspend-of-a-hidden-intern-is-409': errors({ of: 'suspend', status: 404 }, { status: 409 }),
  // From outside the programme invoke is 403.
  'outsider-invokes-in-vain': instead(
    ({ operation, request }, { target }) =>
      operation === 'invoke' && tokenOf(request) === target.credentials.outsider_api_key,
    errorReply(403, 'Forbidden', 'forbidden'),
  ),
  'own-key-collection-is-403': exchanges(async ({ area, known, internId, request }, next, { target }) => {
    const response = await next(request);
    const isCollection = area === 'interns' && known && internId === undefined;
    return isCollection && response.status === 404 && isOwnKey(request, target.credentials)
      ? responseOf(errorReply(403, 'Forbidden'))
      : response;
  }),
  // An intern's own key is 404 on its own intern.
  'own-key-sees-nothing': visible((caller, id, interns) => {
    if (caller.kind === 'own_key') throw new Refusal('not_found');
    return interns.visible(caller, id);
  }),
  // An intern's own key cannot change or delete the intern.
  'own-key-only-reads': beforeHandling(['update', 'delete', 'suspend', 'provision'], ({ caller }) =>
    caller.kind === 'own_key' ? errorReply(403, 'Forbidden', 'forbidden') : undefined,
  ),
  // A caller outside the programme is 401.
  'outsider-is-401': callers((caller) =>
    caller && caller.kind !== 'management' && !caller.programme ? undefined : caller,
  ),
  // A wrong method is 405 for every caller.
  'method-before-programme': instead(
    ({ area, known, operation, request }) =>
      area === 'interns' &&
      request.headers.has('authorization') &&
      known &&
      request.method !== 'OPTIONS' &&
      operation === undefined,
    { ...errorReply(405, 'Method not allowed', 'method_not_allowed'), headers: METHODS },
  ),
  // A body of another media type is 415 for every caller.
  'media-type-before-programme': instead(
    ({ operation, request }) =>
      operation && TYPED.includes(operation) && request.headers.has('content-type') && !isJsonType(request),
    errorReply(415, 'Request body must be sent as application/json', 'unsupported_media_type'),
  ),
  // From outside the programme a create that is not JSON is 400.
  'create-looks-at-the-body-before-the-programme': instead(
    async (exchange, { target }) =>
      isOutsidersCreate(exchange, target) && (await bodyOf(exchange.request)) === undefined,
    errorReply(400, 'Invalid request body', 'invalid_body'),
  ),
  // From outside the programme a create that is too long is 413.
  'create-weighs-the-body-before-the-programme': instead(
    async (exchange, { target }) =>
      isOutsidersCreate(exchange, target) && (await exchange.request.clone().arrayBuffer()).byteLength > 1_048_576,
    errorReply(413, 'Request body exceeds 1048576 bytes', 'payload_too_large'),
  ),
});
