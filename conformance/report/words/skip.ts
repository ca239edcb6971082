import { brief } from '../../model/assert.js';
import type { AnswerGot } from '../../model/finding.js';
import { type Because, isLimit, type Question, type Skip } from '../../model/skip.js';
import { behaviourIn, waitIn } from '../../model/target.js';
import { answerText, findingText, gotText } from './finding.js';
import { bootText, flagOf, lackText, obstacleText, stopText, textBy, unusableText, waitedText } from './stop.js';

/** A skip as a reader sees it: what it takes, and why that was not there. */
export interface SkipText {
  readonly need: string;
  readonly why: string;
}

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

const saying = (why: string, content: string): string =>
  content === '' ? why : `${why} (it said ${brief(content, 120)})`;
const listed = (parts: readonly (string | undefined)[], between: string): string =>
  parts.filter((part) => part !== undefined).join(between);

const DID = { stop: 'simply answer', tool_calls: 'ask', error: 'end with an error' } as const;
const INSTEAD = { stop: 'answered', tool_calls: 'asked', error: 'ended with an error' } as const;
const UNDISTURBED = 'a target that nobody else changes';
const LIMITS = {
  prompts: { flag: '--max-prompts', larger: 'more prompts' },
  requests: { flag: '--max-requests', larger: 'more requests' },
  time: { flag: '--max-time, a higher --rate', larger: 'more time' },
} as const;

