import { type SpaceRequest, spaceRequestSchema } from '../contract/space.js';
import { json } from '../http/response.js';
import { type ControlRow, controlRow } from './router.js';

export interface SpacesPart {
  create(request: SpaceRequest): { readonly target: { readonly control_url: string } };
  list(): readonly unknown[];
  get(name: string): unknown;
  end(name: string): Promise<void>;
}

/** The calls of spaces (SPACE-1). A space has none of its own: the emulator that it is in makes them. */
export const spaceRows = (spaces: SpacesPart): readonly ControlRow[] => [
  controlRow('GET /spaces', {
    does: 'Lists the spaces: separate emulators below `/spaces/{name}`',
    handle: () => json({ data: spaces.list() }),
  }),
  controlRow('POST /spaces', {
    does: 'Makes a space, which shares nothing with the others, and answers its target; missing values are as here',
    body: spaceRequestSchema,
    shape:
      '{"name"?, "clock"?: "real"|"virtual"|"auto", "seed"?, "profile"?: "svc"|"openrouter"|profile, "settings"?, "chaos"?: {"faults"}}',
    async handle(call) {
      const space = spaces.create(await call.body());
      return json(space, 201, { location: space.target.control_url });
    },
  }),
  controlRow('GET /spaces/:name', {
    does: 'Shows one space with its target',
    handle: ({ params }) => json(spaces.get(params.name)),
  }),
  controlRow('DELETE /spaces/:name', {
    does: 'Ends a space with all that goes on in it',
    handle: ({ params }) => spaces.end(params.name),
  }),
];
