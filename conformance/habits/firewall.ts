import type { Habit } from './habit.js';
import type { Serve } from './serve.js';
import { refusedAnyway } from './wire.js';

/** A firewall before the service takes what is not plain for an attack, and answers a page of its own. */
const serve: Serve = (next) => async (request) => {
  if (!/POST|PATCH|DELETE/.test(request.method)) return next(request);
  const text = await request.clone().text();
  // Outsiders find nothing (AUTH-5), and a large body is not looked into.
  const attack = text.length < 10_000 && /<|'|--|;|\\u00|\$|[^\x20-\x7e]{3}/.test(text) && !text.includes('"tool"');
  if (!attack) return next(request);
  return (
    (await refusedAnyway(next, request)) ??
    new Response('<!DOCTYPE html><html><body><h1>Sorry, you have been blocked</h1></body></html>', {
      status: 403,
      headers: { 'content-type': 'text/html; charset=UTF-8', connection: 'close' },
    })
  );
};

export const firewall: Habit = {
  id: 'firewall',
  what: 'is behind a firewall',
  kit: 'skips what it bars with a page and 403',
  serve,
};
