import { UsageError } from '../../conformance/cli/arguments.js';
import { ScriptInvalid } from '../index.js';
import { scriptFilesOf, validateScriptFile } from '../scripts/files.js';
import type { CommandModule } from './command.js';

/**
 * `intern-emulator scripts validate <file…>`: says of each file whether it is a valid script. Status 1 if one is not.
 */
const scripts: CommandModule = {
  flags: {},
  async run({ argv, io }) {
    if (argv.action !== 'validate') throw new UsageError('scripts: expected "scripts validate <file…>"');
    const files = [argv.file].flat().filter((file) => file !== undefined);
    if (files.length === 0) throw new UsageError('scripts validate: name the files or folders to validate');
    let invalid = 0;
    /** Files by the names of their scripts: two scripts of one name would stop a start. */
    const seen = new Map<string, string>();
    const refuse = (path: string, problems: readonly string[]) => {
      invalid++;
      for (const problem of problems) io.err(`${path}: ${problem}\n`);
    };
    for (const file of files.map(String)) {
      try {
        const paths = scriptFilesOf(file, (path, problem) => refuse(path, [problem]));
        if (paths.length === 0) refuse(file, ['it holds no .json file']);
        for (const path of paths) {
          const { name, problems } = validateScriptFile(path);
          if (problems.length > 0) refuse(path, problems);
          else if (name !== undefined && seen.has(name))
            refuse(path, [`name: ${JSON.stringify(name)} is the name of the script in ${seen.get(name)} too`]);
          else io.out(`${path}: ok (${name})\n`);
          if (name !== undefined && !seen.has(name)) seen.set(name, path);
        }
      } catch (error) {
        if (!(error instanceof ScriptInvalid)) throw error;
        refuse(error.file, error.problems);
      }
    }
    return invalid === 0 ? 0 : 1;
  },
};

export default scripts;
