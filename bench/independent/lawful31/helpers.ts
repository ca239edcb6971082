import type { Factories } from '../../../emulator/factories.js';
import type { Behaviour, Turn, TurnContext, TurnGenerator } from '../../../emulator/scripts/behaviour.js';
import type { Call } from '../call.js';
import { isJson, type Json } from '../call.js';
import type { Answer } from '../world.js';

/** The member behind a credential: the key and the tokens of one person are one caller. */
export const memberOf = (who: string): string => {
  if (who.startsWith('peer_')) return 'peer';
  return who === 'api_key' || who.startsWith('oauth_') ? 'caller' : who;
};

/** One answer after the other. */
export const chained =
  (first: Answer, then: Answer): Answer =>
  (call, next) =>
    then(call, (request) => first(call, () => next(request)));

/** The last message of a chat. */
export const lastMessage = ({ body }: Call): Json | undefined => {
  const last = Array.isArray(body.messages) ? body.messages.at(-1) : undefined;
  return isJson(last) ? last : undefined;
};

/** The message of an error's answer, or empty. */
export const messageIn = async (response: Response): Promise<string> => {
  if (response.ok || !/json/.test(response.headers.get('content-type') ?? '')) return '';
  const text = await response.clone().text();
  if (text === '') return '';
  const { error } = JSON.parse(text) as { error?: { message?: unknown } };
  return String(error?.message ?? '');
};

type Inner = () => TurnGenerator;

/** Interns whose turns go another way than their scripts alone would have it. */
export const turning =
  (
    usual: Factories,
    other: (inner: Inner, turn: Turn, context: TurnContext) => TurnGenerator,
    steered?: (text: string) => string,
  ): Factories['createScriptRegistry'] =>
  (deps) => {
    const registry = usual.createScriptRegistry(deps);
    return {
      ...registry,
      resolveTurn(intern, given) {
        const chosen = registry.resolveTurn(intern, given);
        const { behaviour } = chosen;
        const shown = steered ?? ((text: string) => behaviour.steered?.(text) ?? `(steered: ${text})`);
        const changed: Behaviour = {
          name: behaviour.name,
          turn: (turn, context) => other(() => behaviour.turn(turn, context), turn, context),
          steered: shown,
        };
        return { ...chosen, behaviour: changed };
      },
    };
  };
