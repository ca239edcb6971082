import { type BehaviourName, type Need, waitIn } from '../model/target.js';
import type { Client, Sender } from '../probe/client.js';
import { type Level, type RequirementId, requirement } from '../requirements/index.js';
import type { Rule } from '../rules/rule.js';
import type { Ctx } from './context.js';
import type { ChatReply } from './reply.js';

/** A test of one requirement. */
export interface Check {
  /** `area/what-is-seen`, unique and stable. */
  readonly id: string;
  readonly requirement: RequirementId;
  /**
   * The level of the checked part of the requirement. A sentence of the interface (S) fails any target. One of the published API
   * (P) fails where the profile is published, else warns. A choice (C) is checked on an emulator only.
   */
  readonly level: Level;
  /** The sentence that the check tests. */
  readonly title: string;
  readonly needs: readonly Need[];
  /**
   * Whether order and age of creation matter: each intern is then made on demand. Without it, a live target may be spared
   * a create by handing out an intern that another check left as it was.
   */
  readonly fresh?: true;
  /** Runs of properties below which the check is too dear, and skipped. */
  readonly minRuns?: number;
  /** Most runs of its properties, if each run is dear. */
  readonly maxRuns?: number;
  /** Whether it sends rows for rules to judge, with whatever the target has: it declares no needs. */
  readonly sweeps?: true;
  /** The same for a walk: rules judge each answer at once, and the check reports the breach itself. */
  readonly walks?: true;
  run(ctx: Ctx): Promise<void>;
}

/** A check without its id. Its level is that of its requirement, unless another source adds the tested part. */
type Row = Omit<Check, 'id' | 'level'> & Partial<Pick<Check, 'level'>>;

/** Checks by their ids. */
export const defineChecks = (rows: Readonly<Record<string, Row>>): readonly Check[] =>
  Object.entries(rows).map(([id, row]) => ({ id, level: requirement(row.requirement).level, ...row }));

type Common = 'requirement' | 'level';
type RowsOf = Readonly<Record<string, Omit<Row, Common> & Partial<Pick<Row, Common>>>>;

/** Checks of one requirement and level, unless a row names others. One call per file in `scenarios/`. */
export function checksOf(requirement: RequirementId, rows: RowsOf): readonly Check[];
export function checksOf(requirement: RequirementId, level: Level, rows: RowsOf): readonly Check[];
export function checksOf(requirement: RequirementId, given: Level | RowsOf, rows: RowsOf = {}): readonly Check[] {
  const [common, all] = typeof given === 'string' ? [{ requirement, level: given }, rows] : [{ requirement }, given];
  return defineChecks(Object.fromEntries(Object.entries(all).map(([id, row]) => [id, { ...common, ...row }])));
}

/** ms that every check may wait. */
const MOMENT = 2_000;

/**
 * The needs that a check has declared. Using others throws an error of the kit. Rows use whatever the target has, and
 * declare nothing.
 */
export function declaredBy(check: Check) {
  const declared = new Set<string>(check.needs);
  const free = check.sweeps === true || check.walks === true;
  const longest = Math.max(MOMENT, ...check.needs.map((need) => waitIn(need) ?? 0));
  const missing = (used: string, need: string) => {
    throw new Error(`${check.id} uses ${used} without declaring the need ${need}`);
  };
  return {
    has: (need: Need) => free || declared.has(need),
    /** Throws unless one of the needs is declared. */
    require(used: string, ...needs: readonly Need[]) {
      if (!free && !needs.some((need) => declared.has(need))) missing(used, needs.join(' or '));
    },
    /** Throws unless the check may wait for `ms`. */
    requireWait(ms: number) {
      if (!free && !declared.has('clock') && ms > longest)
        missing(`a wait of ${ms} ms`, `slow:${Math.ceil(ms / 1000)}s`);
    },
  };
}

/** A check that sends nothing: its rule judges every exchange of the run, and reports when all else is done. */
interface RuleCheck extends Check {
  readonly rule: Rule;
}

/** A rule as a check of a run. */
export const checkOf = (rule: Rule): RuleCheck => ({
  id: rule.id,
  requirement: rule.requirement,
  level: rule.level,
  title: rule.says,
  needs: [],
  rule,
  run: async () => {},
});

/** The rule of a check; undefined where the check sends requests of its own. */
export const ruleOf = (check: Check): Rule | undefined => ('rule' in check ? (check as RuleCheck).rule : undefined);

/** The needs of a target for the answers that rules of these names are held against. */
const NEEDS: readonly (readonly [RegExp, string])[] = [
  [/outside-the-programme$|^AUTH-5\//, 'outsider_api_key'],
  [/management-key|^(AUTH-6|SCIM-\d+)\//, 'management_key'],
  [/^(AUTH-[78]|DAEMON-\d+|SIGN-\d+)\//, 'oauth_token'],
  [/^AUTH-4\//, 'own_key'],
  [/^BASE-4\//, 'regional_host'],
  // Elsewhere others may take an intern away.
  [/^LIFE-1\/found$/, 'control'],
];

/** The needs of a target for an answer that the rule is held against, as far as they are known. */
export const needOf = ({ id }: Pick<Rule, 'id'>): string | undefined => NEEDS.find(([ids]) => ids.test(id))?.[1];

/** The parts of a context that are of one attempt at a check. */
export interface AttemptParts {
  readonly check: Check;
  readonly by: Sender;
  /** Sends nothing more once `signal` aborts. */
  readonly client: Client;
  readonly signal: AbortSignal;
  readonly property: Ctx['property'];
  /** Replies whose runs must go on until the check is done. */
  readonly goingOn: Set<ChatReply>;
  /** Behaviours that the check has prompted for. */
  readonly led: Set<BehaviourName>;
  /** Whether other checks run, too. */
  readonly beside: boolean;
  random(): number;
}
