import type { ClientCase } from '../../emulator/contract/client-case.js';

/** The page that says by which rules a client is judged. */
export const RULES_PAGE = 'docs/client-rules.md';

/** A rule that a case rests on: a clause of a standard, or a row of the lab's own rules. */
export interface ClientRule {
  readonly sentence: string;
  /** The source of it: `WHATWG HTML 9.2.6`, `RFC 9110 10.2.3`, `OpenAI API reference, Chat streaming`, or the lab. */
  readonly source: string;
  /** The lab's own rules are in topics. */
  readonly topic?: string;
  /** Its place on the page. */
  readonly anchor: string;
}

/** The lab's rules as cases cite them: `docs/client-rules.md, Ends: …`. */
const OWN = /^docs\/client-rules\.md(?:, ([^:]+))?(?:: (.*))?$/s;

const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 80);

const TOPICS: Readonly<Record<string, string>> = { signing: 'Signing', Protocol: 'Errors' };

/** The topic of a rule of the lab's own that names none. */
function topicOf(sentence: string, layer: ClientCase['layer']): string {
  if (/retr|sign and daemon/i.test(sentence)) return 'Retries';
  if (/JSON|\[DONE\]|empty data|event types/.test(sentence)) return 'Chat';
  if (layer === 'signing') return 'Signing';
  return /call|arguments|index|id that/.test(sentence) ? 'Tool calls' : 'Chat';
}

/** A citation in the words that readers of the page know. */
const plain = (why: string): string =>
  why
    .replace(/^interface\.md/, 'the interface')
    .replace(/\btold\b/g, 'handed out')
    .replace(/\bhas to be\b/g, 'must be');

/** The rule that a `why` of a case names. */
export function ruleOf(cited: string, layer: ClientCase['layer']): ClientRule {
  const why = plain(cited);
  const own = OWN.exec(why);
  if (own !== null) {
    const [, named, sentence = 'see the paragraph'] = own;
    const topic = named === undefined ? topicOf(sentence, layer) : (TOPICS[named] ?? named);
    const anchor = own[2] === undefined ? slug(topic) : slug(`${topic} ${sentence}`);
    return { sentence, source: 'the lab', topic, anchor };
  }
  const [, source = why, sentence = why] = /^(.*?): (.*)$/s.exec(why) ?? [];
  return { sentence, source, anchor: slug(why) };
}
