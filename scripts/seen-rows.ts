import {
  countSeen,
  type GivenCredentials,
  isSeen,
  MISSED,
  type Missed,
  readMeasured,
} from '../conformance/mutants/seen.js';
import { withPart } from './page-parts.js';

const measured = readMeasured();
const of = Object.keys(measured.mutants).length;
const unseen = (given: GivenCredentials, because: Missed) =>
  Object.values(measured.mutants).filter(({ [given]: one }) => !isSeen(one) && one.because === because).length;
const share = (given: GivenCredentials) => {
  const seen = countSeen(measured, given);
  return `${seen} of ${of} (${((100 * seen) / of).toFixed(1)} %)`;
};

const SENTENCE = /A default run finds .*? with an API key alone\./;
const sentence = () =>
  `A default run finds ${share('all')} with every credential, ${share('key')} with an API key alone.`;

/** Writes how many mutants a default run finds into the sentence that begins so. */
export async function withFigure(page: string): Promise<string> {
  if (!SENTENCE.test(page)) throw new Error('no sentence begins with "A default run finds"');
  return page.replace(SENTENCE, sentence);
}

/** Writes what a default run was measured to find, and why the rest was missed, between two marks. */
export async function withSeen(page: string): Promise<string> {
  const kinds = (Object.keys(MISSED) as Missed[])
    .filter((kind) => unseen('all', kind) + unseen('key', kind) > 0)
    .map((kind) => `| ${MISSED[kind]} | ${unseen('all', kind)} | ${unseen('key', kind)} |`);
  const made = [
    sentence(),
    `| missed because | with every credential | with an API key alone |\n|---|---|---|\n${kinds.join('\n')}`,
    '`seen.json` names each mutant that was missed, and why.',
  ];
  return withPart(page, 'seen', () => made.join('\n\n'));
}
