import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folderOfTest } from '../../test/folders.js';
import { hostNow } from '../clock/host.js';
import type { InternRow } from '../contract/state.js';
import { createMemoryStore } from '../store/memory.js';
import { type Behaviour, DEFAULT_LIFECYCLE } from './behaviour.js';
import { createScriptReader, validateScriptFile } from './files.js';
import { ScriptInvalid } from './problems.js';
import { createScriptRegistry } from './registry.js';

const directory = () => folderOfTest('scripts-');

const script = (name: string, say = name) => ({ name, turn: [{ say }] });
const code = (name: string): Behaviour => ({ name, async *turn() {} });

/** A registry that is watched by hand: `changed` says that something may have changed, and reads it. */
function setUp(files: string[] = [], behaviours: Behaviour[] = []) {
  let pass = () => {};
  let gathered = 0;
  const reported: string[] = [];
  const store = createMemoryStore();
  const log: Record<string, unknown>[] = [];
  const watched = new Map<string, () => void>();
  const scripts = createScriptRegistry({
    rows: store.collection('scripts'),
    files,
    behaviours,
    log: (record) => void log.push(record),
    changed: (name) => void reported.push(name),
    gather() {
      gathered++;
      return new Promise((resolve) => {
        pass = resolve;
      });
    },
    watch(path, changed) {
      watched.set(path, changed);
      return () => watched.delete(path);
    },
  });
  const notify = () => watched.forEach((call) => void call());
  /** Lets the time pass in which changes are gathered. */
  const read = async () => {
    pass();
    await new Promise((resolve) => setImmediate(resolve));
  };
  const changed = () => {
    notify();
    return read();
  };
  return { store, log, watched, scripts, reported, notify, read, changed, gathered: () => gathered };
}

const row = (change: Partial<InternRow>): InternRow =>
  ({ script: null, booted: null, record: { model: null, instructions: null }, ...change }) as InternRow;

