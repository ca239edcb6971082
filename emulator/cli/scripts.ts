import { readScriptFile, ScriptInvalid, scriptFilesOf } from '../index.js';
import type { CommandModule } from './command.js';
import { UsageError } from './usage.js';

/** `intern-emulator scripts validate <file…>`: says of each script whether it is one. Status 1 when one is not. */
const scripts: CommandModule = {
  options: () => ({}),
  async run({ argv, io }) {
    if (argv.action !== 'validate') throw new UsageError('scripts: expected "scripts validate <file…>"');
    const files = [argv.file].flat().filter((file) => file !== undefined);
    if (files.length === 0) throw new UsageError('scripts validate: name the files or folders to look at');
    let invalid = 0;
    const problems = (error: unknown) => {
      if (!(error instanceof ScriptInvalid)) throw error;
      invalid++;
      for (const problem of error.problems) io.stderr(`${error.file}: ${problem}\n`);
    };
    const guarded = <T>(act: () => T): T | undefined => {
      try {
        return act();
      } catch (error) {
        problems(error);
        return undefined;
      }
    };
    for (const path of files.map(String).flatMap((file) => guarded(() => scriptFilesOf(file)) ?? [])) {
      const behaviour = guarded(() => readScriptFile(path));
      if (behaviour) io.stdout(`${path}: ok (${behaviour.name})\n`);
    }
    return invalid === 0 ? 0 : 1;
  },
};

export default scripts;
