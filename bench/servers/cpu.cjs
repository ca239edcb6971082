// For `node --require`: says on standard error, as the process ends, how much processor time it took, in ms. A server ends
// with its ready line.
const { writeSync } = require('node:fs');

const { stdout } = process;
const { write } = stdout;
stdout.write = (text, ...rest) => {
  if (/is ready at http/.test(String(text))) process.exit(0);
  return write.call(stdout, text, ...rest);
};
process.once('exit', () => {
  const { user, system } = process.cpuUsage();
  writeSync(2, `\ncpu ${(user + system) / 1_000}\n`);
});
