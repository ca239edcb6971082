import { brief } from '../../framework/assert.js';
import type { AnswerGot } from '../../framework/finding.js';
import { behaviourIn, waitIn } from '../../framework/needs.js';
import type { Because, Question, Skip } from '../../framework/skip.js';
import { isLimit } from '../../framework/stop.js';
import { answerText, findingText, gotText } from './finding.js';
import { bootText, flagOf, lackText, obstacleText, stopText, unusableText, waitedText } from './stop.js';

/** A skip as a reader sees it: what it takes, and why that was not there. */
export interface SkipText {
  readonly need: string;
  readonly why: string;
}

const of = (need: string, why: string): SkipText => ({ need, why });
const short = (got: AnswerGot): string => brief(answerText(got), 160);
const said = (content: unknown): string =>
  content === undefined || content === '' ? 'it said nothing' : `it said ${brief(gotText(content), 120)}`;

/** The question that an intern asked instead. */
function askedText({ kind, message, operation, options }: Question): string {
  if (typeof message === 'string') return `it asked a question instead: ${brief(message, 120)}`;
  const which = typeof operation === 'string' ? ` of ${brief(operation, 60)}` : '';
  return kind === 'permission'
    ? `it asked for a permission${which} that can be answered with ${brief(options, 120)}`
    : `it asked ${brief({ kind, message, operation, options }, 120)}`;
}

function needText(because: Because<'need'>): SkipText {
  switch (because.kind) {
    case 'lacks':
      return of(because.need, lackText(because));
    case 'runs': {
      const allow = `--runs ${because.least}`;
      return of(allow, `it takes too long for a run of ${because.runs} per property; allow it with ${allow}`);
    }
    case 'unusable':
      return of(because.credential, unusableText(because.credential, because.how));
    case 'budget':
      return of('a larger budget', `it was beyond the ${because.budget} budget of its run`);
    case 'read-only':
      return of('write', 'the run is read-only');
    case 'not-ours': {
      const { how, id, read } = because;
      const why = {
        all: 'it would write to all interns at once',
        thing: 'it would change, copy or name a secret or a mapping that this run has not made',
        'not-made': `it would write to ${id}, which this run has not made`,
        unread: `nothing shows that ${id} is the run's: its read ${read === undefined ? 'gave no answer' : `answers ${read}`}`,
      }[how];
      return of('an intern of its own', why);
    }
    case 'met': {
      const got = because.got === undefined ? undefined : gotText(because.got);
      const value = got === undefined || typeof got === 'string' ? got : brief(got);
      return of(because.need, [because.note, value].filter((part) => part !== undefined).join(': '));
    }
    case 'not-now':
      return of('a target that can do it now', `it could not do it now: ${brief(answerText(because.got), 200)}`);
    case 'firewall': {
      const why = `a page was answered with 403, and a body that is no JSON with ${because.otherwise}: ${because.got.text.slice(0, 160)}`;
      return of('a way past the firewall', why);
    }
    case 'may-not-create':
      return of(because.credential, `${flagOf(because.credential)} may not create interns (${short(because.got)})`);
    case 'own-sessions':
      return of(
        'sessions that a client names',
        because.got === undefined
          ? 'a session that the client named went on under another id'
          : `a prompt in a session that the client named was answered ${short(because.got)}`,
      );
    case 'own-routes':
      return because.path === undefined
        ? of(
            'the name of the route in a request for a proof',
            'it is published as `route`, and no request that has it was given a proof for a route',
          )
        : of('a proof for any path', `which paths a route may have is published, and ${because.path} is none here`);
    case 'full':
      return of(
        'room for another intern',
        `the target takes no further intern while the run has so many (${answerText(because.got).slice(0, 200)})`,
      );
    case 'proof-layout':
      return of(
        'the layout of proofs',
        `no proof verifies over the fields as profile ${because.profile} joins them, which is a choice of its own; name the deployment's with --profile FILE (proof_layout)`,
      );
    case 'too-slow':
      return of('a quicker target', `the check was cancelled: it was not done within ${because.ms / 1_000} s`);
    case 'boot':
      return because.isNew === true
        ? of(
            'an intern that does not fail before it is asked to boot',
            bootText(because.failure, 'the boot of a new intern'),
          )
        : of('an intern that boots', bootText(because.failure));
    case 'never-waits':
      return of('an intern that waits', `a new intern is still ${because.status} after ${waitedText(because.waited)}`);
    case 'teardown': {
      const { got, waited } = because;
      const why =
        got === undefined
          ? `an intern is still torn down after ${waited === undefined ? 'its time' : waitedText(waited)}`
          : `the teardown of an intern failed: ${answerText(got)}`;
      return of('a teardown that ends', why);
    }
    case 'layer':
      return of(`layer ${because.layer}`, 'the adapter does not offer it');
    case 'abilities':
      return of(
        `${because.abilities.length === 1 ? 'ability' : 'abilities'} ${because.abilities.join(', ')}`,
        'the adapter does not offer it',
      );
    case 'events-as-they-come':
      return of('events as they come', 'the adapter writes no {"run","event"} lines');
  }
}

const DID = { stop: 'simply answer', tool_calls: 'ask', error: 'end with an error' } as const;
const INSTEAD = { stop: 'answered', tool_calls: 'asked', error: 'ended with an error' } as const;

