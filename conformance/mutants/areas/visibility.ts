import { Refusal } from '../../../emulator/contract/errors.js';
import { bodyOf, tokenOf } from '../../../emulator/wire/request.js';
import { defineMutants, type Mutation, together } from '../mutant.js';
import { answers, errorReply, errors, refused } from '../operators/answers.js';
import { all, by, isJsonType, isOf, type Of, TYPED } from '../operators/exchange.js';
import { callers, knowingGone, puts, refusesCalls, visible } from '../operators/parts.js';
import { as, instead } from '../operators/requests.js';

/** Whether it is sent with the own key of an intern: one that was made, or that of the seed. */
const byAnOwnKey: Of = ({ request, emulator }) =>
  tokenOf(request)?.startsWith('emu-ikey-') === true ||
  tokenOf(request) === emulator.target.credentials.intern?.api_key;

/** Refuses in another way what is there and hidden. */
const hidden = (refusal: () => Refusal) =>
  visible((caller, id, interns) => {
    try {
      return interns.visible(caller, id);
    } catch (error) {
      throw interns.get(id) ? refusal() : error;
    }
  });

const byAnApiKey: Of = (exchange) =>
  (['api_key', 'peer_api_key', 'foreign_api_key'] as const).some((name) => isOf(by(name), exchange));

/** Hands a mutation whether a request names an intern that was made. */
const knowing = (make: (isKnown: Of) => Mutation) => (): Mutation => {
  const known = new Set<string>();
  return together(
    puts((put) => (row, ...rest) => {
      known.add(row.id);
      return put(row, ...rest);
    }),
    make(({ internId = '' }) => known.has(internId)),
  );
};

/** A create of a caller outside the programme. */
const outsidersCreate = all('create', by('outsider_api_key'));

export const VISIBILITY = defineMutants({
  // An intern's own key counts as the person who created the intern.
  'own-key-acts-as-its-creator': callers((caller, _token, interns) =>
    caller?.internId === undefined ? caller : { ...caller, id: interns.get(caller.internId)?.creator ?? caller.id },
  ),
  'hidden-is-403': hidden(() => new Refusal('regional')),
  'hidden-says-so': hidden(() => new Refusal('not_found', { message: 'Intern not visible' })),
  'hidden-has-a-header': hidden(() => new Refusal('not_found', { headers: { vary: 'authorization' } })),
  // An API key asking for the daemon of a hidden intern is 403, of an unknown one 404.
  'kind-of-credential-first': knowing((isKnown) =>
    answers({ of: all(['daemon', 'sign'], byAnApiKey, isKnown), status: 404 }, refused('personal_identity_required')),
  ),
  // Without a key an unknown intern is 404, and a known one 401.
  'unknown-before-the-key': knowing((isKnown) =>
    answers(
      {
        of: all(
          'interns',
          by('nobody'),
          ({ internId }) => internId !== undefined,
          (exchange) => !isOf(isKnown, exchange),
        ),
        status: 401,
      },
      refused('not_found'),
    ),
  ),
  // A prompt to a hidden intern that rests is refused as one that the caller sees.
  'hidden-tells-its-state': () => {
    const states = new Map<string, string>();
    return together(
      puts((put) => (...given) => {
        const row = put(...given);
        states.set(row.id, row.record.status);
        return row;
      }),
      answers(
        {
          of: all(['chat', 'invoke'], by('foreign_api_key'), ({ internId = '' }) => states.get(internId) === 'stopped'),
          status: 404,
        },
        refused('intern_not_ready'),
      ),
    );
  },
  // An intern that was deleted is 404 with a message of its own.
  'gone-differs-from-unknown': knowingGone((gone) =>
    errors({ of: ({ internId = '' }) => gone.has(internId), status: 404 }, { message: 'Intern was deleted' }),
  ),
  'own-key-sees-the-workspace': visible((caller, id, interns) =>
    interns.visible({ ...caller, kind: caller.kind === 'own_key' ? 'api_key' : caller.kind }, id),
  ),
  'own-key-creates': as('api_key', all('create', byAnOwnKey)),
  'own-key-provisions-others': as('api_key', all('provision', byAnOwnKey)),
  'suspend-of-a-hidden-intern-is-409': errors({ of: 'suspend', status: 404 }, { status: 409 }),
  'outsider-invokes-in-vain': instead(all('invoke', by('outsider_api_key')), errorReply(403, 'Forbidden', 'forbidden')),
  'own-key-collection-is-403': answers(
    { of: all('interns', ({ known, internId }) => known && internId === undefined, byAnOwnKey), status: 404 },
    errorReply(403, 'Forbidden'),
  ),
  // An intern's own key is 404 on its own intern.
  'own-key-sees-nothing': visible((caller, id, interns) => {
    if (caller.kind === 'own_key') throw new Refusal('not_found');
    return interns.visible(caller, id);
  }),
  'own-key-only-reads': refusesCalls(
    ['update', 'delete', 'suspend', 'provision'],
    ({ caller }) => caller.kind === 'own_key',
    errorReply(403, 'Forbidden', 'forbidden'),
  ),
  'outsider-is-401': callers((caller) =>
    caller && caller.kind !== 'management' && !caller.programme ? undefined : caller,
  ),
  // A wrong method is 405 without a key, too.
  'method-before-the-key': answers(
    {
      of: ({ operation, internId, request }) =>
        internId !== undefined && operation === undefined && request.method === 'PUT',
      status: 401,
    },
    refused('method_not_allowed', { allow: 'GET' }),
  ),
  // A wrong method to an unknown intern is 404.
  'intern-before-the-method': knowing((isKnown) =>
    answers(
      {
        of: all(
          'interns',
          ({ internId }) => internId !== undefined,
          (exchange) => !isOf(isKnown, exchange),
        ),
        status: 405,
      },
      refused('not_found'),
    ),
  ),
  // A wrong method is 405 for every caller.
  'method-before-programme': instead(
    ({ area, known, operation, request: { headers, method } }) =>
      area === 'interns' && known && operation === undefined && method !== 'OPTIONS' && headers.has('authorization'),
    refused('method_not_allowed', { allow: 'GET' }),
  ),
  // A body of another media type is 415 for every caller.
  'media-type-before-programme': instead(
    all(TYPED, ({ request }) => request.headers.has('content-type') && !isJsonType(request)),
    refused('unsupported_media_type'),
  ),
  'create-looks-at-the-body-before-the-programme': instead(
    async (exchange) => isOf(outsidersCreate, exchange) && (await bodyOf(exchange.request)) === undefined,
    refused('invalid_body'),
  ),
  'create-weighs-the-body-before-the-programme': instead(
    async (exchange) =>
      isOf(outsidersCreate, exchange) && (await exchange.request.clone().arrayBuffer()).byteLength > 1_048_576,
    refused('payload_too_large'),
  ),
});
