import { failed } from '../answers.js';
import { isJson } from '../call.js';
import { isMember } from '../lawful30/helpers.js';
import { chained } from '../lawful31/helpers.js';
import type { Way } from '../world.js';

const KEYED = ['list', 'create', 'get', 'update', 'delete', 'provision', 'suspend', 'chat', 'invoke'];
const OTHER: Readonly<Record<string, number>> = { create: 200, delete: 200, provision: 200, suspend: 202 };
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const codes: readonly Way[] = [
  {
    name: 'create, delete and provision answer 200, suspend 202',
    lawful: true,
    unpublished: true,
    quote: 'Success status codes other than 202 for invoke: not shown.',
    wrong: (world) =>
      world.later('create delete provision suspend', ({ ok, body, headers }, { op }) =>
        ok ? new Response(body, { status: OTHER[op] ?? 200, headers }) : undefined,
      ),
  },
  {
    // The status that is reported is steered; with which code chat says so is not stated, nor what a started run has.
    name: 'a steered chat is answered 200, and a started invoke is accepted',
    lawful: true,
    unpublished: true,
    quote: 'the prompt is delivered into that run, and the reported status is steered',
    wrong: (world) => {
      const chats = world.later('chat', ({ status, body, headers }) =>
        status === 202 ? new Response(body, { status: 200, headers }) : undefined,
      );
      const invokes = world.ok('invoke', (body) => {
        if (body.status === 'started') body.status = 'accepted';
      });
      return chained(chats, invokes);
    },
  },
  {
    // The 401 of signing and all of SCIM have no metadata; the envelope has it.
    name: 'a 401 has metadata where nothing keeps it away',
    lawful: true,
    unpublished: true,
    quote: 'The `metadata` object is absent on the 401 error of the signing route and on all SCIM errors.',
    wrong: (world) =>
      world.json('*', (body, { op, who }, { status }) => {
        if (status !== 401 || !isJson(body.error) || !KEYED.includes(op)) return;
        body.error.message = who === 'none' ? 'No API key was sent' : 'This API key is not known';
        body.error.metadata = { reason: who === 'none' ? 'missing_api_key' : 'invalid_api_key', retryable: false };
      }),
  },
  {
    name: 'a regional host is refused as misdirected',
    lawful: true,
    unpublished: true,
    quote: 'Requests on regional hostnames are refused.',
    wrong: (world) =>
      world.later('*', ({ status, headers }, { regional, url }) => {
        if (!regional || status !== 403) return undefined;
        const said = 'This host is not served; use the global one';
        const other = url.pathname.includes('/scim')
          ? failed(421, said)
          : failed(421, said, 'regional_host_unsupported');
        const control = headers.get('cache-control');
        if (control !== null) other.headers.set('cache-control', control);
        return other;
      }),
  },
  {
    // A framework that checks the form of path parameters. The table of signing has 404 for an unknown intern.
    name: 'an id that cannot be one is 400 where 404 is not stated',
    lawful: true,
    unpublished: true,
    quote: 'Error catalogue for the intern operations other than signing: not shown.',
    wrong: (world) =>
      world.later('get update delete provision suspend chat invoke', ({ status }, { who, id, regional }) =>
        status === 404 && isMember(who) && !regional && !UUID.test(id)
          ? failed(400, 'The id is malformed', 'invalid_id')
          : undefined,
      ),
  },
  {
    // The envelope is stated for endpoints. A gateway answers an unknown path with a page for people.
    name: 'beside the interface there is a web page for every path',
    lawful: true,
    quote: '{base_url} is the service base address up to and including the version segment `/api/v1`.',
    wrong: (world) => async (call, next) => {
      const { pathname } = call.url;
      const below = /^\/api\/v1(\/.*)?$/.exec(pathname)?.[1];
      if (call.regional || (below !== undefined && /^\/(interns|scim|vault)(\/|$)/.test(below))) return next();
      world.hit();
      const headers = { 'content-type': 'text/html; charset=utf-8' };
      const page = '<!doctype html><title>Interns</title><div id="root"></div>';
      const { method } = call.request;
      if (below !== undefined) return new Response('<h1>404 Not Found</h1>', { status: 404, headers });
      if (method === 'HEAD') return new Response(null, { headers });
      return method === 'GET'
        ? new Response(page, { headers })
        : new Response('<h1>405 Method Not Allowed</h1>', { status: 405, headers });
    },
  },
  {
    // The interface has one read of SCIM and no vault but the private one, which nobody reads.
    name: 'there is no vault to read, and of SCIM the one read alone',
    lawful: true,
    unpublished: true,
    quote: 'One SCIM operation reads a group-to-workspace mapping.',
    wrong: (world) =>
      world.instead('*', ({ url, op, regional, who }) => {
        if (regional) return undefined;
        const path = url.pathname.replace(/^\/api\/v1/, '');
        if (path.startsWith('/vault')) return failed(404, 'Not found', 'not_found');
        if (!path.startsWith('/scim') || op === 'scim' || who !== 'management_key') return undefined;
        return failed(404, 'Resource not found');
      }),
  },
];
