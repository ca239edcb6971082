import { expect, test } from 'vitest';
import { PROFILES } from '../../emulator/contract/profile.js';
import { createDealings } from '../model/dealings.js';
import type { AnswerGot } from '../model/finding.js';
import { internFacts } from '../model/intern.js';
import type { Answer } from '../probe/client.js';
import type { Send } from '../probe/request.js';
import { NoAnswer } from '../probe/wait.js';
import { HEEDED } from './index.js';
import { nothingLearnt, type Sighting, type Tried, type Visit } from './visit.js';

const got = (status: number, more: Partial<AnswerGot> = {}): AnswerGot => ({ status, text: '', ...more });
const seen = (method: string, path: string, status: number, more: Partial<Tried> = {}): Tried => ({
  number: 1,
  method,
  url: `https://service.test/api/v1${path}`,
  path,
  id: /^\/interns\/([^/]+)/.exec(path)?.[1],
  sent: undefined,
  as: 'api_key',
  bytes: 0,
  status,
  text: '',
  ...more,
});

/** A finding: a success was due, and this came. */
const missed = (answer: AnswerGot, requests: readonly Tried[] = [], more: Partial<Sighting> = {}): Sighting => ({
  found: { wanted: { kind: 'status', class: 'success', statuses: [] }, got: answer, of: 'the answer' },
  got: answer,
  silence: undefined,
  missedSuccess: true,
  check: { requirement: 'GET-1', level: 'S' },
  seen: requests,
  about: [requests.at(-1)?.id ?? []].flat(),
  began: 0,
  at: 0,
  leftAgo: new Map(),
  ...more,
});
const silent = (kind: 'refused' | 'dropped' | 'timeout'): Sighting =>
  missed(got(0), [], { got: undefined, silence: { kind, detail: '' }, missedSuccess: false });
/** A finding of another kind than a status. */
const wrong = (requests: readonly Tried[], more: Partial<Sighting> = {}): Sighting =>
  missed(got(200), requests, { got: undefined, missedSuccess: false, ...more });

const answer = (status: number, json: unknown = {}): Answer => ({
  status,
  headers: new Headers(),
  bytes: new Uint8Array(),
  text: JSON.stringify(json),
  json,
  exchange: 1,
});

/** Lateness that was measured as often as it may be. */
const LAGS = { lag: { list: 1_800, read: 1_800, measured: 3, since: 1, never: [] } };

/** The acts of the run there. */
type Did = ReturnType<typeof createDealings>;
const does = (dealings: Did, method: string, path: string, status?: number, caller = 'api_key') => {
  const [query, header] = [new URLSearchParams(), () => undefined];
  const asked = {
    number: 1,
    at: 60_000,
    method,
    path,
    query,
    header,
    body: { kind: 'none' },
    caller,
    regional: false,
  } as const;
  dealings.asks(asked);
  if (status !== undefined) dealings.begins(asked, status, 60_000);
  return asked;
};
const sees = (dealings: Did, path: string, json: object) => {
  const answer = { at: 60_000, status: 200, header: () => undefined, text: '', json, whole: true };
  dealings.sees(does(dealings, 'GET', path, 200), answer);
};

/** A run at a service that answers so, after what it did there. */
function visit(
  send: (send: Send, nth: number) => Answer = () => answer(200),
  before: (did: Did) => void = () => {},
  learnt: Partial<Visit['learnt']> = {},
  unused: readonly string[] = [],
): Visit {
  let now = 60_000;
  let sent = 0;
  let names = 0;
  const all = ['one', ...unused];
  const made = new Map(all.map((id) => [id, { id, name: `k-${id}`, as: 'api_key' as const }]));
  const dealings = createDealings(new Map(all.map((id) => [id, internFacts(id)])), () => false, false, 'v2');
  for (const id of unused) dealings.with(id).made = { by: 'api_key', person: 'one', at: 0, number: 1, body: {} };
  before(dealings);
  return {
    target: { baseUrl: '', workspaceId: 'w', profile: PROFILES.svc },
    readOnly: false,
    learnt: { ...nothingLearnt(), ...learnt },
    dealings,
    rate: { pause: () => {}, slow: () => {} },
    turns: () => ({ pause: () => {} }),
    now: () => now,
    sleep: async (ms) => {
      now += ms;
    },
    send: async (request) => send(request, ++sent),
    pathOf: (id, rest = '') => `/interns/${id}${rest}`,
    creating: () => ({ method: 'POST', path: '/interns', json: { name: `k-${++names}` } }),
    created: () => 3,
    made: () => [...made.values()],
    gone: (id) => void made.delete(id),
    doubtsReads: () => {},
    findLost: async () => {},
    inHand: new Set(['one']),
    shared: () => undefined,
    kept: () => new Set(),
    keep: () => {},
    forget: () => {},
    takeAway: async (interns) => {
      for (const { id } of interns) made.delete(id);
    },
    nobody: (id) => id,
    spoilt: () => {},
  };
}

