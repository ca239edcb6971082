import { toggle } from '../../conformance/cli/arguments.js';
import type { ExplainSignature, Explanation } from '../contract/signing-lab.js';
import { oneLine, visibleJson } from '../contract/visible.js';
import type { CommandModule } from './command.js';
import { explainReceived, receivedOptions } from './received.js';

function signatureLines(signature: ExplainSignature): string[] {
  const lines = [`${signature.version} (${signature.header}): ${signature.problem ?? 'verifies'}`];
  for (const { name, from, expected, signed, same } of signature.fields) {
    const mark = same === null ? '?' : same ? '=' : '!';
    lines.push(`  ${mark} ${name.padEnd(12)} ${expected ?? '(missing)'}   from ${from}`);
    if (same === false) lines.push(`    ${'signed'.padEnd(12)} ${signed ?? '(nothing)'}`);
  }
  if (signature.expected) lines.push(`  expected bytes: ${JSON.stringify(signature.expected.text)}`);
  if (signature.found) lines.push(`  signed bytes:   ${JSON.stringify(signature.found.text)}`);
  const difference = signature.first_difference;
  if (difference) {
    const { index, expected, found, field } = difference;
    lines.push(
      `  they differ from byte ${index} (${field}): expected ${expected ?? 'the end'}, signed ${found ?? 'the end'}`,
    );
  }
  return lines;
}

export function explanationText(explained: Explanation): string {
  const { verdict, reason, hint, summary, steps, time, nonce, signatures } = explained;
  const marks = [reason, hint].filter(Boolean).join(', ');
  const lines = [`${verdict}${marks === '' ? '' : ` (${marks})`}: ${summary}`, ''];
  for (const step of steps) lines.push(`  ${step.check.padEnd(10)} ${step.result.padEnd(12)} ${step.detail}`.trimEnd());
  lines.push('');
  if (time.age !== null) {
    lines.push(`time: ${time.age} s old; accepted up to ${time.window} s old and ${time.future_tolerance} s ahead`);
  }
  if (nonce.value !== null) lines.push(`nonce: ${nonce.value} (${nonce.state})`);
  for (const signature of signatures) lines.push('', ...signatureLines(signature));
  return `${lines.map((line) => oneLine(line, Infinity)).join('\n')}\n`;
}

/** `intern-emulator explain`: verifies a request as a daemon would and explains the verdict. Status as of verify. */
const explain: CommandModule = {
  flags: { ...receivedOptions, json: toggle('Print it as JSON') },
  async run({ argv, io }) {
    const explained = await explainReceived(argv, io);
    io.out(argv.json === true ? `${visibleJson(explained, 2)}\n` : explanationText(explained));
    return explained.verdict === 'accepted' ? 0 : 1;
  },
};

export default explain;
