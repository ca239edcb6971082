import type { Check } from '../../framework/check.js';
import type { Finding } from '../../framework/finding.js';
import { SHIPPED } from '../../framework/profile.js';
import type { Met, Streamed, Watch, Watched } from '../../framework/watch.js';
import type { As, Send } from '../../probe/request.js';

const WATCHED: Watched = {
  profile: SHIPPED.svc as NonNullable<typeof SHIPPED.svc>,
  workspaceId: 'workspace',
  publicKeys: [],
  creatorOf: (id) => (id.startsWith('own') ? 'api_key' : id.startsWith('foreign') ? 'foreign_api_key' : undefined),
  secretIn: () => undefined,
  now: () => 0,
  ours: false,
};

let exchange = 0;

/** A request and its answer, as a monitor sees them. */
export function met(
  method: string,
  path: string,
  status: number,
  json?: unknown,
  {
    headers = {},
    sent,
    ...send
  }: Omit<Send, 'headers'> & { as?: As; headers?: Record<string, string>; sent?: string } = {},
): Met {
  const [where = '', query = ''] = path.split('?');
  const id = /^\/interns\/([^/]+)/.exec(where)?.[1];
  const text = json === undefined ? '' : JSON.stringify(json);
  return {
    send: { method, path, ...send },
    as: send.as === undefined ? 'api_key' : send.as,
    operation: `${method} ${id === undefined ? where : where.replace(id, '{internId}')}`,
    id,
    query: new URLSearchParams(query),
    type: () => sent,
    answer: {
      status,
      headers: new Headers(headers),
      bytes: new TextEncoder().encode(text),
      text,
      json,
      exchange: ++exchange,
    },
  };
}

/** A fresh watch of a monitor. */
export function watchOf(checks: readonly Check[], id: string, over: Partial<Watched> = {}): Watch {
  const watch = checks.find((check) => check.id === id)?.watch;
  if (watch === undefined) throw new Error(`no monitor ${id}`);
  return watch({ ...WATCHED, ...over });
}

/** The subject of what is thrown, if anything is. */
function subject(look: () => void): string[] {
  try {
    look();
    return [];
  } catch (error) {
    return [(error as Finding).found.of];
  }
}

/** What a watch finds in exchanges, in their order: the subject of each finding. */
export const found = (watch: Watch, ...all: readonly Met[]): string[] =>
  all.flatMap((one) =>
    subject(() => {
      watch.asks?.(one);
      watch.sees?.(one);
    }),
  );

/** The same of streams. */
export const heard = (watch: Watch, ...all: readonly Streamed[]): string[] =>
  all.flatMap((one) => subject(() => watch.hears?.(one)));
