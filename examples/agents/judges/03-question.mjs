// Seen: the first of what docs/clients.md and the skill name: the session comes after the finish chunk (CHAT-3, CHAT-10).
import { beside, expect } from './tools.mjs';

export const judge = (folder) =>
  beside({ clock: 'auto' }, async ({ run, control, journal }) => {
    const plain = await run(folder, ['main.mjs', 'just hello']);
    expect(plain.status === 0 && plain.stdout.includes('just hello'), 'a prompt without a question does not work');
    for (const [script, words] of [
      ['ask-permission', /Allowed once\./],
      ['ask-permission-twice', /./],
    ]) {
      const { status, stdout } = await run(folder, ['main.mjs', `script: ${script}`]);
      expect(status === 0 && words.test(stdout), `${script}: it ended with status ${status}`);
    }
    const refused = await journal('status=4xx');
    expect(refused.length === 0, `a request was refused: ${refused[0]?.wrong}`);
    const { data: runs } = await control('GET', '/runs');
    const other = runs.find(({ ended }) => ended !== 'stop');
    expect(runs.length === 3 && other === undefined, `a run ended as ${other?.ended}, of ${runs.length}`);
    const answers = (await journal()).filter(({ request }) => /allow_once/.test(request.body ?? ''));
    expect(answers.length === 3, `${answers.length} answers allowed once, of 3 questions`);
  });

export const solution = {
  'main.mjs': [
    [
      `        if (finish_reason === 'tool_calls') return { call, session };
      }
    }
  }
`,
      `        asks ||= finish_reason === 'tool_calls';
      }
    }
  }
  return asks ? { call, session } : undefined;
`,
    ],
    ["  let rest = '';\n", "  let rest = '';\n  let asks = false;\n"],
  ],
};
