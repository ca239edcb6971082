import type { Seen, SeenRequest } from '../types.js';

/** ms of grace: timers are not exact. */
const GRACE = 30;
/** How often a request may be sent again. */
const MOST = 10;

const whole = ({ method, path, body }: SeenRequest) => `${method} ${path} ${body}`;
const place = ({ method, path }: SeenRequest) => `${method} ${path}`;
const isRead = ({ method }: SeenRequest) => method === 'GET' || method === 'HEAD';
const succeeded = ({ status }: SeenRequest) => status !== undefined && status < 300;
const name = ({ operation, nth }: SeenRequest) => `${operation} no. ${nth}`;

/** What breaks politeness, with what it is about: an undisturbed run that does the same excuses it. */
export interface Rudeness {
  readonly rule: 'retry-after' | 'not-retryable' | 'hammers' | 'unauthorized';
  readonly about: string;
  readonly message: string;
}

/** A `Retry-After` binds the request that was refused: its method and path. */
function early(requests: readonly SeenRequest[]): Rudeness[] {
  return requests.flatMap((refused) => {
    const { retryAfter, status = 0, answeredAt } = refused;
    if (retryAfter === undefined || status < 400 || answeredAt === undefined || retryAfter > 60) return [];
    const again = requests.find(
      (one) => one.n > refused.n && one.at > answeredAt && place(one) === place(refused) && one.body === refused.body,
    );
    if (again === undefined || again.at >= answeredAt + 1_000 * retryAfter - GRACE) return [];
    const waited = Math.round(again.at - answeredAt);
    return [
      {
        rule: 'retry-after',
        about: place(refused),
        message: `${name(refused)} was answered ${status} with Retry-After ${retryAfter}, and sent again after ${waited} ms`,
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

/** What can't be retried is not sent again, until something has changed. */
function repeated(requests: readonly SeenRequest[]): Rudeness[] {
  return requests.flatMap((refused) => {
    const { retryable, answeredAt, status } = refused;
    if (retryable !== false || isRead(refused) || answeredAt === undefined || (status ?? 0) < 400) return [];
    const again = requests.find(
      (one) =>
        one.n > refused.n &&
        one.at > answeredAt &&
        whole(one) === whole(refused) &&
        one.credential === refused.credential,
    );
    if (again === undefined || changed(requests, refused, again)) return [];
    return [
      {
        rule: 'not-retryable',
        about: whole(refused),
        message: `${name(refused)} was refused with ${status} ${refused.reason ?? ''} and retryable: false, and sent again`,
      },
    ];
  });
}

/** Nothing is sent again and again. */
function hammered(requests: readonly SeenRequest[]): Rudeness[] {
  const rows = new Map<string, number>();
  for (const request of requests) {
    const key = whole(request);
    // One that went well begins a new row.
    const count = succeeded(request) ? 0 : (rows.get(key) ?? 0) + 1;
    rows.set(key, count);
    if (count > MOST)
      return [
        { rule: 'hammers', about: key, message: `${request.operation} was sent ${count} times in a row, in vain` },
      ];
  }
  return [];
}

/** A credential that was refused twice is not tried again. */
function stubborn(requests: readonly SeenRequest[]): Rudeness[] {
  const refusals = requests.filter(({ status, operation }) => status === 401 && operation !== 'daemon-request');
  const [, second] = [...refusals].sort((a, b) => (a.answeredAt ?? 0) - (b.answeredAt ?? 0));
  const again = requests.find(
    (one) =>
      second?.answeredAt !== undefined &&
      one.at > second.answeredAt &&
      one.operation !== 'daemon-request' &&
      one.credential === second.credential,
  );
  if (second === undefined || again === undefined) return [];
  return [
    {
      rule: 'unauthorized',
      about: '401',
      message: `the credential had been refused twice with 401, and ${name(again)} was sent with it all the same`,
    },
  ];
}

export const rudenessOf = ({ requests }: Seen): Rudeness[] => [
  ...early(requests),
  ...repeated(requests),
  ...hammered(requests),
  ...stubborn(requests),
];

/** What a run does that no polite client does, and that the undisturbed run does not do by itself. */
export function brokenPolite(seen: Seen, excused: readonly Rudeness[]): string | undefined {
  return rudenessOf(seen).find(
    ({ rule, about }) => !excused.some((one) => one.rule === rule && (one.about === about || rule === 'unauthorized')),
  )?.message;
}
