import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that start many processes: begun late, the last of them would run alone. */
const LONGEST: readonly string[] = ['emulator/cli/cli.socket.test.ts', 'emulator/cli/mcp.socket.test.ts'];

/** Begins those first. Without a cache, vitest goes by the size of files. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) => {
      const at = LONGEST.findIndex((name) => moduleId.endsWith(name));
      return at < 0 ? LONGEST.length : at;
    };
    return (await super.sort(files)).toSorted((one, other) => place(one) - place(other));
  }
}
