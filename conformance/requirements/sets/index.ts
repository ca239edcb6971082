import november2026 from './2026-11.json' with { type: 'json' };

/** A published set of checks (KIT-9). Its file never changes. */
interface PublishedSet {
  readonly name: string;
  /** The assertions of each check when the set was published, as a digest by the id of the check. */
  readonly checks: Readonly<Record<string, string>>;
}

/** Every published set, the oldest first. */
export const SETS: readonly PublishedSet[] = [november2026];
