import { HABITS } from '../conformance/habits/index.js';
import { withRows } from './page-parts.js';

/** Writes what the kit does about each habit into its table. */
export const withHabits = async (page: string): Promise<string> =>
  withRows(
    page,
    '| it | the kit |\n|---|---|\n',
    HABITS.flatMap(({ what, kit }) => (kit === undefined ? [] : `| ${what} | ${kit} |`)),
  );