const CHAT = '/interns/one/chat/completions';
const SIGN = '/interns/one/daemon/sign';
const ROUTE = '{"route":{"method":"POST","path":"/api/else"}}';
const signsRoutes = (dealings: Did) => sees(dealings, '/interns/one/daemon/sign', { v2: 'x' });
const isMade = (dealings: Did) => {
  const one = dealings.with('one');
  one.made = { by: 'api_key', person: 'one', at: 60_000, number: 1, body: {} };
  dealings.created(one, { id: 'one', status: 'stopped' }, false, 60_000);
};
const invokes = (dealings: Did) => {
  isMade(dealings);
  does(dealings, 'POST', '/interns/one/invoke', 202);
};
const prompts = (dealings: Did) => does(dealings, 'POST', '/interns/one/invoke');
const refuses = (dealings: Did) => does(dealings, 'GET', '/interns', 401, 'oauth_token');
const looks = [seen('GET', '/interns/one/daemon', 404, { as: 'oauth_token' })];
const looked = (dealings: Did) => {
  isMade(dealings);
  does(dealings, 'GET', '/interns/one/daemon', 200, 'oauth_token');
};
const loses = (dealings: Did) => {
  const answer = { at: 0, status: 502, header: () => undefined, text: '', json: undefined, whole: true };
  dealings.sees(does(dealings, 'POST', '/interns/one/suspend', 502), answer);
};
const ran = (dealings: Did) => {
  for (const status of ['running', 'stopped']) sees(dealings, '/interns/one', { id: 'one', status });
};
const ranBefore = (dealings: Did) => {
  ran(dealings);
  dealings.handed('one');
};
/** A service that shows a change at the third look. */
function late() {
  const names: unknown[] = [];
  let description: unknown;
  let looks = 0;
  return ({ method = 'GET', path = '', json }: Send): Answer => {
    const body = json as Record<string, unknown> | undefined;
    if (method === 'POST') names.push(body?.name);
    if (method === 'PATCH') {
      description = body?.description;
      looks = 0;
    }
    if (path === '/interns') return answer(200, { id: 'made', data: names.map((name) => ({ name })) });
    return answer(200, { description: ++looks < 3 ? 'as before' : description });
  };
}
const reads = [seen('GET', '/interns/one', 404)];
/** A request whose answer was lost with the connection. */
const cut = (bytes: number): Sighting => ({
  ...silent('dropped'),
  seen: [{ ...seen('POST', '/interns', 0), bytes, status: undefined }],
});

/** An answer that is lost, or comes of something else. */
const nothing = () => answer(503);

/** Drops what is large. */
const drops = ({ body }: Send): Answer => {
  if ((body?.length ?? 0) > 1_000_000) throw new NoAnswer('dropped', 'POST', 'read ECONNRESET');
  return answer(400);
};

