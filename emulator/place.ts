import type { Target } from './control/target.js';
import { BASE } from './http/pipeline.js';

/** Whether an address to listen on is reachable from this machine only. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);

/** The addresses of a target that listens on `host`; one that listens everywhere is reached by loopback from here. */
export function placed(
  host: string,
  port: number,
  daemonPort: number,
): Pick<Target, 'base_url' | 'control_url' | 'daemon_origin'> {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;
  const origin = `http://${name}:${port}`;
  return { base_url: origin + BASE, control_url: `${origin}/_emulator`, daemon_origin: `http://${name}:${daemonPort}` };
}

/** Remembers what was found of the few hosts that a listener is called by. */
function remembering(judge: (host: string) => boolean): (host: string) => boolean {
  const known = new Map<string, boolean>();
  return (host) => {
    const found = known.get(host);
    if (found !== undefined) return found;
    const judged = judge(host);
    if (known.size >= 100) known.clear();
    known.set(host, judged);
    return judged;
  };
}

/** Judges whether a `Host` is a regional one (BASE-4): entries are names, or beginnings that end in a dot. */
export const regionalJudge = (entries: readonly string[]): ((host: string) => boolean) =>
  remembering((host) => {
    const name = host.replace(/:\d+$/, '').toLowerCase();
    return entries.some((entry) =>
      entry.endsWith('.') ? name.startsWith(entry.toLowerCase()) : name === entry.toLowerCase(),
    );
  });

/** Judges whether a `Host` can be one in a URL. A request made in process has none: its URL was judged already. */
export function hostJudge(): (host: string | undefined) => boolean {
  const judge = remembering((host) => URL.canParse(`http://${host}`));
  return (host) => host === undefined || judge(host);
}