describe('the registry', () => {
  test('control comes before code, code before files, files before stock', () => {
    const dir = directory();
    for (const name of ['echo', 'b', 'c']) writeFileSync(join(dir, `${name}.json`), JSON.stringify(script(name)));
    const { scripts } = setUp([dir], [code('b'), code('d')]);
    expect(scripts.view('echo')).toEqual({ name: 'echo', from: 'file', source: script('echo') });
    expect(scripts.view('b')).toEqual({ name: 'b', from: 'code' });
    expect(scripts.put('b', script('b'))).toEqual({ name: 'b', from: 'control', source: script('b') });
    expect(scripts.view('b')?.from).toBe('control');
    expect(scripts.delete('b')).toBe(true);
    expect(scripts.delete('b')).toBe(false);
    expect(scripts.view('b')?.from).toBe('code');
    expect(scripts.view('slow')).toMatchObject({ from: 'stock', source: { name: 'slow', turn: expect.any(Array) } });
    expect(scripts.list()).toContainEqual({ name: 'slow', from: 'stock', description: 'Says 20 chunks, 500 ms apart' });
    expect(scripts.view('none')).toBeUndefined();
    expect(scripts.list().map((view) => view.name)).toEqual(scripts.names());
    expect(scripts.names()).toContain('d');
  });

  test('put refuses what is no script, and another name than the path has', () => {
    const { scripts, store } = setUp();
    expect(() => scripts.put('a', { name: 'a', turn: 7 })).toThrow(ScriptInvalid);
    expect(() => scripts.put('a', script('b'))).toThrow('name: expected "a"');
    expect(store.collection('scripts').size).toBe(0);
  });

  test('files are read again when they change; one that became invalid keeps what it held', async () => {
    const dir = directory();
    const file = join(dir, 'a.json');
    writeFileSync(file, JSON.stringify(script('a')));
    const { scripts, changed, log, watched } = setUp([dir]);
    writeFileSync(join(dir, 'b.json'), JSON.stringify(script('b')));
    await changed();
    expect(scripts.get('b')).toBeDefined();
    const before = scripts.get('a');
    writeFileSync(file, '{"name": "a", "turn": [');
    await changed();
    expect(scripts.get('a')).toBe(before);
    expect(log.at(-1)).toMatchObject({
      event: 'scripts_not_reloaded',
      file,
      problems: [expect.stringMatching(/^not JSON/)],
    });
    rmSync(file);
    await changed();
    expect(scripts.get('a')).toBeUndefined();
    scripts.close();
    expect(watched.size).toBe(0);
  });

  test('many changes at once are gathered, and of the files those alone are read that changed', async () => {
    const dir = directory();
    const place = (n: number) => join(dir, `${n}.json`);
    for (let n = 0; n < 20; n++) writeFileSync(place(n), JSON.stringify(script(`s${n}`)));
    const { scripts, notify, read, reported, gathered, log } = setUp([dir]);
    const behaviours = () => Array.from({ length: 20 }, (_, n) => scripts.get(`s${n}`));
    const before = behaviours();
    writeFileSync(place(3), JSON.stringify(script('s3', 'changed')));
    rmSync(place(4));
    for (let n = 0; n < 400; n++) notify();
    expect([gathered(), log]).toEqual([1, []]);
    expect(behaviours()).toEqual(before);
    await read();
    expect(log).toEqual([{ level: 'info', event: 'scripts_reloaded', names: ['s3'], gone: ['s4'] }]);
    expect(reported).toEqual(['s3', 's4']);
    expect(behaviours().flatMap((one, n) => (one === before[n] ? [] : n))).toEqual([3, 4]);
    notify();
    scripts.close();
    await read();
    expect([gathered(), log.length]).toEqual([2, 1]);
  });

  test('a file is read again where it changed, or may have changed within a tick of its file system', () => {
    const dir = directory();
    const [a, b] = [join(dir, 'a.json'), join(dir, 'b.json')];
    for (const file of [a, b]) writeFileSync(file, JSON.stringify(script('x', 'one')));
    let ahead = 0;
    const texts: string[] = [];
    const read = createScriptReader(
      () => hostNow() + ahead,
      (file) => {
        texts.push(file);
        return readFileSync(file, 'utf8');
      },
    );
    const first = read([a, b]);
    expect([...read([a, b]).values()]).toEqual([...first.values()]);
    expect(texts.splice(0)).toEqual([a, b, a, b]);
    expect(read([a, b]).get(b)).toBe(first.get(b));
    ahead = 10_000;
    texts.splice(0);
    read([a, b]);
    expect(texts).toEqual([]);
    writeFileSync(b, JSON.stringify(script('x', 'another')));
    expect(read([a, b]).get(b)).not.toBe(first.get(b));
    expect(texts.splice(0)).toEqual([b]);
    writeFileSync(a, '{');
    expect(() => read([a, b])).toThrow('not JSON');
    expect(() => read([a, b])).toThrow('not JSON');
  });

  test('what is no regular file is skipped with a line, and never waited for', () => {
    const dir = directory();
    execFileSync('mkfifo', [join(dir, 'fifo.json')]);
    symlinkSync(join(dir, 'fifo.json'), join(dir, 'link-to-fifo.json'));
    symlinkSync('/dev/zero', join(dir, 'link-to-device.json'));
    symlinkSync(join(dir, 'none'), join(dir, 'link-to-nothing.json'));
    mkdirSync(join(dir, 'folder.json'));
    writeFileSync(join(dir, 'a.json'), JSON.stringify(script('a')));
    const { scripts, log } = setUp([dir]);
    expect(scripts.view('a')?.from).toBe('file');
    expect(log.map(({ event, file, problem }) => `${event} ${String(file).slice(dir.length + 1)}: ${problem}`)).toEqual(
      [
        'script_skipped fifo.json: it is a FIFO, not a file',
        'script_skipped folder.json: it is a directory, not a file',
        'script_skipped link-to-device.json: it is a device, not a file',
        'script_skipped link-to-fifo.json: it is a FIFO, not a file',
        'script_skipped link-to-nothing.json: it is a link to nothing, not a file',
      ],
    );
    expect(() => setUp([join(dir, 'fifo.json')])).toThrow('fifo.json: it is a FIFO, not a file or a directory');
  });

  test('20,000 nested whens are refused with their path, at the start and when files are read again', async () => {
    const dir = directory();
    const nested = `${'{"when":{"a":1},"then":['.repeat(20_000)}{"say":"x"}${']}'.repeat(20_000)}`;
    const file = join(dir, 'deep.json');
    writeFileSync(file, JSON.stringify(script('deep')));
    const { scripts, changed, log } = setUp([dir]);
    writeFileSync(file, `{"name":"deep","turn":[${nested}]}`);
    const problem = expect.stringMatching(/^turn\[0\]\.then\[0\]\.then.*…\S+: nested deeper than 1000 levels$/);
    await changed();
    expect(log.at(-1)).toMatchObject({ event: 'scripts_not_reloaded', file, problems: [problem] });
    expect(scripts.get('deep')).toBeDefined();
    expect(validateScriptFile(file)).toEqual({ problems: [problem] });
  });

  test('an invalid file, a missing one and two of one name stop the start', () => {
    const dir = directory();
    writeFileSync(join(dir, 'a.json'), '{"name": "a", "turn": [{"say": 7}]}');
    expect(() => setUp([join(dir, 'a.json')])).toThrow(
      `${join(dir, 'a.json')}: turn[0].say: expected a string; found a number`,
    );
    expect(() => setUp([join(dir, 'none.json')])).toThrow(/none.json: no such file/);
    mkdirSync(join(dir, 'two'));
    writeFileSync(join(dir, 'two', '1.json'), JSON.stringify(script('same')));
    writeFileSync(join(dir, 'two', '2.json'), JSON.stringify(script('same')));
    expect(() => setUp([join(dir, 'two')])).toThrow(
      `${join(dir, 'two', '2.json')}: name: "same" is the name of the script in ${join(dir, 'two', '1.json')} too`,
    );
    expect(validateScriptFile(join(dir, 'a.json'))).toEqual({ problems: [expect.stringContaining('turn[0].say')] });
    expect(validateScriptFile(join(dir, 'two', '1.json'))).toEqual({ name: 'same', problems: [] });
  });

  test('the operating system tells of changes when nobody watches by hand', async () => {
    const dir = directory();
    writeFileSync(join(dir, 'a.json'), JSON.stringify(script('a')));
    let heard: (record: Record<string, unknown>) => void = () => {};
    const reloaded = new Promise<void>((resolve) => {
      heard = (record) => {
        if (record.event === 'scripts_reloaded' && String(record.names).includes('b')) resolve();
      };
    });
    const scripts = createScriptRegistry({
      rows: createMemoryStore().collection('scripts'),
      files: [join(dir, 'a.json'), dir].slice(1),
      log: (record) => heard(record),
    });
    writeFileSync(join(dir, 'b.json'), JSON.stringify(script('b')));
    await reloaded;
    expect(scripts.get('b')).toBeDefined();
    scripts.close();
  });
});