function internText(because: Because<'intern'>): SkipText {
  switch (because.kind) {
    case 'did-otherwise': {
      const need = `the intern did not ${because.did} when asked to`;
      if (because.asked !== undefined) return of(need, askedText(because.asked));
      return of(need, [because.note, said(because.said)].filter((part) => part !== undefined).join('; '));
    }
    case 'finished-otherwise': {
      const { finish, wanted } = because;
      const error = because.error === undefined ? '' : `, error ${brief(because.error, 120)}`;
      return of(
        `the intern did not ${DID[wanted]} when asked to, it ${INSTEAD[finish]}`,
        `${because.of} ended with ${finish}, it said ${brief(because.said, 120)}${error}`,
      );
    }
    case 'asked-nothing':
      return of(
        'a question',
        `the stream asked nothing that could be answered (finish_reason ${because.finish ?? 'none'})`,
      );
    case 'prompt-not-taken':
      return of('the intern did not take the prompt', brief(answerText(because.got), 200));
    case 'took-too-long':
      return of(
        'the intern took too long',
        saying(`${because.awaited} did not come within ${because.ms / 1_000} s`, because.said),
      );
    case 'ended-before':
      return of('the run ended before what was waited for', saying(`it was ${because.awaited}`, because.said));
    case 'conversation':
      return of('the same conversation', because.note);
  }
}
const saying = (why: string, content: string): string =>
  content === '' ? why : `${why} (it said ${brief(content, 120)})`;

const UNDISTURBED = 'a target that nobody else changes';

function raceText(because: Because<'race'>): SkipText {
  switch (because.kind) {
    case 'disturbed':
      return of(UNDISTURBED, `${because.of}: ${brief(gotText(because.got), 120)} in between`);
    case 'run-ended': {
      const why = `the run ended with ${because.finish} while it was looked at (it said ${brief(because.said, 120)})`;
      return of('a run that goes on', why);
    }
    case 'went':
      return of(UNDISTURBED, `an intern that ran got to ${because.status} by itself`);
    case 'renamed': {
      const name = because.name === undefined ? 'no name' : JSON.stringify(because.name);
      return of(
        'an intern of its own',
        `somebody else has renamed ${because.id} to ${name}: nothing more is written to it`,
      );
    }
    case 'still-streams':
      return of(UNDISTURBED, 'a run whose client has left may go on for half a minute');
    case 'not-again':
      return of(
        'a finding that comes again',
        `it was found once and not again when repeated: ${findingText(because.found).what}`,
      );
    case 'never-the-same': {
      const places = new Set(because.found.map((one) => findingText(one).what));
      return of('requests that are answered as before', `each time another one did not: ${[...places].join('; ')}`);
    }
    case 'upload-cut':
      return of('an answer to a body over the cap', 'the connection was closed while it was sent');
    case 'lost-write':
      return of(
        'a gateway that loses no request',
        `a gateway answered a write (${because.request}: ${because.status}), which may have been done all the same`,
      );
    case 'deleted':
      return of(
        'interns that nobody else deletes',
        'an intern was deleted in between, as was one that the run only made',
      );
    case 'busy':
      return of(
        'an intern that is free',
        `the intern was busy, perhaps with what the run had left it to do: ${short(because.got)}`,
      );
  }
}

const LIMITS = {
  prompts: { flag: '--max-prompts', larger: 'more prompts' },
  requests: { flag: '--max-requests', larger: 'more requests' },
  time: { flag: '--max-time', larger: 'more time' },
} as const;

export function skipWords(skip: Skip): SkipText {
  switch (skip.kind) {
    case 'need':
      return needText(skip.because);
    case 'intern':
      return internText(skip.because);
    case 'race':
      return raceText(skip.because);
    case 'blocked': {
      const { by, obstacle, seen } = skip.because;
      return of(`blocked by ${by}`, obstacleText(obstacle, seen));
    }
    case 'stopped': {
      const { because } = skip;
      if (because.kind === 'over' && isLimit(because.stop)) {
        const { flag, larger } = LIMITS[because.stop.kind];
        return of(larger, `${stopText(because.stop)}; name it with --only, or give ${flag} or --budget thorough`);
      }
      if (because.kind === 'over') return of('target', stopText(because.stop));
      return of('a target that can be reached', `${because.request}: ${because.got.kind}: ${because.got.detail}`);
    }
  }
}

/** The obstacle to a verdict, in front of the reason: `needs peer_api_key`. */
export const keptBy = ({ kind, need }: Pick<Skip, 'kind'> & Pick<SkipText, 'need'>): string =>
  kind === 'need' ? `needs ${need}` : need;

/** The missing parts of several needs of one family: the longest wait, which covers the others; every prompt. */
export function familyWords(skips: readonly [Skip, ...Skip[]]): SkipText {
  const needs = [...new Set(skips.flatMap(({ because }) => (because.kind === 'lacks' ? [because.need] : [])))];
  if (needs.length < 2) return skipWords(skips[0]);
  const behaviours = needs.flatMap((need) => behaviourIn(need) ?? []);
  const refused = skips.some(({ because }) => because.kind === 'lacks' && because.how === 'script');
  if (behaviours.length > 0)
    return of(
      `behaviour:${behaviours.join(', ')}`,
      refused
        ? 'the emulator has no such scripts, and refuses those of the kit'
        : 'no prompt is configured that makes an intern do that',
    );
  const longest = `${Math.max(...needs.map((need) => waitIn(need) ?? 0)) / 1_000}s`;
  return of(`slow:${longest}`, `they wait in real time, the longest ${longest}; allow that with --slow ${longest}`);
}
