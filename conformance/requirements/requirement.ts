/** How firmly a requirement stands: stated by the interface, published by the API it describes, or chosen by us. */
export type Level = 'S' | 'P' | 'C';

/**
 * One row of the ledger. `sentence` is the requirement at its own level; `published` and `chosen` are what the weaker
 * sources add to it. A check names a row and the level of the part that it judges.
 */
export interface Requirement {
  readonly id: string;
  readonly level: Level;
  readonly sentence: string;
  readonly published?: string;
  readonly chosen?: string;
  /** Section of the interface, or of the contract where the interface is silent. */
  readonly where: string;
  /** Why nothing checks it from outside. A row has checks or this. */
  readonly excluded?: string;
}

/** Requirements by their ids. */
export type Rows = Readonly<Record<string, Omit<Requirement, 'id'>>>;

/** The sentence that a check of this level holds against a target. */
export const sentenceOf = (row: Requirement, level: Level): string =>
  (level === row.level ? row.sentence : level === 'P' ? row.published : row.chosen) ?? row.sentence;

/** Whether a row says anything at that level. */
export const speaksAt = (row: Requirement, level: Level): boolean =>
  level === row.level || (level === 'P' && row.published !== undefined) || (level === 'C' && row.chosen !== undefined);