test('a folder that is removed and made again, by itself or with the one above it, is watched again', async () => {
  const above = join(directory(), 'above');
  const dir = join(above, 'scripts');
  const write = (name: string) => {
    mkdirSync(dir, { recursive: true });
    // Whole at once, so that no half of it is read.
    writeFileSync(join(above, 'next'), JSON.stringify(script(name)));
    renameSync(join(above, 'next'), join(dir, `${name}.json`));
  };
  let look: () => void = () => {};
  write('first');
  const scripts = createScriptRegistry({
    rows: createMemoryStore().collection('scripts'),
    files: [dir],
    log: () => look(),
  });
  const until = (condition: () => boolean) =>
    new Promise<void>((resolve) => {
      look = () => condition() && resolve();
      look();
    });
  for (const [name, removed] of [
    ['second', dir],
    ['third', above],
  ] as const) {
    rmSync(removed, { recursive: true });
    write(name);
    await until(() => scripts.view(name) !== undefined);
    write(`${name}-more`);
    await until(() => scripts.view(`${name}-more`) !== undefined);
    expect(scripts.view(name)?.from).toBe('file');
  }
  scripts.close();
});

test('a stored script that is invalid is reported, kept, and counts as not put', () => {
  const rows = createMemoryStore().collection('scripts');
  rows.put({ id: 'slow', source: { name: 'slow', turn: 7 } });
  rows.put({ id: 'other', source: script('else') });
  const log: Record<string, unknown>[] = [];
  const scripts = createScriptRegistry({ rows, log: (record) => void log.push(record) });
  expect(log).toEqual([
    { level: 'error', event: 'stored_script_ignored', script: 'slow', problems: [expect.stringMatching(/^turn: /)] },
    { level: 'error', event: 'stored_script_ignored', script: 'other', problems: [expect.stringMatching(/^name: /)] },
  ]);
  expect(scripts.view('slow')?.from).toBe('stock');
  expect(scripts.names()).not.toContain('other');
  expect(rows.size).toBe(2);
  scripts.put('other', script('other'));
  expect(scripts.view('other')?.from).toBe('control');
});

