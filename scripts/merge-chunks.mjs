import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { build } from 'esbuild';

/**
 * Puts the chunks that a start reads into two files: those which other entries read without the emulator, and the rest.
 * Node takes half a millisecond for each file, however small, and splitting leaves dozens. Nothing is in both.
 *
 * @param outputs what esbuild says of its outputs, whose chunks are in one folder
 * @param start the modules that a start imports when they are needed
 * @param emulator a module that none but the emulator needs
 * @param options how esbuild writes them
 */
export async function mergeStart(outputs, { start, emulator, options }) {
  const files = Object.keys(outputs);
  const first = files.filter((file) => start.includes(outputs[file].entryPoint));
  const heart = files.find((file) => emulator in outputs[file].inputs);
  if (first.length < start.length || heart === undefined) throw new Error(`${start} or ${emulator} has no output`);
  const closures = new Map(files.map((file) => [file, reached(outputs, file)]));
  const light = new Set(files.flatMap((file) => (closures.get(file).has(heart) ? [] : [...closures.get(file)])));
  const read = [...new Set(first.flatMap((file) => [...closures.get(file)]))];
  const shared = { into: 'shared.js', chunks: read.filter((file) => light.has(file)), options };
  const passing = await mergeChunks(outputs, shared);
  await mergeChunks(outputs, { into: 'start.js', chunks: read.filter((file) => !light.has(file)), passing, options });
}

/**
 * Makes one file of some chunks. What imports from one of them then imports from that file. Resolves with the chunks that
 * stay and pass their names on, as do those of `passing`.
 */
async function mergeChunks(outputs, { into, chunks, passing = [], options }) {
  const others = Object.keys(outputs).filter((file) => !chunks.includes(file));
  const folder = dirname(chunks[0]);
  const isImported = (file) => others.some((other) => imports(outputs, other).includes(file));
  const isOnDemand = (file) => outputs[file].entryPoint !== undefined;
  const wanted = chunks.filter((file) => isOnDemand(file) || isImported(file));

  // A file of which two export a name stays, and passes on what has another name now.
  const times = new Map();
  for (const name of wanted.flatMap((file) => outputs[file].exports)) times.set(name, (times.get(name) ?? 0) + 1);
  const isRenamed = (file) => isOnDemand(file) || outputs[file].exports.some((name) => times.get(name) > 1);
  const stays = (file) => isRenamed(file) && isImported(file);
  const names = (file, line) =>
    outputs[file].exports
      .map((name) => line(name, isRenamed(file) ? `${name}_${chunks.indexOf(file)}` : name))
      .join(',');

  const inside = new Set([...chunks, ...passing].map((file) => basename(file)));
  const othersStay = {
    name: 'others-stay',
    setup({ onResolve }) {
      onResolve({ filter: /^\./ }, ({ path, kind }) =>
        kind === 'import-statement' && inside.has(basename(path)) ? undefined : { path, external: true },
      );
    },
  };
  const contents = wanted.map(
    (file) => `export {${names(file, (name, out) => `${name} as ${out}`)}} from './${basename(file)}';`,
  );
  await build({
    ...options,
    stdin: { contents: contents.join('\n'), resolveDir: folder },
    outfile: join(folder, into),
    plugins: [othersStay],
  });

  const gone = chunks.filter((file) => !stays(file));
  await Promise.all(gone.map((file) => rm(file)));
  const staying = chunks.filter(stays);
  for (const file of staying)
    await writeFile(file, `export { ${names(file, (name, out) => `${out} as ${name}`)} } from "./${into}";\n`);
  const made = join(folder, into);
  outputs[made] = { inputs: {}, imports: [], exports: [] };
  const whole = (file) =>
    `import("$1${into}").then((all) => ({ ${names(file, (name, out) => `${name}: all.${out}`)} }))`;
  for (const file of [...others.filter((file) => existsSync(file)), made]) {
    const text = await readFile(file, 'utf8');
    const named = gone.reduce(
      (sum, each) =>
        sum
          .replaceAll(new RegExp(`import\\("(\\.{1,2}/)${basename(each)}"\\)`, 'g'), whole(each))
          .replaceAll(basename(each), into),
      text,
    );
    await writeFile(file, file === made ? askForBuiltins(named) : named);
  }
  return staying;
}

/**
 * Asks for Node's own modules instead of importing them. An import reads all names of a module, and some of these load
 * more of Node: all of its fetch, web cryptography, file streams.
 */
const askForBuiltins = (text) =>
  text.replaceAll(
    /(?<=^|[;}])import\s*(?:\{([^}"]+)\}|\*\s*as (\w+))\s*from\s*("(?:node:)?[a-z_/]+");/gm,
    (line, names, all, module) =>
      isBuiltin(JSON.parse(module))
        ? `const ${all ?? `{${names.replaceAll(' as ', ': ')}}`} = process.getBuiltinModule(${module});`
        : line,
  );

const imports = (outputs, file) =>
  outputs[file].imports.flatMap(({ path, kind }) => (kind === 'import-statement' && path in outputs ? [path] : []));

function reached(outputs, file, found = new Set()) {
  if (found.has(file)) return found;
  found.add(file);
  for (const each of imports(outputs, file)) reached(outputs, each, found);
  return found;
}
