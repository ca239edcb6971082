import { isJson, type Json, withHeaders } from '../call.js';
import { internsIn } from '../lawful30/helpers.js';
import { chained } from '../lawful31/helpers.js';
import { isOrdinary, peeked, shown } from '../lawful35/helpers.js';
import type { Way } from '../world.js';

export const seenNow: Way = {
  name: 'a running intern was updated just now, as its host reports all the time',
  lawful: true,
  quote: 'Complete field list, types and formats of the intern record: not shown.',
  wrong: (world) =>
    shown(world, (intern, now) => {
      if (intern.status === 'running') intern.updated_at = new Date(now).toISOString();
    }),
};

export const fresh: Way = {
  name: 'an intern that waits for its first provision call is new, not stopped',
  lawful: true,
  unpublished: true,
  quote: 'Full set of status values and transitions: not shown.',
  wrong(world) {
    const booted = new Set<string>();
    const wantedOf = (url: URL) => url.searchParams.getAll('status').flatMap((text) => text.split(','));
    const asked = world.asked('list', (call) => {
      const wanted = wantedOf(call.url);
      if (!wanted.includes('new')) return undefined;
      const url = new URL(call.url);
      url.searchParams.set('status', [...new Set(wanted.map((one) => (one === 'new' ? 'stopped' : one)))].join(','));
      return withHeaders(call, {}, url);
    });
    const answered = world.ok('list create get update', (body, { url, op }) => {
      for (const intern of internsIn(body)) {
        if (intern.status !== 'stopped') booted.add(String(intern.id));
        else if (!booted.has(String(intern.id))) intern.status = 'new';
      }
      const wanted = wantedOf(url);
      if (op === 'list' && wanted.length > 0 && Array.isArray(body.data))
        body.data = body.data.filter((one) => isJson(one) && wanted.includes(String(one.status)));
    });
    const provisions = world.later('provision', (response, { id }) => {
      if (response.ok) booted.add(id.toLowerCase());
      return undefined;
    });
    return chained(chained(asked, answered), provisions);
  },
};

export const records: readonly Way[] = [
  seenNow,
  fresh,
  {
    name: 'texts are kept in the composed form of Unicode',
    lawful: true,
    unpublished: true,
    quote: 'Complete field list, types and formats of the intern record: not shown.',
    wrong: (world) =>
      world.asked('create update', (call): Json | undefined => {
        if (!isOrdinary(call)) return undefined;
        const changed = { ...call.body };
        for (const name of ['description', 'instructions'])
          if (typeof changed[name] === 'string') changed[name] = String(changed[name]).normalize('NFC');
        return JSON.stringify(changed) === JSON.stringify(call.body) ? undefined : changed;
      }),
  },
  {
    name: 'an intern has its hostname from the beginning, and keeps it while it is stopped',
    lawful: true,
    unpublished: true,
    quote: 'Complete field list, types and formats of the intern record: not shown.',
    wrong: (world) =>
      shown(world, (intern) => {
        intern.hostname = `${String(intern.id).slice(0, 8)}.interns.example`;
      }),
  },
  {
    name: 'a boot shows no progress',
    lawful: true,
    unpublished: true,
    quote: 'Complete field list, types and formats of the intern record: not shown.',
    wrong: (world) =>
      shown(world, (intern) => {
        intern.progress = null;
      }),
  },
  {
    name: 'a record has links to what one may do with it now, which is another list in each status',
    lawful: true,
    quote: 'Complete field list, types and formats of the intern record: not shown.',
    wrong: (world) =>
      shown(world, (intern) => {
        const links: Json = { self: `/api/v1/interns/${String(intern.id)}` };
        if (intern.status === 'running') links.suspend = `/api/v1/interns/${String(intern.id)}/suspend`;
        if (intern.status === 'stopped') links.provision = `/api/v1/interns/${String(intern.id)}/provision`;
        Object.assign(intern, { _links: links, etag: `W/"${String(intern.updated_at)}"`, labels: {}, region: null });
      }),
  },
  {
    name: 'an update is answered with the version of the record as well, which counts its changes',
    lawful: true,
    quote: 'Complete field list, types and formats of the intern record: not shown.',
    wrong(world) {
      const versions = new Map<string, number>();
      return async (call, next) => {
        const response = await next();
        if (call.op !== 'update' || !response.ok) return response;
        const body = await peeked(response);
        const version = (versions.get(String(body.id)) ?? 0) + 1;
        versions.set(String(body.id), version);
        world.hit();
        const headers = new Headers(response.headers);
        headers.delete('content-length');
        headers.set('etag', `"${version}"`);
        return Response.json({ ...body, version }, { headers });
      };
    },
  },
];
