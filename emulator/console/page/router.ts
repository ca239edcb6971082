import { signal } from '@preact/signals';

const VIEWS = [
  'interns',
  'requests',
  'scripts',
  'state',
  'faults',
  'vault',
  'proofs',
  'lab',
  'explore',
  'requirements',
] as const;

/** The current place in the page. Kept behind the `#`, which no server ever sees. */
export interface Place {
  view: (typeof VIEWS)[number];
  /** The selected item of the view: an intern, a request, a script. */
  id: string | undefined;
}

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

export function placeOf(hash: string): Place {
  const [view = '', ...rest] = hash.replace(/^#\/?/, '').split('/');
  const id = rest.join('/');
  const known = VIEWS.find((name) => name === view);
  return { view: known ?? 'interns', id: known && id !== '' ? decode(id) : undefined };
}

export const linkTo = (view: Place['view'], id?: string): string =>
  `#/${view}${id === undefined ? '' : `/${encodeURIComponent(id)}`}`;

export function createRouter() {
  const place = signal(placeOf(location.hash));
  addEventListener('hashchange', () => {
    place.value = placeOf(location.hash);
  });
  return {
    place,
    go(view: Place['view'], id?: string) {
      location.hash = linkTo(view, id);
    },
  };
}
