import { accumulate } from '../adapters/accumulate.ts';

/** A client with chat completions like OpenAI's own: `create` makes the stream of a run. */
export const byChunks = (create) => async (run, answer, tell, limits) => {
  const { add, chat } = accumulate();
  try {
    let chunks = 0;
    for await (const chunk of await create(run, limits.signal)) {
      add(chunk);
      tell({});
      if (++chunks === run.stop_after) break;
    }
    if (limits.aborted()) throw new Error('aborted');
  } finally {
    answer.chat = chat();
  }
};

export const keyOf = (run) => run.headers.authorization.replace('Bearer ', '');
