import { quoteOf, REQUIREMENTS, type Requirement } from '../../conformance/requirements/index.js';
import { publishedOf } from '../../conformance/requirements/published.js';

/** A requirement of the ledger, with what the interface, or the published API, says of it. */
export function requirementOf(
  id: string | null | undefined,
): (Requirement & { readonly quote: string | null }) | undefined {
  const row: Requirement | undefined = REQUIREMENTS.find((known) => known.id === id);
  return row && { ...row, quote: quoteOf(row.id) ?? publishedOf(row.id)?.quote ?? null };
}
