import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folderOfFile } from './folders.js';

/** The modules of the scorer, which is plain JavaScript. */
interface Parts {
  readonly TASKS: readonly string[];
  filesOf(folder: string): Map<string, string>;
  changed(before: Map<string, string>, after: Map<string, string>): string[];
  promptOf(task: string, door: 'mcp' | 'none'): string;
  table(rows: readonly object[]): string;
  messagesOf(body: Buffer): unknown[];
  applySolution(solution: object, folder: string): void;
  chosen(only: string | undefined): string[];
  copyTask(name: string, folder: string): void;
  solutionOf(name: string): Promise<object>;
}
const FILES = ['play', 'score', 'service', 'tasks'];
const parts = await Promise.all(FILES.map((name) => import(`../examples/agents/score/${name}.mjs`)));
const { TASKS, filesOf, changed, promptOf, table, messagesOf, applySolution, chosen, copyTask, solutionOf }: Parts =
  Object.assign({}, ...parts);

const around = folderOfFile('agents-tasks-');

describe('examples/agents: tasks', () => {
  test('twelve, each with what to try, a judge, and a line of README.md', () => {
    expect(TASKS).toHaveLength(12);
    const readme = readFileSync('examples/agents/README.md', 'utf8');
    for (const name of TASKS) {
      expect(readFileSync(`examples/agents/tasks/${name}/TASK.md`, 'utf8')).toMatch(/^# .+\n[\s\S]+```sh\n.+\n```\n$/);
      expect(existsSync(`examples/agents/judges/${name}.mjs`)).toBe(true);
      expect(readme).toContain(`\n| ${name} |`);
    }
    expect(readdirSync('examples/agents/judges')).toHaveLength(TASKS.length + 1);
  });

  test.each(TASKS)('%s: its solution changes what stands there, and a copy has nothing of the judge', async (name) => {
    const folder = join(around, name);
    copyTask(name, folder);
    const before = filesOf(folder);
    expect([...before.keys()].sort()).toEqual(readdirSync(`examples/agents/tasks/${name}`).sort());
    const solution = await solutionOf(name);
    applySolution(solution, folder);
    expect(changed(before, filesOf(folder))).toEqual(Object.keys(solution));
    expect(() => applySolution({ 'TASK.md': [['not there', '']] }, folder)).toThrow(
      'TASK.md has this not exactly once',
    );
  });

  test('--only takes a number or part of a name, and names them where none fits', () => {
    expect([chosen(undefined), chosen('3'), chosen('03'), chosen('pages')]).toEqual([
      TASKS,
      ['03-question'],
      ['03-question'],
      ['09-pages'],
    ]);
    expect(() => chosen('13')).toThrow(/^--only 13: no task fits; they are 01-last-words, /);
  });
});

describe('examples/agents: scorer', () => {
  test('docs/agents.md says what README.md shows of the reference player', () => {
    const [, mcp, none] =
      /\| \| (\d+) of 12 \| (\d+) of 12 \|/.exec(readFileSync('examples/agents/README.md', 'utf8')) ?? [];
    expect(readFileSync('docs/agents.md', 'utf8')).toContain(
      `with the door it solves ${mcp} of 12, without it ${none}`,
    );
  });

  test('a file that was made, changed or removed is seen', () => {
    const folder = join(around, 'seen');
    cpSync('examples/agents/tasks/09-pages', folder, { recursive: true });
    const before = filesOf(folder);
    writeFileSync(join(folder, 'main.mjs'), '');
    writeFileSync(join(folder, 'new.txt'), '');
    rmSync(join(folder, 'TASK.md'));
    expect(changed(before, filesOf(folder))).toEqual(['TASK.md', 'main.mjs', 'new.txt']);
  });

  test('the prompt names the door only where there is one', () => {
    expect(promptOf('# A task', 'mcp')).toMatch(/^# A task\n[\s\S]*INTERN_MCP_URL[\s\S]*explain_request/);
    expect(promptOf('# A task', 'none')).not.toMatch(/MCP|Model Context Protocol|explain_request/);
  });

  test('a call of the door counts alone or in a batch, and what is not JSON counts as none', () => {
    const call = { method: 'tools/call', params: { name: 'status' } };
    const of = (body: unknown) => messagesOf(Buffer.from(JSON.stringify(body)));
    expect([of(call), of([call, null, 7]), messagesOf(Buffer.from('{'))]).toEqual([[call], [call], []]);
  });

  test('the table has a row a task, with why it is not solved and what was noted', () => {
    const rows = [
      { task: 'a', solved: true, why: undefined, notes: [], requests: 3, door: { status: 1, chat: 2 }, seconds: 1.26 },
      { task: 'b', solved: false, why: 'x | y', notes: ['ended with status 1'], requests: 0, door: {}, seconds: 0 },
    ];
    expect(table(rows).split('\n').slice(2)).toEqual([
      '| a | yes | 3 | 3 | 1.3 |  |',
      '| b | no | 0 | 0 | 0.0 | x \\| y; ended with status 1 |',
    ]);
  });
});
