import { Refusal } from '../../../emulator/contract/errors.js';
import type { Caller } from '../../../emulator/domain/caller.js';
import { failed } from '../answers.js';
import type { Way } from '../world.js';

const MINUTE = 60_000;

export const credentials: readonly Way[] = [
  {
    // A token of a login is good for minutes, and a run of the kit may be longer.
    name: 'tokens of the login expire after ninety seconds',
    lawful: true,
    quote: 'How keys and tokens are issued, and their lifetimes: not shown.',
    wrong: (world) => {
      const { now } = world.setting.host;
      const since = now();
      return world.instead('*', ({ who, regional, url, op }) => {
        if (!/^(peer_)?oauth_/.test(who) || regional || now() - since < 1.5 * MINUTE) return undefined;
        if (!/\/(interns|vault)(\/|$)/.test(url.pathname)) return undefined;
        const other = failed(401, 'Invalid or missing API key');
        if (/^(sign|daemon)/.test(op)) other.headers.set('cache-control', 'no-store');
        return other;
      });
    },
  },
  {
    name: "a colleague's key is revoked after twelve calls, and the management key after four",
    lawful: true,
    quote: 'A missing or invalid key gives 401.',
    wrong: (world) => {
      const calls = new Map<string, number>();
      const most: Readonly<Record<string, number>> = { peer_api_key: 12, management_key: 4 };
      return world.instead('*', ({ who, regional, url }) => {
        const limit = most[who];
        const scim = url.pathname.includes('/scim');
        if (limit === undefined || regional || scim !== (who === 'management_key')) return undefined;
        calls.set(who, (calls.get(who) ?? 0) + 1);
        if ((calls.get(who) ?? 0) <= limit) return undefined;
        return failed(401, scim ? 'Missing Authentication header' : 'Invalid or missing API key');
      });
    },
  },
  {
    // That all of a workspace see its interns is chosen.
    name: 'a member sees the interns that he created, and no others',
    lawful: true,
    quote: 'The API key selects the caller, the workspace and the visible interns.',
    factories: (usual, hit) => ({
      createInterns: (deps) => {
        const interns = usual.createInterns(deps);
        const { visible, list } = interns;
        const sees = ({ id, kind }: Caller, creator: string) => kind === 'own_key' || id === creator;
        interns.visible = (caller, id) => {
          const row = visible(caller, id);
          if (sees(caller, row.creator)) return row;
          hit();
          throw new Refusal('not_found');
        };
        interns.list = (caller) => list(caller).filter(({ creator }) => sees(caller, creator));
        return interns;
      },
    }),
  },
];
