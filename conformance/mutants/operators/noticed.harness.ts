import { deploy } from '../../../test/targets/deployment.js';
import { connect } from '../../drivers/connect.js';
import type { Answered, Asked, Exchange } from '../../model/exchange.js';
import { createModel, type Model } from '../../model/model.js';
import { systemHost } from '../../probe/time.js';
import { type Rule, rulesFor, type Seen, seenBy } from '../../rules/index.js';
import { checkOf } from '../../run/check.js';
import { budgetNamed } from '../../run/limits.js';
import { runChecks } from '../../run/runner.js';
import { checks } from '../../scenarios/index.js';
import { ROWS } from '../../scenarios/rows.js';
import { OBEDIENT } from '../live.js';
import { type Earlier, spoiltIn } from './spoil.harness.js';

/** Exchanges that one model has seen, and what that model stood on. */
interface Segment {
  readonly options: Model['options'];
  readonly exchanges: Exchange[];
}

/** Keeps every exchange of a run, by the model that saw it. */
function collector() {
  const segments = new Map<Model, Segment>();
  const collect: Rule = {
    id: 'BASE-3/collected',
    requirement: 'BASE-3',
    level: 'S',
    says: 'Every exchange is kept.',
    judge({ asked, answered }, model) {
      const segment = segments.get(model) ?? { options: model.options, exchanges: [] };
      segments.set(model, segment);
      segment.exchanges.push({ asked, answered });
      return undefined;
    },
  };
  return { check: checkOf(collect), segments: () => [...segments.values()] };
}

const SEED = 'operators';

/** The exchanges of a default run at a deployment that is right, and of the rows at an emulator of ours. */
export async function exchangesOfRuns(): Promise<readonly Segment[]> {
  const whole = collector();
  const deployed = await deploy(OBEDIENT, SEED);
  try {
    const { driver, host } = deployed;
    const budget = budgetNamed('default');
    await runChecks({ driver, host, seed: SEED, rate: 0, budget, checks: [...checks, whole.check] });
  } finally {
    await deployed.close();
  }
  const rows = collector();
  const ours = await connect({ settings: {}, host: systemHost, tag: SEED, look: true });
  try {
    await runChecks({
      driver: ours.driver,
      host: systemHost,
      tag: SEED,
      seed: SEED,
      runs: 1,
      checks: [...ROWS, rows.check],
    });
  } finally {
    await ours.close();
  }
  return [...whole.segments(), ...rows.segments()];
}

type Step = { readonly at: number } & ({ readonly asks: Asked } | { readonly sees: Exchange });
const stepsOf = ({ exchanges }: Segment): readonly Step[] =>
  exchanges
    .flatMap((exchange): Step[] => [
      { at: exchange.asked.at, asks: exchange.asked },
      { at: exchange.answered?.at ?? exchange.asked.at, sees: exchange },
    ])
    .toSorted((one, other) => one.at - other.at);

/** The kind of an exchange: its operation, its status, and the reason of a refusal. */
const kindOf = (operation: string, { status, json }: Answered): string => {
  const reason = (json as { error?: { metadata?: { reason?: unknown } } } | undefined)?.error?.metadata?.reason;
  return `${operation} ${status}${typeof reason === 'string' ? ` ${reason}` : ''}`;
};

/** A kind of exchange that is wrong in one way, and the rules that notice it. */
export interface Way {
  readonly kind: string;
  readonly way: string;
  readonly by: Set<string>;
  tried: number;
}

/** Exchanges of a kind that one way is tried in. */
const TRIES = 4;
/** Exchanges that a rule is met in, before it is given up that a way breaks it. */
const MET = 15;

/** Spoils each exchange in each way, one at a time, and holds it against every rule at the moment that it is answered. */
export function noticed(segments: readonly Segment[]): {
  readonly ways: readonly Way[];
  readonly rules: ReadonlySet<string>;
  readonly false: readonly string[];
} {
  const ways = new Map<string, Way>();
  const broken = new Set<string>();
  const wrong: string[] = [];
  for (const segment of segments) {
    const model = createModel(segment.options);
    const earlier = new Map<string, Answered[]>();
    // At an emulator of ours a rule may say at once what it waits for elsewhere.
    const met = new Map<string, number>();
    /** Rules that an exchange keeps, and those that it breaks. */
    const judged = (exchange: Exchange) => {
      const seen = seenBy(model, exchange);
      const kept: string[] = [];
      const breaks: string[] = [];
      for (const { id, judge } of seen === undefined ? [] : rulesFor(seen)) {
        const judgement = judge(seen as Seen, model);
        if (judgement !== undefined) (judgement === 'kept' ? kept : breaks).push(id);
      }
      return { kept, breaks };
    };
    for (const step of stepsOf(segment)) {
      if ('asks' in step) {
        model.asks(step.asks);
        continue;
      }
      const { sees: exchange } = step;
      const seen = seenBy(model, exchange);
      if (seen !== undefined && exchange.answered !== undefined) {
        const right = judged(exchange);
        wrong.push(...right.breaks);
        /** A rule that nothing has broken so far is held against every way. */
        const isNew = right.kept.some((id) => {
          const times = met.get(id) ?? 0;
          met.set(id, times + 1);
          return !broken.has(id) && times < MET;
        });
        const kind = kindOf(seen.operation.name, exchange.answered);
        const before: Earlier = earlier.get(kind) ?? [];
        for (const { way, answered } of spoiltIn(exchange, before, segment.options.profile.tool_name)) {
          const name = `${kind}: ${way}`;
          const known = ways.get(name) ?? { kind, way, by: new Set(), tried: 0 };
          ways.set(name, known);
          if (!isNew && (known.by.size > 0 ? known.tried >= 2 : known.tried >= TRIES)) continue;
          known.tried += 1;
          for (const id of judged({ asked: exchange.asked, answered }).breaks)
            if (!right.breaks.includes(id)) {
              known.by.add(id);
              broken.add(id);
            }
        }
        earlier.set(kind, [...before, exchange.answered].slice(-20));
      }
      model.sees(exchange);
    }
  }
  return { ways: [...ways.values()], rules: broken, false: wrong };
}
