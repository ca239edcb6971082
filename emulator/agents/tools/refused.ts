import type { ExchangeExplanation } from '../../contract/explanation.js';
import { controlJson, type Door, ToolError } from '../door.js';

export function explanationText({ summary, wrong, requirement, next, page }: ExchangeExplanation): string {
  return [
    summary,
    // The summary has a single one.
    ...(wrong.length > 1 ? wrong.map((each) => `wrong: ${each.at} (${each.in}): ${each.problem}`) : []),
    ...(requirement ? [`requirement: ${requirement.id}: ${requirement.quote ?? requirement.sentence}`] : []),
    ...(next ? [`do: ${next.do}`] : []),
    ...(next?.curl ? [next.curl] : []),
    `read: ${page.replace(/^docs\/([\w-]+)\.md(#.*)?$/, (_, name, at) => `docs:///${name}${at ? ` (${at})` : ''}`)}`,
  ].join('\n');
}

export const explained = (door: Door, id: string): Promise<ExchangeExplanation> =>
  controlJson<ExchangeExplanation>(door, 'GET', `/journal/${encodeURIComponent(id)}/explain`);

/** A refusal of the interface, as a tool's error that explains it. */
export async function refusedBy(door: Door, response: Response): Promise<ToolError> {
  const id = response.headers.get('x-request-id') ?? '';
  const why = await explained(door, id).catch(() => undefined);
  if (!why) return new ToolError(`The interface answered ${response.status}.`, 'Call list_requests to see it.');
  return new ToolError(explanationText(why), `explain_request with id ${id} has this as data.`);
}