test('an invalid lifecycle in code is refused with its path', () => {
  const given = (lifecycle: unknown) => () => setUp([], [{ ...code('x'), lifecycle } as Behaviour]);
  expect(given({ boot: { ends: 'failed' } })).toThrow(
    /^script x: lifecycle\.boot\.after: .*lifecycle\.boot\.message: /,
  );
  expect(given({ boot: { after: 1, steps: ['a'], ends: 'failed' } })).toThrow(/^script x: lifecycle\.boot\.message: /);
  expect(given({ boot: { after: 1, steps: ['a'], ends: 'well' } })).toThrow(/lifecycle\.boot\.ends: /);
  expect(given({ teardown: { ends: 'gone' } })).toThrow('lifecycle.teardown.after: ');
  expect(given({ vault: 'fails' })).toThrow('lifecycle.vault: ');
  expect(given({ boots: {} })).toThrow('lifecycle: there is no "boots" here (did you mean boot?)');
  expect(given(7)).toThrow('lifecycle: expected an object');
  expect(given({ boot: { after: 1, steps: ['a'], ends: 'failed', message: 'no disk' } })).not.toThrow();
});

describe('the lifecycle an intern has', () => {
  test('follows the script put on it, its model, its instructions', () => {
    const { scripts } = setUp();
    const ends = (change: Partial<InternRow>) => scripts.resolveLifecycle(row(change)).boot.ends;
    expect(scripts.resolveLifecycle(row({}))).toEqual(DEFAULT_LIFECYCLE);
    expect(ends({ script: 'boot-hangs', booted: { model: 'script/boot-fails', instructions: null } })).toBe('hangs');
    expect(ends({ booted: { model: 'script/boot-fails', instructions: 'script: boot-hangs' } })).toBe('failed');
    expect(ends({ booted: { model: null, instructions: 'script: boot-hangs\nBe kind.' } })).toBe('hangs');
    expect(ends({ booted: null, record: { model: 'script/boot-fails', instructions: null } as never })).toBe('failed');
    expect(scripts.resolveLifecycle(row({ script: 'teardown-fails' }))).toEqual({
      ...DEFAULT_LIFECYCLE,
      teardown: { after: 1_000, ends: 'workspace_archive_failed' },
    });
  });

  test('an unknown script fails the boot, says so, and does not keep the intern from being torn down', () => {
    const plan = setUp().scripts.resolveLifecycle(row({ booted: { model: 'script/none', instructions: null } }));
    expect(plan.boot).toMatchObject({ ends: 'failed', message: expect.stringContaining('unknown script "none"') });
    expect(plan.teardown).toEqual(DEFAULT_LIFECYCLE.teardown);
  });
});
