import { Refusal } from '../contract/errors.js';
import type { Prompted } from '../contract/match.js';
import { suggestion } from '../contract/nearest.js';
import type { InternRow } from '../contract/state.js';
import { type Behaviour, DEFAULT_LIFECYCLE, type LifecyclePlan, type ScriptRegistry } from './behaviour.js';
import type { Matches } from './matches.js';

const PUT = 'put on the intern';
const FIRST_LINE = /^script:[ \t]*(\S+)[ \t]*(?:\r?\n|$)/;

/** The script that the first line of a text names, and the rest of the text. */
export function scriptLine(text: string): { name: string; rest: string } | undefined {
  const match = FIRST_LINE.exec(text);
  return match?.[1] === undefined ? undefined : { name: match[1], rest: text.slice(match[0].length) };
}

export interface ChosenTurn {
  readonly behaviour: Behaviour;
  /** The part of the prompt that it gets. */
  readonly prompt: string;
  /** The reason of the choice, in words: `its model`. */
  readonly by: string;
  /** A note to the sender: its prompt names a script in vain. */
  readonly note?: string | undefined;
}

/** The script that an intern carries by itself: assigned to it, named by its model, or by its instructions. */
function ownScript(intern: InternRow): { name: string; by: string } | undefined {
  if (intern.script !== null) return { name: intern.script, by: PUT };
  // Before the first boot there is only the model that it is going to boot with.
  const { model, instructions } = intern.booted ?? intern.record;
  if (model?.startsWith('script/')) return { name: model.slice('script/'.length), by: 'its model' };
  const line = scriptLine(instructions ?? '');
  return line && { name: line.name, by: 'the first line of its instructions' };
}

const unknown = (scripts: ScriptRegistry, name: string) => {
  const known = scripts.names();
  return `unknown script ${JSON.stringify(name)}${suggestion(name, known)}; known are ${known.join(', ')}`;
};

/**
 * Chooses the behaviour for a prompt: the script assigned to the intern through the control interface; else the one the
 * prompt's first line names (`script: NAME`); else that of the first match that the prompt meets; else that of the
 * model it booted with (`script/NAME`); else the one the first line of its instructions names; else `echo`. A script
 * that the prompt named gets the prompt without that line, or the whole prompt if nothing is left.
 *
 * @throws Refusal 400 for a prompt that names an unknown script, 502 `turn_failed` for an intern that carries one
 */
export function chooseTurn(
  scripts: ScriptRegistry,
  intern: InternRow,
  given: Prompted,
  matches?: Pick<Matches, 'find'>,
): ChosenTurn {
  const { prompt } = given;
  const line = scriptLine(prompt);
  if (line && intern.script === null) {
    const behaviour = scripts.get(line.name);
    if (!behaviour) throw new Refusal('bad_request', { message: unknown(scripts, line.name) });
    return { behaviour, prompt: line.rest === '' ? prompt : line.rest, by: 'the first line of the prompt' };
  }
  const match = intern.script === null ? matches?.find(given) : undefined;
  const matched = match && { name: match.script, by: `match ${match.at + 1}` };
  const own = matched ?? ownScript(intern) ?? { name: 'echo', by: 'default' };
  const behaviour = scripts.get(own.name);
  if (!behaviour) {
    throw new Refusal('turn_failed', { message: `The turn failed: ${own.by} names an ${unknown(scripts, own.name)}` });
  }
  const note =
    line && line.name !== own.name
      ? `the script ${own.name}, which was put on the intern, overrules "script: ${line.name}" in the prompt; DELETE /_emulator/interns/${intern.id}/script takes it off`
      : undefined;
  return { behaviour, prompt, by: own.by, note };
}

/**
 * How the boot, the teardown, the vault and the daemon of an intern go: by the same choice without the prompt. An
 * intern with an unknown script fails to boot, and is torn down like any other.
 */
export function chooseLifecycle(scripts: ScriptRegistry, intern: InternRow): LifecyclePlan {
  const own = ownScript(intern);
  const behaviour = scripts.get(own?.name ?? 'echo');
  if (!behaviour && own) {
    return {
      ...DEFAULT_LIFECYCLE,
      boot: { ...DEFAULT_LIFECYCLE.boot, ends: 'failed', message: `${own.by} names an ${unknown(scripts, own.name)}` },
    };
  }
  return { ...DEFAULT_LIFECYCLE, ...behaviour?.lifecycle };
}
