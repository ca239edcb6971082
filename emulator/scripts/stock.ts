import askPermission from '../../fixtures/scripts/ask-permission.json' with { type: 'json' };
import askPermissionTwice from '../../fixtures/scripts/ask-permission-twice.json' with { type: 'json' };
import askQuestion from '../../fixtures/scripts/ask-question.json' with { type: 'json' };
import askThenSilent from '../../fixtures/scripts/ask-then-silent.json' with { type: 'json' };
import askTwice from '../../fixtures/scripts/ask-twice.json' with { type: 'json' };
import bootFails from '../../fixtures/scripts/boot-fails.json' with { type: 'json' };
import bootHangs from '../../fixtures/scripts/boot-hangs.json' with { type: 'json' };
import cancelled from '../../fixtures/scripts/cancelled.json' with { type: 'json' };
import daemonUnreachable from '../../fixtures/scripts/daemon-unreachable.json' with { type: 'json' };
import deadline from '../../fixtures/scripts/deadline.json' with { type: 'json' };
import fails from '../../fixtures/scripts/fails.json' with { type: 'json' };
import long from '../../fixtures/scripts/long.json' with { type: 'json' };
import neverEnds from '../../fixtures/scripts/never-ends.json' with { type: 'json' };
import noUsage from '../../fixtures/scripts/no-usage.json' with { type: 'json' };
import refuses from '../../fixtures/scripts/refuses.json' with { type: 'json' };
import saysNothing from '../../fixtures/scripts/says-nothing.json' with { type: 'json' };
import severed from '../../fixtures/scripts/severed.json' with { type: 'json' };
import silent from '../../fixtures/scripts/silent.json' with { type: 'json' };
import slow from '../../fixtures/scripts/slow.json' with { type: 'json' };
import teardownFails from '../../fixtures/scripts/teardown-fails.json' with { type: 'json' };
import teardownHangs from '../../fixtures/scripts/teardown-hangs.json' with { type: 'json' };
import unicode from '../../fixtures/scripts/unicode.json' with { type: 'json' };
import unreachable from '../../fixtures/scripts/unreachable.json' with { type: 'json' };
import useSecret from '../../fixtures/scripts/use-secret.json' with { type: 'json' };
import vaultFailsOnce from '../../fixtures/scripts/vault-fails-once.json' with { type: 'json' };
import type { Behaviour } from './behaviour.js';
import { compileScript } from './compile.js';
import { echo } from './echo.js';
import { loneSurrogate } from './lone-surrogate.js';

/** The JSON scripts that ship with the package. */
export const STOCK_SCRIPTS: readonly { readonly name: string }[] = [
  askPermission,
  askPermissionTwice,
  askQuestion,
  askThenSilent,
  askTwice,
  bootFails,
  bootHangs,
  cancelled,
  daemonUnreachable,
  deadline,
  fails,
  long,
  loneSurrogate,
  neverEnds,
  noUsage,
  refuses,
  saysNothing,
  severed,
  silent,
  slow,
  teardownFails,
  teardownHangs,
  unicode,
  unreachable,
  useSecret,
  vaultFailsOnce,
];

/** A JSON script that is compiled on first use: most starts use none of them. */
function lazily(source: { readonly name: string }): Behaviour {
  let compiled: Behaviour | undefined;
  const behaviour = () => {
    compiled ??= compileScript(source, { file: `fixtures/scripts/${source.name}.json` });
    return compiled;
  };
  return {
    name: source.name,
    source,
    turn: (turn, context) => behaviour().turn(turn, context),
    get lifecycle() {
      return behaviour().lifecycle ?? {};
    },
  };
}

/** The scripts that ship with the package: the JSON scripts, and `echo`. */
export const stockBehaviours = (): Behaviour[] => [echo, ...STOCK_SCRIPTS.map(lazily)];