type Row = readonly [
  habit: string,
  what: string,
  does: 'again' | 'skip' | 'again, then skip' | 'finding',
  Sighting,
  Visit?,
];
const ROWS: readonly Row[] = [
  ['away', 'no connection', 'again, then skip', silent('refused')],
  ['away', 'no answer in time', 'finding', silent('timeout')],
  ['lost-connections', 'a lost connection', 'again', silent('dropped')],
  ['lost-connections', 'no answer in time', 'finding', silent('timeout')],
  ['not-now', '503 in the place of a success', 'again, then skip', missed(got(503))],
  ['not-now', '500 that may not be tried again', 'finding', missed(got(500))],
  [
    'warming-up',
    'a first prompt that is not taken',
    'again, then skip',
    missed(got(409, { retryable: true }), [seen('POST', CHAT, 409)]),
    visit(undefined, prompts),
  ],
  [
    'warming-up',
    'the same of an intern without prompts',
    'finding',
    missed(got(409, { retryable: true }), [seen('POST', CHAT, 409)]),
  ],
  ['gateway-down', 'what follows a lost write', 'again, then skip', wrong([]), visit(undefined, loses)],
  ['gateway-down', 'what was lost before the check began', 'finding', wrong([], { began: 1 }), visit(undefined, loses)],
  ['gateway-down', 'the answer of the gateway itself', 'finding', missed(got(502)), visit(undefined, loses)],
  [
    'plain-texts',
    'odd characters, where plain words are taken',
    'again',
    missed(got(400), [seen('POST', '/interns', 400, { sent: '{"description":"<b>"}' })]),
    visit(() => answer(201)),
  ],
  [
    'plain-texts',
    'odd characters, where plain words are refused too',
    'finding',
    missed(got(400), [seen('POST', '/interns', 400, { sent: '{"description":"<b>"}' })]),
    visit(() => answer(400)),
  ],
  [
    'firewall',
    'a page for a body',
    'skip',
    missed(got(403), [seen('POST', '/interns', 403, { sent: '{}', text: '<!doctype html>' })]),
    visit(() => answer(400)),
  ],
  [
    'firewall',
    'a page for any body',
    'finding',
    missed(got(403), [seen('POST', '/interns', 403, { sent: '{}', text: '<!doctype html>' })]),
    visit(() => answer(403)),
  ],
  [
    'members-read',
    'a peer that may not create',
    'skip',
    missed(got(403), [seen('POST', '/interns', 403, { as: 'peer_api_key' })]),
    visit(() => answer(403)),
  ],
  [
    'members-read',
    'a peer that may create plain ones',
    'finding',
    missed(got(403), [seen('POST', '/interns', 403, { as: 'peer_api_key' })]),
    visit(() => answer(201)),
  ],
  [
    'members-read',
    'the key of the run that may not create',
    'finding',
    missed(got(403), [seen('POST', '/interns', 403)]),
  ],
  [
    'own-sessions',
    'a session that the client named',
    'skip',
    missed(got(404), [seen('POST', CHAT, 404, { sent: '{"session_id":"mine"}' })]),
    visit(({ json }) => answer('session_id' in (json as object) ? 404 : 200)),
  ],
  [
    'own-sessions',
    'a session that the client named, where another is taken',
    'finding',
    missed(got(404), [seen('POST', CHAT, 404, { sent: '{"session_id":"mine"}' })]),
  ],
  [
    'own-sessions',
    'a session that the service gave',
    'finding',
    missed(got(404), [
      seen('POST', CHAT, 200, { text: '"mine"' }),
      seen('POST', CHAT, 404, { sent: '{"session_id":"mine"}' }),
    ]),
  ],
  [
    'renames-sessions',
    'a prompt that is busy in a session that goes on under another id',
    'skip',
    missed(got(409), [seen('POST', CHAT, 409, { sent: '{"session_id":"mine"}' })]),
    visit(() => answer(200, { id: 'one', status: 'running', session_id: 'another' })),
  ],
  [
    'renames-sessions',
    'the same, where a provision is refused because the create boots',
    'skip',
    missed(got(409), [seen('POST', CHAT, 409, { sent: '{"session_id":"mine"}' })]),
    visit(({ path }) =>
      answer(path?.endsWith('/provision') ? 409 : 200, { id: 'one', status: 'running', session_id: 'another' }),
    ),
  ],
  [
    'renames-sessions',
    'a prompt that is busy in a session that keeps its id',
    'finding',
    missed(got(409), [seen('POST', CHAT, 409, { sent: '{"session_id":"mine"}' })]),
    visit(({ json }) => answer(200, { id: 'one', status: 'running', ...(json as object | undefined) })),
  ],
  [
    'own-route-names',
    'a route that is refused, where none is signed',
    'skip',
    missed(got(400), [seen('POST', SIGN, 400, { sent: ROUTE, as: 'oauth_token' })]),
    visit(() => answer(400)),
  ],
  [
    'own-route-names',
    'a route that is refused, where the usual one is signed',
    'finding',
    missed(got(400), [seen('POST', SIGN, 400, { sent: ROUTE, as: 'oauth_token' })]),
    visit(() => answer(200, { [`${PROFILES.svc.proof_header_prefix}-signature-v2`]: 'x' })),
  ],
  [
    'own-route-names',
    'a route that is refused, where others were signed',
    'finding',
    missed(got(400), [seen('POST', SIGN, 400, { sent: ROUTE })]),
    visit(undefined, signsRoutes),
  ],
  [
    'own-routes',
    'a route that is refused, where others were signed and a plain one is refused too',
    'skip',
    missed(got(400), [seen('POST', SIGN, 400, { sent: ROUTE, as: 'oauth_token' })]),
    visit(() => answer(400), signsRoutes),
  ],
  [
    'own-routes',
    'a route that is refused, where a plain one is signed',
    'finding',
    missed(got(400), [seen('POST', SIGN, 400, { sent: ROUTE, as: 'oauth_token' })]),
    visit(undefined, signsRoutes),
  ],
  [
    'own-routes',
    'the usual route that is refused',
    'finding',
    missed(got(400), [seen('POST', SIGN, 400, { sent: '{"route":{"path":"/api/invoke"}}' })]),
    visit(undefined, signsRoutes),
  ],
  [
    'one-thing-at-a-time',
    'busy with what the run began',
    'again, then skip',
    missed(got(409, { reason: 'busy' }), [seen('POST', CHAT, 409)]),
    visit(plain(false), invokes),
  ],
  [
    'one-thing-at-a-time',
    'busy with nothing',
    'finding',
    missed(got(409, { reason: 'busy' }), [seen('POST', CHAT, 409)]),
  ],
  [
    'expiring-tokens',
    'a token that opens nothing',
    'skip',
    missed(got(401), [seen('GET', '/interns', 401, { as: 'oauth_token' })]),
    visit(() => answer(401), refuses),
  ],
  [
    'expiring-tokens',
    'a token that opens something else',
    'finding',
    missed(got(401), [seen('GET', '/interns', 401, { as: 'oauth_token' })]),
    visit(() => answer(200), refuses),
  ],
  [
    'tokens-of-others',
    'a token that sees no intern of the key',
    'skip',
    missed(got(404), looks),
    visit(({ as }) => answer(as === undefined ? 200 : 404)),
  ],
  ['tokens-of-others', 'a token that has seen one', 'finding', missed(got(404), looks), visit(undefined, looked)],
  ['tokens-of-others', 'an intern that is gone', 'finding', missed(got(404), looks), visit(() => answer(404))],
  [
    'few-interns',
    'a create for which there is no room',
    'again, then skip',
    missed(got(403), [seen('POST', '/interns', 403)]),
    visit(() => answer(403)),
  ],
  [
    'few-interns',
    'a create of its own kind',
    'again',
    missed(got(403), [seen('POST', '/interns', 403)]),
    visit(() => answer(201, {})),
  ],
  ['few-interns', 'a read that is refused', 'finding', missed(got(403), [seen('GET', '/interns/one', 403)])],
  ['replicas', 'a read that lags', 'again', missed(got(404), reads, { missedSuccess: true }), visit(late())],
  ['replicas', 'a read that shows each write at once', 'finding', missed(got(404), reads), visit(() => answer(500))],
  [
    'replicas',
    'a read from before it was known to lag',
    'again',
    missed(got(404), reads),
    visit(undefined, undefined, LAGS),
  ],
  ['replicas', 'a read that waited', 'finding', missed(got(404), reads, { at: 2 }), visit(undefined, undefined, LAGS)],
  ['tidied-up', 'an intern that is gone', 'again', missed(got(404), reads), visit(() => answer(404))],
  ['tidied-up', 'an intern that is there', 'finding', missed(got(404), reads)],
  [
    'tidied-up',
    'an intern that is gone, where three stand that are as old',
    'finding',
    missed(got(404), reads, { at: 60_000 }),
    visit(({ path }) => answer(path === '/interns/one' ? 404 : 200), undefined, {}, ['two', 'three', 'four']),
  ],
  [
    'tidied-up',
    'an intern that is gone, where two stand that are as old',
    'again',
    missed(got(404), reads, { at: 60_000 }),
    visit(({ path }) => answer(path === '/interns/one' ? 404 : 200), undefined, {}, ['two', 'three']),
  ],
  [
    'late-disconnects',
    'busy a while after a client has left',
    'skip',
    missed(got(409, { reason: 'busy' }), [], { leftAgo: new Map([['one', 5_000]]) }),
  ],
  [
    'late-disconnects',
    'busy a while after a client has left, in a word of its own',
    'skip',
    missed(got(409, { reason: 'not_now', retryable: true }), [], { leftAgo: new Map([['one', 5_000]]) }),
  ],
  [
    'late-disconnects',
    'busy long after a client has left',
    'finding',
    missed(got(409, { reason: 'busy' }), [], { leftAgo: new Map([['one', 31_000]]) }),
  ],
  ['large-bodies-dropped', 'no answer to a large body', 'skip', cut(1_048_577), visit(drops)],
  ['large-bodies-dropped', 'no answer to a short body', 'finding', cut(20)],
  ['suspends-idle', 'an intern that stopped', 'again, then skip', wrong([]), visit(undefined, ran)],
  ['suspends-idle', 'an intern that nobody saw run', 'finding', wrong([])],
  [
    'suspends-idle',
    'an intern that stopped, and that the finding alone names',
    'again, then skip',
    wrong([seen('GET', '/interns/one', 200)]),
    { ...visit(undefined, ran), inHand: new Set() },
  ],
  [
    'suspends-idle',
    'an intern of a list that stopped, which a rule about its life names',
    'again, then skip',
    wrong([seen('GET', '/interns', 200)], { about: ['one'], check: { requirement: 'LIFE-1', level: 'S' } }),
    { ...visit(undefined, ranBefore), inHand: new Set() },
  ],
  [
    'suspends-idle',
    'an intern that stopped before the exchange that a rule about its life names',
    'finding',
    wrong([seen('GET', '/interns', 200)], {
      about: ['one'],
      at: Number.POSITIVE_INFINITY,
      check: { requirement: 'LIFE-1', level: 'S' },
    }),
    { ...visit(undefined, ranBefore), inHand: new Set() },
  ],
  [
    'suspends-idle',
    'an intern of a list that stopped, which a rule about lists names',
    'finding',
    wrong([seen('GET', '/interns', 200)], { about: ['one'], check: { requirement: 'LIST-1', level: 'S' } }),
    { ...visit(undefined, ran), inHand: new Set() },
  ],
  [
    'suspends-idle',
    'an intern in hand that stopped before its check took it',
    'finding',
    wrong([]),
    visit(undefined, ranBefore),
  ],
  [
    'tidied-up',
    'an intern that is gone, and that the finding alone names',
    'again',
    wrong([seen('POST', '/interns', 201)], { about: ['one'] }),
    { ...visit(() => answer(404)), inHand: new Set() },
  ],
];

