import { rewritten } from '../rewrite.js';
import type { Serve } from '../serve.js';
import { isRecord, pathOf } from '../wire.js';

const OTHERS = ['0e000000-0000-4000-8000-00000000000a', '0e000000-0000-4000-8000-00000000000b'];

/** Other people make interns too: one stands first, as the newest, and one last. */
export const othersListed: Serve =
  (next, { host }) =>
  async (request) =>
    rewritten(await next(request), {
      json(said) {
        if (!isRecord(said) || !Array.isArray(said.data)) return;
        const own: readonly unknown[] = said.data;
        const at = new Date(host.now()).toISOString();
        const like = isRecord(own[0]) ? own[0] : {};
        const other = (id: string, n: number) => ({
          ...like,
          id,
          name: `somebody-elses-${n}`,
          description: null,
          status: 'running',
          last_failure_message: null,
          progress: null,
          created_at: at,
          updated_at: at,
        });
        const [newest, oldest] = OTHERS.map(other);
        said.data = [newest, ...own, ...(own.length === 0 ? [] : [oldest])];
      },
    });

/** A page holds one intern, however many were asked for. */
export const shortPage: Serve = (next) => (request) => {
  const url = new URL(request.url);
  const limit = url.searchParams.get('limit');
  const lists = pathOf(request) === '/interns' && (limit === null || /^[1-9]\d{0,2}$/.test(limit));
  if (!lists || Number(limit) > 500) return next(request);
  url.searchParams.set('limit', '1');
  return next(new Request(url, request));
};
