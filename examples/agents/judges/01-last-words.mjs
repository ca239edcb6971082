// Seen: LearningCircuit/local-deep-research#4693 (each piece parsed as whole lines), mastra-ai/mastra#20216 (each decoded alone).
import { join } from 'node:path';
import { inTheLab } from './tools.mjs';

export const judge = (folder) =>
  inTheLab(join(folder, 'client.py'), [
    'sse-one-event',
    'sse-utf8',
    'sse-utf8-cut',
    'sse-cut-token',
    'sse-dribbled',
    'sse-glued',
    'sse-done',
    'sse-lf-prompt',
    'http-status-500-stream',
  ]);

export const solution = {
  'client.py': [
    [
      `        while piece := response.read1(4096):
            for line in piece.decode("utf-8", "ignore").split("\\n"):
                if line.startswith("data: "):
                    yield line[len("data: "):]
`,
      `        for line in response:
            text = line.decode("utf-8", "replace").rstrip("\\n")
            if text.startswith("data: "):
                yield text[len("data: "):]
`,
    ],
  ],
};