const named = ROWS.map((row) => ({ row, name: row.slice(0, 3).join(': ') }));
test.each(named)('$name', async ({ row: [id, , does, sighting, at = visit()] }) => {
  const explanation = await HEEDED.find((habit) => habit.id === id)?.explains?.(sighting, at);
  const { again, skip } = explanation ?? {};
  const said = [again === undefined ? [] : 'again', skip === undefined ? [] : 'skip'].flat().join(', then ');
  expect(said || 'finding').toBe(does);
});

/** The answers of a service without any habit: an intern that is kept from prompts for no reason stays so. */
function plain(busy: boolean) {
  let status = 'running';
  return ({ method = 'GET', path, url = '' }: Send): Answer => {
    const at = path ?? url;
    if (busy && at.endsWith('/chat/completions')) return answer(409, { error: { metadata: { reason: 'busy' } } });
    if (at.endsWith('/sign')) return answer(200, { [`${PROFILES.svc.proof_header_prefix}-signature-v2`]: 'x' });
    if (at.endsWith('/suspend')) status = 'stopped';
    if (at.endsWith('/provision')) status = 'running';
    return method === 'POST' && at === '/interns' ? answer(201, { id: 'made' }) : answer(200, { status });
  };
}

/** The finding is itself what shows these: nobody was reached, the answer says that it may pass, or a gateway gave it. */
const SHOWN_BY_THE_FINDING = new Set(['away', 'not-now', 'gateway-down']);
const BEFORE: Readonly<Record<string, (did: Did) => void>> = {
  'warming-up': prompts,
  'own-routes': signsRoutes,
  'one-thing-at-a-time': invokes,
  'expiring-tokens': refuses,
  'suspends-idle': ran,
};
const excused = ROWS.filter(([id, , does]) => does.endsWith('skip') && !SHOWN_BY_THE_FINDING.has(id)).map((row) => ({
  id: row[0],
  what: row[1],
  sighting: row[3],
}));
test.each(excused)('$id: $what, at a service without any habit, is a finding', async ({ id, sighting }) => {
  const habit = HEEDED.find((one) => one.id === id);
  const at = visit(plain(sighting.got?.status === 409), BEFORE[id]);
  // The first look at some only makes what is measured by the second.
  await habit?.explains?.(sighting, at);
  const explanation = await habit?.explains?.(sighting, at);
  expect(explanation?.skip).toBeUndefined();
  expect([...at.learnt.habits.values()]).not.toContain(true);
});

