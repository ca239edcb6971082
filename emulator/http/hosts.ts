/** Remembers the outcome for the few hosts that clients use for a listener. */
function remembering<T>(evaluate: (host: string) => T): (host: string) => T {
  const known = new Map<string, T>();
  return (host) => {
    const found = known.get(host);
    if (found !== undefined) return found;
    const outcome = evaluate(host);
    if (known.size >= 100) known.clear();
    known.set(host, outcome);
    return outcome;
  };
}

const withoutPort = (host: string): string => host.replace(/:\d*$/, '').toLowerCase();

/** Whether a `Host` is a regional one (BASE-4): entries are names, or beginnings that end in a dot. */
export const matchRegional = (entries: readonly string[]): ((host: string) => boolean) =>
  remembering((host) => {
    const name = withoutPort(host);
    return entries.some((entry) =>
      entry.endsWith('.') ? name.startsWith(entry.toLowerCase()) : name === entry.toLowerCase(),
    );
  });

/** Whether a host name, as a parsed URL has it, can only mean this machine. */
const isLoopbackName = (name: string): boolean =>
  name === 'localhost' || name.endsWith('.localhost') || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name);

const nameOf = (host: string): string | undefined =>
  URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : undefined;

/** Whether a `Host`, with its port or without, is `localhost`, a name below it, in `127.0.0.0/8`, or `[::1]`. */
export const isLoopbackHost: (host: string) => boolean = (host) => isLoopbackName(nameOf(host) ?? '');

/** Whether an address to listen on is reachable from this machine only. */
export const isLoopback = (address: string): boolean =>
  address === 'localhost' || address === '::1' || /^127(\.\d{1,3}){3}$/.test(address);

/** The mistake in the names that a listener should serve beside the loopback names; undefined if there is none. */
export function wrongAllowedHost(given: readonly string[]): string | undefined {
  const wrong = given.find((entry) => entry !== '*' && !/^(?:[^\s/:]+|\[[0-9a-f:.]+\])$/i.test(entry));
  return wrong === undefined
    ? undefined
    : `allowed host "${wrong}": expected the name of a host, without a scheme or a port, such as "emulator.test", or *`;
}

/** The treatment of a `Host` by a listener: served, or refused as regional (403), malformed (400), or foreign (421). */
export type HostVerdict = 'served' | 'regional' | 'malformed' | 'foreign';

export interface HostRules {
  regional(host: string): boolean;
  /** Names served beside the loopback names; `*` is any. Undefined if every host is served. */
  readonly allowed: readonly string[] | undefined;
}

/**
 * Validates the `Host` of requests. Regional comes first, before it is known whether the host could be one in a URL
 * (BASE-4). A listener on loopback then serves loopback names only: its credentials are public, and a page whose name
 * was rebound to this machine must not use them.
 */
export function createHostRules({ regional, allowed }: HostRules): (host: string | undefined) => HostVerdict {
  const names = new Set(allowed?.map(withoutPort));
  const anyHost = allowed === undefined || names.has('*');
  const evaluate = remembering((host): HostVerdict => {
    if (regional(host)) return 'regional';
    const name = nameOf(host);
    // `localhost/path` and `user@localhost` parse in a URL, and are not hosts.
    if (name === undefined || /[/?#@\\\s]/.test(host)) return 'malformed';
    return anyHost || isLoopbackName(name) || names.has(name) || names.has(withoutPort(host)) ? 'served' : 'foreign';
  });
  return (host) => (host === undefined || host === '' ? 'malformed' : evaluate(host));
}
