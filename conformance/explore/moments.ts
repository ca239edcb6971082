import type { Moment, Seen, SeenRequest } from './types.js';

/** A moment with what is known of it from the undisturbed run: decides what may happen there. */
export interface KnownMoment extends Moment {
  readonly request: SeenRequest;
}

/** The intern that a request is about. */
export const internIn = (path: string): string | undefined => /\/interns\/([0-9a-f-]{36})/.exec(path)?.[1];

export const momentName = ({ operation, nth, write, state }: Moment, between = ' '): string =>
  [`${operation} ${nth}`, write, state].filter((part) => part !== undefined).join(between);

const SEVEN = ['first', 'content', 'tool-arguments', 'before-finish', 'before-final', 'before-done', 'after-done'];
const kindOf = (write: string) => write.replace(/:.*/, '');

/** The places of a stream, in their order. */
const placesOf = ({ writes = [] }: SeenRequest): string[] => writes.flatMap(({ names }) => [...names]);

/** Of each of the seven kinds one place: of several texts the one in the middle. */
function sevenOf(request: SeenRequest): string[] {
  const places = placesOf(request);
  return SEVEN.flatMap((kind) => {
    const own = places.filter((place) => kindOf(place) === kind);
    const middle = own[Math.floor((own.length - 1) / 2)];
    return middle === undefined ? [] : [middle];
  });
}

/** Each place, and each boundary between two characters of what an event says. */
function allOf(request: SeenRequest): string[] {
  return (request.writes ?? []).flatMap(({ names, text }) =>
    names.flatMap((place) => {
      if (!/^(?:content|tool-arguments):/.test(place)) return [place];
      const from = text.search(/"(?:content|arguments)":"/);
      const bytes = Buffer.byteLength(text.slice(0, Math.max(0, from)));
      const said = /"(?:content|arguments)":"((?:[^"\\]|\\.)*)"/.exec(text)?.[1] ?? '';
      const head = bytes + (/^"\w+":"/.exec(text.slice(from))?.[0].length ?? 0);
      let at = head;
      const within: string[] = [];
      for (const character of said) {
        within.push(`${place}@${at}`);
        at += Buffer.byteLength(character);
      }
      return [place, ...within];
    }),
  );
}

const asks = ({ writes = [] }: SeenRequest): boolean =>
  writes.some(({ names }) => names.some((name) => name.startsWith('tool-arguments')));

/** The moments of a run: each request, of streams the places, of questions the states (EXP-2). */
export function momentsOf({ requests }: Pick<Seen, 'requests'>, which: 'default' | 'all'): KnownMoment[] {
  return requests.flatMap((request) => {
    const { operation, nth } = request;
    if (operation === 'unknown') return [];
    const at = { operation, nth, request };
    const places = request.writes === undefined ? [] : which === 'all' ? allOf(request) : sevenOf(request);
    return [
      at,
      ...places.map((write) => ({ ...at, write })),
      ...(asks(request) ? [{ ...at, state: 'asked' as const }] : []),
      ...(operation === 'answer' ? [{ ...at, state: 'answer-sent' as const }] : []),
    ];
  });
}

const likeness = ({ request, ...moment }: KnownMoment): string =>
  `${momentName(moment)} ${request.method} ${request.path} ${request.status}`;

/** Whether a run lacks some of the moments that there always are. A program that polls reads as often as it takes. */
export function lacks(moments: readonly KnownMoment[], always: readonly KnownMoment[]): boolean {
  const known = new Set(moments.map(likeness));
  const needed = always.filter(({ request }) => request.method !== 'GET');
  return moments.length === 0 ? always.length > 0 : needed.some((moment) => !known.has(likeness(moment)));
}

/** The moments of the first run that the second has too, and those that one of them alone has. */
export function matchMoments(first: readonly KnownMoment[], second: readonly KnownMoment[]) {
  const ofSecond = new Set(second.map(likeness));
  const ofFirst = new Set(first.map(likeness));
  return {
    moments: first.filter((moment) => ofSecond.has(likeness(moment))),
    leftOut: [
      ...first.filter((moment) => !ofSecond.has(likeness(moment))),
      ...second.filter((moment) => !ofFirst.has(likeness(moment))),
    ],
  };
}
