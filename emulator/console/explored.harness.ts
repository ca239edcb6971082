/** A report of `explore` as a file that a page is given: what `explore` writes, of a chat that was cut. */
export const exploredReport = (hostile = 'hello there') => {
  const begin = [
    { kind: 'request', text: `POST /interns/…/chat/completions "${hostile}"`, request: 1 },
    { kind: 'answer', text: '200', request: 1 },
  ];
  const fault = { operation: 'chat', nth: 1, write: 'first', disturb: 'cut' };
  return {
    format: 'intern-explore',
    version: 1,
    headline: 'Do not send again what may have been acted on.',
    straight: { timeLine: [...begin, { kind: 'outcome', text: 'passed' }] },
    counts: { run: 120, breach: 7 },
    warnings: [`undisturbed, too: ${hostile}`],
    findings: [
      {
        law: 'once',
        says: 'Nothing takes effect more often because something went wrong.',
        sentence: `at the 1st prompt, the stream was cut after its first event: the prompt "${hostile}" took effect twice`,
        count: 5,
        schedule: { name: 'cut @ chat 1 first', faults: [fault] },
        timeLine: [
          ...begin,
          { kind: 'disturbance', text: 'the stream was cut', request: 1 },
          { kind: 'request', text: `POST /interns/…/chat/completions "${hostile}"`, request: 2 },
          { kind: 'print', text: hostile },
          { kind: 'outcome', text: 'passed' },
        ],
      },
      {
        law: 'settles',
        sentence: 'at the 1st prompt, no answer came: it waits for ever',
        count: 1,
        schedule: {
          name: 'stall @ chat 1',
          faults: [{ operation: 'chat', nth: 1, disturb: 'stall', times: 'always' }],
        },
        timeLine: [...begin.slice(0, 1), { kind: 'disturbance', text: 'no answer came', request: 1 }],
      },
    ],
  };
};

export const exploredFile = (content: unknown = exploredReport(), name = 'explore.json') => ({
  name,
  mimeType: 'application/json',
  buffer: Buffer.from(typeof content === 'string' ? content : JSON.stringify(content)),
});
