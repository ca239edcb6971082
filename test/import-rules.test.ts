import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { withImports } from '../scripts/import-picture.js';
import { areaOf, CODE, type Import, importsIn, importsOf, OF_TESTS, reachIn, SOURCES } from '../scripts/imports.js';

const ROOT = resolve(import.meta.dirname, '..');

/**
 * The rooms of the emulator, with what each may import as code, and behind the bar what only as types: parts that it
 * receives as arguments. Anything not named may not be imported. CONTRIBUTING.md says the same in words.
 */
const MAY_IMPORT: Record<string, string> = {
  contract: '',
  clock: '',
  signing: '',
  store: 'contract',
  sse: 'contract clock',
  scripts: 'contract clock | store',
  domain: 'credentials contract clock | store scripts',
  // Secrets and how they are sealed, without HTTP.
  vault: 'contract clock | store',
  // Requests, in process too, and how their bodies are read, within bounds.
  requests: 'contract clock',
  // Secrets: whose a bearer token is, which values are known, how they may be spelled, and what is shown in their place.
  credentials: '',
  // Changes of a request, an answer or a stream on its way: for disturbances, habits, mutants and samples.
  wire: 'contract',
  daemon: 'contract clock signing requests credentials | store scripts',
  // The recorder listens by the same rules as the emulator: `http` says which hosts and origins it serves.
  recording: 'contract clock credentials http requests options | daemon signing',
  oidc: 'contract clock signing | domain',
  // The options of an emulator, validated.
  options: 'contract http | clock scripts disturbances',
  // The parts that tests of several rooms share: requests to an emulator in process, held against both documents; a page in a browser.
  testing: 'emulator.ts index.ts openapi control sse | options',
  http: 'credentials domain sse contract clock signing requests | store scripts vault',
  // Before the interface and the daemons: what faults make of requests and answers, by the parts that it receives.
  disturbances: 'contract clock http requests wire | domain scripts',
  // Makes emulators for the real side of `signing`: it receives the function that does.
  lab: 'contract clock signing',
  // Describes the route table: it calls no handler.
  openapi: 'contract | http',
  // The answers, faults and journal that it shows are those of `http`; `scripts` says what is wrong with a script.
  control: 'contract http openapi scripts requests | clock domain store daemon lab',
  // Tools over the control calls, for coding agents: the server itself is loaded when asked for.
  agents: 'contract clock control requests wire conformance/requirements | http',
  // In front of the parts: the two listeners, their addresses, and requests in process.
  serving: 'credentials contract clock sse http control requests options signing console wire | domain daemon',
  // The two halves of the composition root that others stand on, and that stand on others.
  composition:
    'clock control http options recording serving state vault | contract factories.ts disturbances scripts spaces daemon',
  // The state as a whole: seeded, kept, exchanged, restored. It receives the parts that have state.
  state:
    'credentials contract clock signing domain control options | store daemon http oidc recording spaces vault disturbances',
  // Many emulators behind one listener: it receives what makes one.
  spaces: 'credentials contract http control serving options domain | clock',
  // Runs in a browser, and knows the emulator by its documented calls alone.
  console: '| contract',
  // The public entry, the conformance kit's command line, and the pure parts that commands without an emulator need.
  cli: 'agents index.ts contract clock signing daemon recording scripts conformance/cli conformance/explore conformance/habits conformance/probe | http serving',
  bin: 'clock cli conformance/cli',
};
const named = (words = '') =>
  (words.match(/\S+/g) ?? []).map((word) => (word.startsWith('conformance/') ? word : `emulator/${word}`));
const RULES: Record<string, { uses: string[]; types: string[] }> = Object.fromEntries(
  Object.entries(MAY_IMPORT).map(([room, words]) => {
    const [uses, types] = words.split('|');
    return [room === 'bin' ? room : `emulator/${room}`, { uses: named(uses), types: named(types) }];
  }),
);

/**
 * The conformance half sees the types of the contract, never the emulator's rules. Within it, only these reach the
 * emulator's parts; its model imports nothing of the emulator at all.
 */
const REACHES_EMULATOR = [
  'conformance/clients',
  'conformance/mutants',
  'conformance/drivers',
  'conformance/explore',
  'conformance/vitest.ts',
];

