import type { Serve } from '../../../emulator/wire/serve.js';
import { pathOf } from '../wire.js';

/** A page holds one intern, however many were asked for. */
export const shortPage: Serve = (next) => (request) => {
  const url = new URL(request.url);
  const limit = url.searchParams.get('limit');
  const lists = pathOf(request) === '/interns' && (limit === null || /^[1-9]\d{0,2}$/.test(limit));
  if (!lists || Number(limit) > 500) return next(request);
  url.searchParams.set('limit', '1');
  return next(new Request(url, request));
};
