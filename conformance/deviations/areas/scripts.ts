import { resolves, says, stepwise, waits, yields } from '../combinators/behaviours.js';
import { wrap } from '../combinators/parts.js';
import { defineDeviations } from '../mutant.js';

export const SCRIPTS = defineDeviations({
  'script-says-all-at-once': {
    description: 'say comes in one chunk, whatever chunks it asks for.',
    mutant: says((texts) => [texts.join('')]),
  },
  'script-cuts-characters': {
    description: 'say is cut within characters.',
    mutant: says((texts) => texts.join('').split('')),
  },
  'script-waits-before-the-first-piece': {
    description: 'Paced chunks begin after the first pause.',
    mutant: stepwise((_, __, { clock }) => {
      let first = true;
      return async function* (event) {
        if (first) await clock.sleep(1);
        first = false;
        return yield event;
      };
    }),
  },
  'script-waits-longer': {
    description: 'Every wait takes a millisecond longer.',
    mutant: waits((sleep, ms) => sleep(ms + 1)),
  },
  'script-forgets-the-first-answer': {
    description: 'The first answer of a run reaches it as cancel.',
    mutant: stepwise(() => {
      let first = true;
      return async function* (event) {
        const given = yield event;
        if (!('ask' in event) || !first) return given;
        first = false;
        return event.ask.kind === 'permission' ? 'cancel' : { action: 'cancel' };
      };
    }),
  },
  'script-compares-whole-answers': {
    description: 'Of the content of an answer only one field reaches the script.',
    mutant: stepwise(
      () =>
        async function* (event) {
          const given = yield event;
          return typeof given === 'object' && given.content
            ? { ...given, content: Object.fromEntries(Object.entries(given.content).slice(-1)) }
            : given;
        },
    ),
  },
  'script-failure-for-good': {
    description: 'A turn that fails is never worth trying again.',
    mutant: yields(
      () => (event) => ('end' in event && event.end === 'failed' ? { ...event, retryable: false } : event),
    ),
  },
  'script-of-the-prompt-before-the-one-put': {
    description: 'A script named by the prompt goes before one put on the intern.',
    mutant: resolves((usual, intern, given) => {
      const named = /^script: (\S+)/.exec(given.prompt)?.[1];
      return usual.resolveTurn(named === undefined ? intern : { ...intern, script: null }, given);
    }),
  },
  'script-unknown-is-echo': {
    description: 'A prompt that names an unknown script is echoed.',
    mutant: resolves((usual, intern, given) => {
      const { prompt } = given;
      const named = /^script: (\S+)/.exec(prompt)?.[1];
      const known = named === undefined || usual.get(named) !== undefined;
      return usual.resolveTurn(intern, known ? given : { ...given, prompt: `Unknown.\n${prompt}` });
    }),
  },
  'script-invalid-is-put': {
    description: 'A script that is invalid is taken, and says nothing.',
    mutant: wrap({
      createScriptRegistry: (usual) => ({
        put(name, source) {
          try {
            return usual.put(name, source);
          } catch {
            return usual.put(name, { name, turn: [] });
          }
        },
      }),
    }),
  },
  'script-put-again-is-ignored': {
    description: 'A script that is put again stays as it was.',
    mutant: wrap({
      createScriptRegistry: (usual) => ({ put: (name, source) => usual.view(name) ?? usual.put(name, source) }),
    }),
  },
  'shipped-asks-once': {
    description: 'ask-twice asks one question.',
    mutant: yields((name) => {
      let asked = false;
      return (event) => {
        if (name !== 'ask-twice' || !('ask' in event)) return event;
        const again = asked;
        asked = true;
        return again ? undefined : event;
      };
    }),
  },
  'shipped-no-usage-with-usage': {
    description: 'no-usage reports usage.',
    mutant: yields(
      (name) => (event) =>
        name === 'no-usage' && 'say' in event
          ? [event, { usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 } }]
          : event,
    ),
  },
  'shipped-refusals-speak-first': {
    description: 'refuses and unreachable say something before they end.',
    mutant: yields(
      (name) => (event) =>
        ['refuses', 'unreachable'].includes(name) && 'end' in event ? [{ say: 'Hm. ' }, event] : event,
    ),
  },
});