/** The form of a recording: what drift and the judge read. */
const RECORDINGS = ['format', 'read', 'template'].map((name) => `emulator/recording/${name}.ts`);
/** The recorder's proxy, which the judge listens by. */
const PROXY = ['admission', 'capture', 'coding', 'exchange', 'proxy'].map((name) => `emulator/recording/${name}.ts`);

/** The part of the emulator's contract that both halves and the console's page share: data, and how text is made safe. */
const SHARED = [
  ...['by-key', 'counted', 'curl', 'duration', 'file', 'given', 'injected', 'json', 'nearest', 'nesting', 'pasted'],
  ...['option-kinds', 'problem', 'profile', 'record', 'replace-file', 'side-by-side', 'system-error', 'visible'],
  'with-zod',
].map((name) => `emulator/contract/${name}.ts`);

const HARNESSES = CODE.filter((file) => file.endsWith('.harness.ts'));

/** Secrets, and how they are hidden: the kit's reports hide them by the same means. */
const SECRETS = 'emulator/credentials';

/** Operators over an exchange: the kit's services spoil answers by the same means. */
const WIRE = 'emulator/wire';

/** The statuses of gateways: a constant alone, which habits may import too. */
const GATEWAYS = 'conformance/probe/gateway.ts';

const isCode = ({ target }: Pick<Import, 'target'>) => /^(emulator|conformance|bin)\//.test(target);

