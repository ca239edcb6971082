import { type Habit, refusedAnyway } from './habit.js';
import { instead } from './measured.js';

const PAGE = /^\s*<(?:!doctype|html)/i;

export const firewall: Habit = {
  id: 'firewall',
  what: 'is behind a firewall',
  kit: 'skips the checks whose bodies the firewall answers with a page of its own, as 403',
  /** The firewall mistakes unusual bodies for attacks, and answers with a page of its own. */
  serve: (next) => async (request) => {
    if (!/POST|PATCH|DELETE/.test(request.method)) return next(request);
    const text = await request.clone().text();
    // The firewall looks into no large body, and outsiders get 404 (AUTH-5).
    const attack = text.length < 10_000 && /<|'|--|;|\\u00|\$|[^\x20-\x7e]{3}/.test(text) && !text.includes('"tool"');
    if (!attack) return next(request);
    return (
      (await refusedAnyway(next, request)) ??
      new Response('<!DOCTYPE html><html><body><h1>Sorry, you have been blocked</h1></body></html>', {
        status: 403,
        headers: { 'content-type': 'text/html; charset=UTF-8', connection: 'close' },
      })
    );
  },
  /** The firewall mistakes a body for an attack. A plain invalid body gets another refusal. */
  explains: async ({ got, seen }, visit) => {
    const barred = seen.findLast(({ status }) => status === 403);
    if (got?.status !== 403 || barred?.sent === undefined || visit.readOnly || !PAGE.test(barred.text))
      return undefined;
    const headers = { 'content-type': 'application/json' };
    const { status = 0 } = (await instead(visit, barred, { body: '{"plain"', headers })) ?? {};
    if (status < 400 || status === 403) return undefined;
    return { skip: { kind: 'need', because: { kind: 'firewall', got, otherwise: status } } };
  },
};
