import type { Json } from '../call.js';
import { chained } from '../lawful31/helpers.js';
import { peeked, shown } from '../lawful35/helpers.js';
import type { Way } from '../world.js';
import { shownAs } from './helpers.js';

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
    const records = shownAs(world, 'stopped', (intern) => {
      if (intern.status !== 'stopped') booted.add(String(intern.id));
      else if (!booted.has(String(intern.id))) intern.status = 'new';
    });
    const provisions = world.later('provision', (response, { id }) => {
      if (response.ok) booted.add(id.toLowerCase());
      return undefined;
    });
    return chained(provisions, records);
  },
};

export const records: readonly Way[] = [
  seenNow,
  fresh,
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
