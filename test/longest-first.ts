import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Files that take long for their size: begun late, the last of them would run alone. */
const LONGEST: readonly string[] = [
  'emulator/cli/cli.socket.test.ts',
  'emulator/cli/mcp.socket.test.ts',
  'conformance/run/mixes.live.test.ts',
  'conformance/clients/adapter.socket.test.ts',
  'emulator/contract/pasted.socket.test.ts',
  'conformance/cli/hostile.socket.test.ts',
  'emulator/cli/explore/explore.socket.test.ts',
  'conformance/explore/command/limits.socket.test.ts',
  'conformance/explore/explore.test.ts',
  'emulator/recording/planting.test.ts',
  'conformance/judge/drawn.test.ts',
  'emulator/openapi/client.test.ts',
];

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
