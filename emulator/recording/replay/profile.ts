import { FileInvalid } from '../../contract/file.js';
import type { Profile } from '../../contract/profile.js';
import { bodyText } from '../format.js';
import type { PlacedExchange } from '../read.js';

/** The names of a deployment that are in an exchange: of its input tool, and the prefix of its proof headers. */
function namesIn({ exchange }: PlacedExchange): { tool?: string | undefined; prefix?: string | undefined } {
  const texts = (exchange.writes ?? []).map((write) => ('text' in write ? write.text : '')).join('');
  const tool = /"name"\s*:\s*"([\w-]+\.provide_input)"/.exec(texts)?.[1];
  const prefix =
    exchange.operation === 'sign' ? /"([\w-]+)-timestamp"/.exec(bodyText(exchange.body) ?? '')?.[1] : undefined;
  return { tool, prefix };
}

/**
 * Compares a recording with the profile for its replay: clients look for its names.
 *
 * @throws FileInvalid that names both
 */
export function requireProfile(placed: PlacedExchange, profile: Profile): void {
  const { tool, prefix } = namesIn(placed);
  const [recorded, expected] =
    tool !== undefined && tool !== profile.tool_name
      ? [`the tool ${tool}`, profile.tool_name]
      : [`proof headers ${prefix}-…`, `${profile.proof_header_prefix}-…`];
  if (
    (tool ?? profile.tool_name) === profile.tool_name &&
    (prefix ?? profile.proof_header_prefix) === profile.proof_header_prefix
  )
    return;
  throw new FileInvalid(
    `recording ${placed.file}:${placed.line}:`,
    `has ${recorded}, and profile ${profile.name} has ${expected}; choose the profile that it was recorded under with --profile`,
  );
}