/** Whether an import keeps the rules. */
function isAllowed({ from, target, typeOnly }: Import): boolean {
  const area = areaOf(target);
  if (area === from) return true;
  if (from.startsWith('conformance')) {
    // A habit serves anywhere: beside apps too, where there is no kit.
    if (area === WIRE) return true;
    if (from === 'conformance/habits')
      return target === GATEWAYS || (typeOnly && /^(conformance|emulator\/contract)\//.test(target));
    if (target.startsWith('conformance/')) return true;
    if (from === 'conformance/judge' && PROXY.includes(target)) return true;
    if ((from === 'conformance/drift' || from === 'conformance/judge') && RECORDINGS.includes(target)) return true;
    if (REACHES_EMULATOR.includes(from)) return true;
    return area === SECRETS || SHARED.includes(target) || (typeOnly && area === 'emulator/contract');
  }
  if (from === 'emulator/console' && SHARED.includes(target)) return true;
  const rule = RULES[from];
  // Files directly in emulator/ put the parts together: index, emulator, composition, factories.
  if (!rule) return from.endsWith('.ts') && target.startsWith('emulator/') && area !== 'emulator/cli';
  return rule.uses.includes(area) || (typeOnly && rule.types.includes(area));
}

/** A harness makes the parts that its room receives, and in the kit the emulators that it asks. */
const mayHarness = (each: Import) =>
  isAllowed({ ...each, typeOnly: true }) ||
  (each.from.startsWith('conformance/') && each.target.startsWith('emulator/'));

/** The rooms of the kit from the ground up: none imports one above it, be it types only. */
const FLOORS = [
  ['requirements'],
  ['probe'],
  ['habits', 'model'],
  ['arbitraries', 'rules'],
  ['drivers'],
  ['run'],
  ['requests'],
  ['scenarios', 'report'],
  ['clients', 'drift', 'mutants', 'explore', 'judge'],
  ['options.ts', 'run.ts'],
  ['cli', 'index.ts', 'vitest.ts'],
];
const floorOf = (area: string) => FLOORS.findIndex((rooms) => rooms.includes(area.replace('conformance/', '')));

test('no room of the kit imports one above it', () => {
  const inside = [...SOURCES, ...HARNESSES].filter((file) => file.startsWith('conformance/'));
  const imports = inside.flatMap(importsOf).filter(({ target }) => target.startsWith('conformance/'));
  expect(imports.filter(({ from }) => floorOf(from) < 0)).toEqual([]);
  const up = imports.filter(({ from, target }) => from !== areaOf(target) && floorOf(areaOf(target)) > floorOf(from));
  expect(up.map(({ file, target }) => `${file} imports ${target}`)).toEqual([]);
});

test('CONTRIBUTING.md draws the imports that there are, and names files that there are', async () => {
  const page = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
  expect(await withImports(page)).toBe(page);
  const [, table = ''] = page.split('### From a request to a sentence');
  const files = [...(table.split('\n## ', 1)[0]?.matchAll(/`(\w+\/[a-z-]+\.ts)`/g) ?? [])].map(([, file = '']) => file);
  expect(files.length).toBeGreaterThan(10);
  expect(files.filter((file) => !existsSync(join(ROOT, 'conformance', file)))).toEqual([]);
});

test('every import keeps the rules of who may import whom', () => {
  const imports = SOURCES.flatMap(importsOf).filter(isCode);
  expect(imports.length).toBeGreaterThan(200);
  const shared = HARNESSES.flatMap(importsOf).filter(isCode);
  expect(shared.length).toBeGreaterThan(20);
  const broken = [...imports.filter((each) => !isAllowed(each)), ...shared.filter((each) => !mayHarness(each))];
  expect(broken.map(({ file, target }) => `${file} imports ${target}`)).toEqual([]);
});

test('each room of the emulator has a rule, each rule a room, and CONTRIBUTING.md a row for it', () => {
  const rooms = new Set(CODE.filter((file) => /^emulator\/.*\//.test(file)).map(areaOf));
  expect(Object.keys(RULES).sort()).toEqual([...rooms, 'bin'].sort());
  const page = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8').split('## Who may import whom')[1] ?? '';
  const rows = page.split('\n## ', 1)[0]?.match(/^\|.*\|$/gm) ?? [];
  const row = (room: string) => rows.find((line) => line.split('|')[1]?.includes(`\`${room}\``));
  for (const [area, { uses }] of Object.entries(RULES)) {
    const said = row(area.replace('emulator/', ''));
    expect(said, area).toBeDefined();
    // `cli` is said in words: the public entry.
    const names = uses.filter((one) => !one.endsWith('.ts')).map((one) => one.replace('emulator/', ''));
    expect(
      names.filter((name) => !said?.includes(`\`${name}\``)),
      area,
    ).toEqual([]);
  }
});

test('no room of the emulator imports one above it: none is part of a circle', () => {
  // The two halves of the composition root are one room.
  const room = (file: string) => areaOf(file).replace('composition.ts', 'composition');
  const imports = [...SOURCES, ...HARNESSES]
    .flatMap(importsOf)
    .filter(({ file, target }) => /^emulator\//.test(file) && /^emulator\//.test(target))
    .map(({ file, target }) => ({ file: room(file), target: room(target) }));
  expect(circles(imports.filter(({ file, target }) => file !== target))).toEqual([]);
});

test.each([
  ['emulator/store', 'emulator/http/app.ts', false],
  ['emulator/domain', 'emulator/store/file.ts', false],
  ['emulator/http', 'emulator/cli/main.ts', true],
  ['emulator/cli', 'emulator/http/app.ts', false],
  ['conformance/scenarios', 'emulator/domain/transitions.ts', true],
  ['conformance/scenarios', 'emulator/contract/errors.ts', false],
  ['conformance/habits', 'conformance/model/finding.ts', false],
  ['conformance/habits', 'emulator/contract/profile.ts', false],
])('an import of %s from %s would be found (type only: %s)', (from, target, typeOnly) => {
  expect(isAllowed({ file: `${from}/x.ts`, from, target, typeOnly })).toBe(false);
});

/** Groups of files that import each other in a circle, imports of types included. */
function circles(imports: readonly Pick<Import, 'file' | 'target'>[]): string[][] {
  const reach = reachIn(imports.map(({ file, target }) => [file, target] as const));
  const groups = [...reach.keys()].map((file) =>
    [...reach.keys()].filter((other) => reach.get(file)?.has(other) && reach.get(other)?.has(file)),
  );
  return [...new Map(groups.filter((group) => group.length > 0).map((group) => [group.join(), group])).values()];
}

test('no file imports itself by way of others, be it types only or when it is needed', () => {
  const imports = SOURCES.flatMap(importsOf);
  expect(imports.filter(({ target }) => isCode({ target }) && !existsSync(join(ROOT, target)))).toEqual([]);
  expect(circles(imports)).toEqual([]);
});

test('what the design names once is declared once', () => {
  const declared = (name: string) =>
    SOURCES.filter((file) =>
      new RegExp(`^(?:export )?(?:interface|type|class) ${name}\\b`, 'm').test(readFileSync(join(ROOT, file), 'utf8')),
    );
  const twice = ['Answer', 'Found', 'Attempt', 'Client', 'Difference'].map((name) => [name, declared(name)] as const);
  expect(twice.filter(([, files]) => files.length !== 1)).toEqual([]);
});

test('beside index, emulator, composition and factories nothing stands at the root of the emulator', () => {
  const root = SOURCES.filter((file) => file.split('/').length === 2 && file.startsWith('emulator/'));
  expect(root.sort()).toEqual(['composition', 'emulator', 'factories', 'index'].map((name) => `emulator/${name}.ts`));
});

test('every way to import is seen', () => {
  const source = [
    "import { a } from './a.js';",
    "import type { b } from './b.js';",
    "export * from './c.js';",
    "import './d.js';",
    "const e = await import('./e.js');",
    "type F = typeof import('./f.js');",
    'import {',
    '  g,',
    "} from './g.js';",
    'const h = import(',
    "  './h.js'",
    ');',
  ].join('\n');
  const seen = importsIn('x/x.ts', source).map(({ target }) => target);
  expect(seen.sort()).toEqual([...'abcdefgh'].map((name) => `x/${name}.ts`));
});

test('a circle of imports would be found', () => {
  const edge = (file: string, target: string) => ({ file, target });
  expect(circles([edge('a', 'b'), edge('b', 'c'), edge('c', 'b'), edge('c', 'd')])).toEqual([['b', 'c']]);
});

test('zod is imported for its types alone: what judges with it loads it through contract/with-zod.ts', () => {
  const code = (file: string) => readFileSync(join(ROOT, file), 'utf8');
  const importing = SOURCES.filter((file) => /^(?:import (?!type )|export )[^;]*from 'zod/m.test(code(file)));
  expect(importing).toEqual(['emulator/contract/zod.ts']);
});

/** Time and randomness come from the clock and the seeded source, so that a run can be predicted and repeated. */
const HOST_SOURCES = /\b(?:setTimeout|setInterval|Date\.now|Math\.random|randomUUID|randomBytes)\(|\bnew Date\(\)/;

/** The clock, the seeded source, the code that waits for sockets of real targets, and what runs within other programs. */
const MAY_USE_HOST =
  /^(emulator\/(clock|contract\/replace-file\.ts|console\/page)|bin\/|conformance\/(probe\/time|explore\/command\/inside)\.ts)/;

test('only the clock reads the time of the machine, and only the seeded source is random', () => {
  const code = (file: string) => readFileSync(join(ROOT, file), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
  const using = SOURCES.filter((file) => !MAY_USE_HOST.test(file) && HOST_SOURCES.test(code(file)));
  expect(using).toEqual([]);
});

test('nothing outlives an emulator at the top of a module', () => {
  const declares = (file: string) => /^(?:export )?let /m.test(readFileSync(join(ROOT, file), 'utf8'));
  expect(SOURCES.filter((file) => file.startsWith('emulator/') && declares(file))).toEqual([]);
});

test('what draws its cases in a test draws the same ones each time', () => {
  const tests = CODE.filter((file) => OF_TESTS.test(file)).map((file) => [
    file,
    readFileSync(join(ROOT, file), 'utf8'),
  ]);
  const drawing = tests.filter(([, code = '']) => /\bfc\.assert\(/.test(code));
  expect(drawing.length).toBeGreaterThan(10);
  const others = drawing.filter(([, code = '']) => !/^import .*'.*\/same-draws\.js';$/m.test(code));
  expect(others.map(([file]) => file)).toEqual([]);
});

test('no call of an emulator starts a program', () => {
  // Commands of a terminal do, and the recorder writes its file in a process of its own.
  const allowed = /^emulator\/(?:cli\/|contract\/spawn\.ts|recording\/writer-process\.ts)/;
  const starters = SOURCES.filter(
    (file) =>
      file.startsWith('emulator/') &&
      /child_process|contract\/spawn|node:cluster/.test(readFileSync(join(ROOT, file), 'utf8')),
  );
  expect(starters.some((file) => allowed.test(file))).toBe(true);
  expect(starters.filter((file) => !allowed.test(file))).toEqual([]);
});