test('once an idle intern is there, no check is handed one that is older', async () => {
  const at = visit(plain(false), ran);
  let forgotten = 0;
  const explains = HEEDED.find(({ id }) => id === 'suspends-idle')?.explains;
  await explains?.(wrong([]), { ...at, forget: () => forgotten++ });
  expect([at.learnt.idler, forgotten]).toEqual(['made', 1]);
});

const LATE_409 = missed(got(409, { reason: 'busy' }), [], { leftAgo: new Map([['one', 5_000]]) });
test.each([
  ['warming-up', missed(got(409, { retryable: true }), [seen('POST', CHAT, 409)]), prompts],
  ['one-thing-at-a-time', missed(got(409, { reason: 'busy' }), [seen('POST', CHAT, 409)]), invokes],
  ['own-routes', missed(got(400), [seen('POST', SIGN, 400, { sent: ROUTE })]), signsRoutes],
  ['late-disconnects', LATE_409, undefined],
] as const)('%s excuses nothing where its measure came to nothing: it is taken again', async (id, sighting, before) => {
  const at = visit(nothing, before);
  for (let nth = 0; nth < 2; nth++)
    expect(await HEEDED.find((habit) => habit.id === id)?.explains?.(sighting, at)).toEqual({ again: 2_000 });
  expect(at.learnt.habits.size).toBe(0);
});

test('each habit that may excuse a finding was measured, or is shown by the finding', () => {
  const skips = HEEDED.filter(({ explains }) => /\bskip\b/.test(String(explains))).map(({ id }) => id);
  // By the second look at a witness that the first has made.
  const looksTwice = ['tidied-up'];
  const measured = [...new Set(excused.map(({ id }) => id)), ...looksTwice, ...SHOWN_BY_THE_FINDING];
  expect(measured.sort()).toEqual(skips.sort());
});

test('each habit that explains findings has rows: one that it explains, and one that it does not', () => {
  const explaining = HEEDED.filter(({ explains }) => explains !== undefined).map(({ id }) => id);
  const has = (of: (does: Row[2]) => boolean) => new Set(ROWS.flatMap(([id, , does]) => (of(does) ? id : [])));
  expect(has((does) => does !== 'finding')).toEqual(new Set(explaining));
  expect(has((does) => does === 'finding')).toEqual(new Set(explaining));
});
