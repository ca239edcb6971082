import type { Seen, SeenRequest, Wrong } from '../types.js';

/** ms of grace: timers are not exact. */
const GRACE = 30;
/** How often a request may be sent again. */
const MOST = 10;

const whole = ({ method, path, body }: SeenRequest) => `${method} ${path} ${body}`;
const place = ({ method, path }: SeenRequest) => `${method} ${path}`;
const isRead = ({ method }: SeenRequest) => method === 'GET' || method === 'HEAD';
const succeeded = ({ status }: SeenRequest) => status !== undefined && status < 300;
const name = ({ operation, nth }: SeenRequest) => `${operation} no. ${nth}`;

/** A breach of politeness, with its subject: an undisturbed run that does the same excuses it. */
export interface Rudeness extends Wrong {
  readonly rule: 'retry-after' | 'not-retryable' | 'hammers' | 'unauthorized';
  readonly about: string;
  /** One piece of a program sends again whatever was refused: it is one defect, whichever rule it breaks. */
  readonly did: 'sends again';
}

const did = 'sends again';

/** How often the undisturbed run sends each request. A run that sends as many sends none of them again. */
type Planned = ReadonlyMap<string, number>;

const countsOf = (requests: readonly SeenRequest[]): Planned => {
  const counts = new Map<string, number>();
  for (const request of requests) counts.set(whole(request), (counts.get(whole(request)) ?? 0) + 1);
  return counts;
};

/** The first request that sends one again: of those that equal it, the ones that the undisturbed run sends too come first. */
function sentAgain(
  requests: readonly SeenRequest[],
  refused: SeenRequest,
  planned: Planned,
  fits: (one: SeenRequest) => boolean = () => true,
): SeenRequest | undefined {
  const equal = requests.filter((one) => whole(one) === whole(refused));
  const later = equal.filter((one) => one.n > refused.n && one.at > (refused.answeredAt ?? 0));
  const more = equal.length - Math.max(1, planned.get(whole(refused)) ?? 0);
  return more <= 0 ? undefined : later.slice(Math.max(0, later.length - more)).find(fits);
}

/** A `Retry-After` binds the request that was refused: its method and path. */
function early(requests: readonly SeenRequest[], planned: Planned): Rudeness[] {
  return requests.flatMap((refused) => {
    const { retryAfter, status = 0, answeredAt, operation } = refused;
    if (retryAfter === undefined || status < 400 || answeredAt === undefined || retryAfter > 60) return [];
    const again = sentAgain(requests, refused, planned);
    if (again === undefined || again.at >= answeredAt + 1_000 * retryAfter - GRACE) return [];
    const waited = ((again.at - answeredAt) / 1_000).toFixed(1);
    return [
      {
        rule: 'retry-after',
        did,
        request: operation,
        about: place(refused),
        message: `${name(refused)} was answered ${status} with Retry-After ${retryAfter}, and sent again after ${waited} s`,
      },
    ];
  });
}

/** Whether an answer between two requests shows that things have changed. */
function changed(requests: readonly SeenRequest[], from: SeenRequest, to: SeenRequest): boolean {
  return requests.some((one) => {
    if (one.n <= from.n || one.n >= to.n || !succeeded(one)) return false;
    if (!isRead(one)) return true;
    const former = requests.findLast((other) => other.n < from.n && place(other) === place(one) && succeeded(other));
    return former === undefined || former.answer !== one.answer;
  });
}

/** A call that can't be retried is not sent again, until something has changed. */
function repeated(requests: readonly SeenRequest[], planned: Planned): Rudeness[] {
  return requests.flatMap((refused) => {
    const { retryable, answeredAt, status, operation } = refused;
    if (retryable !== false || isRead(refused) || answeredAt === undefined || (status ?? 0) < 400) return [];
    const again = sentAgain(requests, refused, planned, ({ credential }) => credential === refused.credential);
    if (again === undefined || changed(requests, refused, again)) return [];
    return [
      {
        rule: 'not-retryable',
        did,
        request: operation,
        about: whole(refused),
        message: `${name(refused)} was refused with ${status} ${refused.reason ?? ''} and retryable: false, and sent again`,
      },
    ];
  });
}

/** Nothing is sent again and again. */
function hammered(requests: readonly SeenRequest[], planned: Planned): Rudeness[] {
  const rows = new Map<string, number>();
  for (const request of requests) {
    const key = whole(request);
    // One that went well begins a new row.
    const count = succeeded(request) ? 0 : (rows.get(key) ?? 0) + 1;
    rows.set(key, count);
    const { operation } = request;
    if (count > MOST && count > (planned.get(key) ?? 0)) {
      const message = `${operation} was sent more than ${MOST} times in a row, in vain`;
      return [{ rule: 'hammers', did, request: operation, about: key, message }];
    }
  }
  return [];
}

/** Whether a run sends without end, though the undisturbed run ends. */
export const endlessBeside = ({ requests: straight }: Seen): ((requests: readonly SeenRequest[]) => boolean) => {
  const planned = countsOf(straight);
  return (requests) => requests.length > MOST && hammered(requests, planned).length > 0;
};

/** A credential that was refused twice is not tried again: what the undisturbed run sends with it may be sent once. */
function stubborn(requests: readonly SeenRequest[], planned: Planned): Rudeness[] {
  const own = requests.filter(({ operation }) => operation !== 'daemon-request');
  const refusals = own.filter(({ status }) => status === 401);
  const [, second] = [...refusals].sort((a, b) => (a.answeredAt ?? 0) - (b.answeredAt ?? 0));
  if (second?.answeredAt === undefined) return [];
  const { answeredAt, credential } = second;
  const sent = new Map<string, number>();
  const again = own.find((one) => {
    const count = (sent.get(whole(one)) ?? 0) + 1;
    sent.set(whole(one), count);
    return one.at > answeredAt && one.credential === credential && count > (planned.get(whole(one)) ?? 0);
  });
  if (again === undefined) return [];
  return [
    {
      rule: 'unauthorized',
      did,
      request: again.operation,
      about: '401',
      message: `the credential had been refused twice with 401, and ${name(again)} was sent with it all the same`,
    },
  ];
}

/** Acts of a run that no polite client does, where a request is not planned more often. */
export const rudenessOf = ({ requests }: Seen, planned: Planned = new Map()): Rudeness[] => [
  ...hammered(requests, planned),
  ...early(requests, planned),
  ...repeated(requests, planned),
  ...stubborn(requests, planned),
];

/** Acts of a run that no polite client does, and that the undisturbed run does not do by itself. */
export function brokenPolite(seen: Seen, straight: Seen, excused: readonly Rudeness[]): Rudeness | undefined {
  return rudenessOf(seen, countsOf(straight.requests)).find(
    ({ rule, about }) => !excused.some((one) => one.rule === rule && (one.about === about || rule === 'unauthorized')),
  );
}
