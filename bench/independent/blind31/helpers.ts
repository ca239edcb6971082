import { PROFILES, proofHeaders } from '../../../emulator/contract/profile.js';
import { isRecord } from '../../../emulator/contract/record.js';
import type { RunView } from '../../../emulator/contract/run.js';
import type { Factories } from '../../../emulator/factories.js';
import type { Behaviour, TurnContext, TurnGenerator, Turn as TurnOf } from '../../../emulator/scripts/behaviour.js';
import type { Chunk } from '../answers.js';
import type { Call, Json } from '../call.js';
import type { World } from '../world.js';

export type RunsDeps = Parameters<Factories['createRuns']>[0];
export type InternsDeps = Parameters<Factories['createInterns']>[0];
export type InternRow = NonNullable<ReturnType<ReturnType<Factories['createInterns']>['get']>>;

export const MINUTE = 60_000;
export const FIELDS = ['name', 'description', 'instructions', 'model'] as const;

/** The bearer token of a request, or empty. */
export const tokenOf = ({ request }: Call): string =>
  /^Bearer +(\S+)/i.exec(request.headers.get('authorization') ?? '')?.[1] ?? '';

export const isMember = ({ who }: Call): boolean => /api_key|oauth/.test(who) && who !== 'outsider_api_key';

/** The workspace of the member who calls. */
export const homeOf = (world: World, { who }: Call): string =>
  who.startsWith('foreign') ? world.workspaces.foreign : world.workspaces.own;

/** The names of the headers of a proof. */
export const namesOf = ({ target }: World) =>
  proofHeaders(target.profile === 'svc' ? PROFILES.svc : PROFILES.openrouter);

export const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

export const bodyOf = async (response: Response): Promise<Json> => {
  const body = (await response.clone().json()) as unknown;
  return isRecord(body) ? body : {};
};

/** The same answer with another body, and another status if one is given. */
export function withJson(response: Response, body: unknown, status = response.status): Response {
  const headers = new Headers(response.headers);
  headers.delete('content-length');
  return new Response(JSON.stringify(body), { status, headers });
}

export const rowsOf = ({ data }: Json): Json[] => (Array.isArray(data) ? data.filter(isRecord) : []);

/** The intern of a path as the caller sees it. */
export async function seen(world: World, call: Call, id = call.id): Promise<Json | undefined> {
  const response = await world.ask('GET', `/interns/${id}`, { as: tokenOf(call) });
  return response.ok ? bodyOf(response) : undefined;
}

/** The runs of an intern, newest first, as the service knows them. */
export async function runsOf(world: World, id: string): Promise<RunView[]> {
  const url = `${world.target.control_url}/runs?intern_id=${encodeURIComponent(id)}`;
  const response = await world.emulator.fetch(url);
  return response.ok ? ((await response.json()) as { data: RunView[] }).data : [];
}

/** The statuses that a list is filtered by. */
export const statusesOf = ({ url }: Call): string[] =>
  url.searchParams.has('status') ? url.searchParams.getAll('status').join(',').split(',') : [];

/** The message of a chat request that answers a question. */
export function answerIn({ body }: Call): Json | undefined {
  const last: unknown = Array.isArray(body.messages) ? body.messages.at(-1) : undefined;
  return isRecord(last) && last.role === 'tool' ? last : undefined;
}

/** The reason why a response finishes, the last chunk of it, and the id of a question in a chunk. */
export const finishOf = (chunk: Chunk | undefined): string | null => chunk?.choices[0]?.finish_reason ?? null;
export const isFinal = (chunk: Chunk | undefined): chunk is Chunk =>
  chunk !== undefined && chunk.choices.length === 0 && 'session_id' in chunk;
export function questionIn(chunk: Chunk | undefined): Json | undefined {
  const calls = chunk?.choices[0]?.delta.tool_calls;
  const first: unknown = Array.isArray(calls) ? calls[0] : undefined;
  return isRecord(first) ? first : undefined;
}

type Turn = (turn: TurnOf, context: TurnContext, usual: TurnGenerator) => TurnGenerator;

/** Runs whose behaviours are wrapped. */
export const turning = (deps: RunsDeps, wrap: Turn): RunsDeps => ({
  ...deps,
  scripts: {
    resolveTurn(intern, given) {
      const chosen = deps.scripts.resolveTurn(intern, given);
      const { behaviour } = chosen;
      const wrapped: Behaviour = {
        ...behaviour,
        turn: (turn, context) => wrap(turn, context, behaviour.turn(turn, context)),
      };
      return { ...chosen, behaviour: wrapped };
    },
  },
});
