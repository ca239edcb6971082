import { withHeaders } from '../call.js';
import type { Way } from '../world.js';

const EXAMINED = 4;
const SINCE = Date.UTC(2025, 0, 1);
const AMONG = 9_999;

export const lists: readonly Way[] = [
  {
    // Interns with the same `created_at` are equally new: their order is another.
    name: 'interns of the same millisecond are listed the other way round',
    lawful: true,
    quote: 'Lists the interns visible to the key, newest first.',
    factories: (usual, hit) => ({
      createInterns: (deps) => {
        const interns = usual.createInterns(deps);
        let last = 0;
        let among = 0;
        return {
          ...interns,
          put(row, record, change) {
            if (interns.get(row.id) !== undefined) return interns.put(row, record, change);
            const now = deps.clock.now();
            among = now === last ? Math.min(among + 1, AMONG - 1) : 0;
            last = now;
            if (among > 0) hit();
            const seq = Math.max(1, now - SINCE) * (AMONG + 1) + AMONG - among;
            return interns.put({ ...row, seq }, record, change);
          },
        };
      },
    }),
  },
  {
    // As key-value stores do it: some rows are read, then the filter is applied. A page may be empty, and more follow.
    name: 'a status filter is applied to pages of four: they may be short or empty with more to come',
    lawful: true,
    quote: '`limit` 1–500 … Paging with any limit yields every intern … exactly once',
    wrong: (world) => async (call, next) => {
      const response = await next();
      const { searchParams } = call.url;
      const status = searchParams.getAll('status').join(',').split(',');
      if (call.op !== 'list' || !response.ok || !searchParams.has('status')) return response;
      const url = new URL(call.url);
      url.searchParams.delete('status');
      url.searchParams.set('limit', String(Math.min(EXAMINED, Number(searchParams.get('limit') ?? EXAMINED))));
      const page = await next(withHeaders(call, {}, url));
      if (!page.ok) return page;
      const body = (await page.json()) as { data: { status: string }[]; has_more: boolean };
      const data = body.data.filter((intern) => status.includes(intern.status));
      if (data.length < body.data.length && body.has_more) world.hit();
      const headers = new Headers(page.headers);
      headers.delete('content-length');
      return Response.json({ ...body, data }, { headers });
    },
  },
];