/** The need and the reason of a skip, by its cause. */
const wordsOf = textBy<Because, readonly [need: string, why: string]>({
  lacks: (lack) => [lack.need, lackText(lack)],
  runs: ({ least, runs }) => [
    `--runs ${least}`,
    `it takes too long for a run of ${runs} per property; allow it with --runs ${least}`,
  ],
  unusable: ({ credential, how }) => [credential, unusableText(credential, how)],
  budget: ({ budget }) => ['a larger budget', `it was beyond the ${budget} budget of its run`],
  'read-only': () => ['write', 'the run is read-only'],
  'not-ours': ({ how, id, read }) => [
    'an intern of its own',
    {
      all: 'it would write to all interns at once',
      thing: 'it would change, copy or name a secret or a mapping that this run has not made',
      'not-made': `it would write to ${id}, which this run has not made`,
      unread: `nothing shows that ${id} is the run's: its read ${read === undefined ? 'gave no answer' : `answers ${read}`}`,
    }[how],
  ],
  met({ need, note, got }) {
    const value = got === undefined ? undefined : gotText(got);
    return [need, listed([note, value === undefined || typeof value === 'string' ? value : brief(value)], ': ')];
  },
  'not-now': ({ got }) => ['a target that can do it now', `it could not do it now: ${brief(answerText(got), 200)}`],
  firewall: ({ got, otherwise }) => [
    'a way past the firewall',
    `a page was answered with 403, and a body that is no JSON with ${otherwise}: ${got.text.slice(0, 160)}`,
  ],
  'may-not-create': ({ credential, got }) => [
    credential,
    `${flagOf(credential)} may not create interns (${short(got)})`,
  ],
  'own-sessions': ({ got }) => [
    'sessions that a client names',
    got === undefined
      ? 'a session that the client named went on under another id'
      : `a prompt in a session that the client named was answered ${short(got)}`,
  ],
  'own-routes': ({ path }) =>
    path === undefined
      ? [
          'the name of the route in a request for a proof',
          'it is published as `route`, and no request that has it was given a proof for a route',
        ]
      : ['a proof for any path', `which paths a route may have is published, and ${path} is none here`],
  full: ({ got }) => [
    'room for another intern',
    `the target takes no further intern while the run has so many (${answerText(got).slice(0, 200)})`,
  ],
  'proof-layout': ({ profile }) => [
    'the layout of proofs',
    `no proof verifies over the fields as profile ${profile} joins them, which is a choice of its own; name the deployment's with --profile FILE (proof_layout)`,
  ],
  'too-slow': ({ ms }) => ['a quicker target', `the check was cancelled: it was not done within ${ms / 1_000} s`],
  boot: ({ failure, isNew }) =>
    isNew === true
      ? ['an intern that does not fail before it is asked to boot', bootText(failure, 'the boot of a new intern')]
      : ['an intern that boots', bootText(failure)],
  'never-waits': ({ status, waited }) => [
    'an intern that waits',
    `a new intern is still ${status} after ${waitedText(waited)}`,
  ],
  teardown: ({ got, waited }) => [
    'a teardown that ends',
    got === undefined
      ? `an intern is still torn down after ${waited === undefined ? 'its time' : waitedText(waited)}`
      : `the teardown of an intern failed: ${answerText(got)}`,
  ],
  layer: ({ layer }) => [`layer ${layer}`, 'the adapter does not offer it'],
  abilities: ({ abilities }) => [
    `${abilities.length === 1 ? 'ability' : 'abilities'} ${abilities.join(', ')}`,
    'the adapter does not offer it',
  ],
  'events-as-they-come': () => ['events as they come', 'the adapter writes no {"run","event"} lines'],

  'did-otherwise': ({ asked, did, note, said: content }) => [
    `the intern did not ${did} when asked to`,
    asked === undefined ? listed([note, said(content)], '; ') : askedText(asked),
  ],
  'finished-otherwise': ({ error, finish, of, said: content, wanted }) => [
    `the intern did not ${DID[wanted]} when asked to, it ${INSTEAD[finish]}`,
    `${of} ended with ${finish}, it said ${brief(content, 120)}${error === undefined ? '' : `, error ${brief(error, 120)}`}`,
  ],
  'asked-nothing': ({ finish = 'none' }) => [
    'a question',
    `the stream asked nothing that could be answered (finish_reason ${finish})`,
  ],
  'prompt-not-taken': ({ got }) => ['the intern did not take the prompt', brief(answerText(got), 200)],
  'took-too-long': ({ awaited, ms, said: content }) => [
    'the intern took too long',
    saying(`${awaited} did not come within ${ms / 1_000} s`, content),
  ],
  'ended-before': ({ awaited, said: content }) => [
    'the run ended before what was waited for',
    saying(`it was ${awaited}`, content),
  ],
  conversation: ({ note }) => ['the same conversation', note],

  disturbed: ({ of, got }) => [UNDISTURBED, `${of}: ${brief(gotText(got), 120)} in between`],
  'run-ended': ({ finish, said: content }) => [
    'a run that goes on',
    `the run ended with ${finish} while it was looked at (it said ${brief(content, 120)})`,
  ],
  went: ({ status }) => [UNDISTURBED, `an intern that ran got to ${status} by itself`],
  renamed: ({ id, name }) => [
    'an intern of its own',
    `somebody else has renamed ${id} to ${name === undefined ? 'no name' : JSON.stringify(name)}: nothing more is written to it`,
  ],
  'still-streams': () => [UNDISTURBED, 'a run whose client has left may go on for half a minute'],
  'not-again': ({ found }) => [
    'a finding that comes again',
    `it was found once and not again when repeated: ${findingText(found).what}`,
  ],
  'never-the-same': ({ found }) => [
    'requests that are answered as before',
    `each time another one did not: ${[...new Set(found.map((one) => findingText(one).what))].join('; ')}`,
  ],
  'upload-cut': () => ['an answer to a body over the cap', 'the connection was closed while it was sent'],
  'lost-write': ({ request, status }) => [
    'a gateway that loses no request',
    `a gateway answered a write (${request}: ${status}), which may have been done all the same`,
  ],
  deleted: () => [
    'interns that nobody else deletes',
    'an intern was deleted in between, as was one that the run only made',
  ],
  busy: ({ got }) => [
    'an intern that is free',
    `the intern was busy, perhaps with what the run had left it to do: ${short(got)}`,
  ],

  blocked: ({ by, obstacle, seen }) => [`blocked by ${by}`, obstacleText(obstacle, seen)],
  over({ stop }) {
    if (!isLimit(stop)) return ['target', stopText(stop)];
    const { flag, larger } = LIMITS[stop.kind];
    return [larger, `${stopText(stop)}; name it with --only, or give ${flag} or --budget thorough`];
  },
  unreached: ({ request, got }) => ['a target that can be reached', `${request}: ${got.kind}: ${got.detail}`],
});

export function skipWords({ because }: Skip): SkipText {
  const [need, why] = wordsOf(because);
  return { need, why };
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
    return {
      need: `behaviour:${behaviours.join(', ')}`,
      why: refused
        ? 'the emulator has no such scripts, and refuses those of the kit'
        : 'no prompt is configured that makes an intern do that',
    };
  const longest = `${Math.max(...needs.map((need) => waitIn(need) ?? 0)) / 1_000}s`;
  return {
    need: `slow:${longest}`,
    why: `they wait in real time, the longest ${longest}; allow that with --slow ${longest}`,
  };
}
