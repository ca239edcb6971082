/**
 * The sender of a request, by its credential (AUTH-2). `id` is the scope of limits, names, idempotency keys and invoke
 * sessions: one person's API key and OAuth tokens share it, and an intern's own key is a caller of its own.
 */
export interface Caller {
  readonly id: string;
  readonly kind: 'api_key' | 'oauth' | 'own_key' | 'management';
  readonly workspaceId: string;
  /** Outside the programme every path under `/interns` is 404 (AUTH-5). */
  readonly programme: boolean;
  /** The verified OAuth subject (SIGN-6); only for `oauth`. */
  readonly subject?: string;
  /** Only for `oauth`: `full` carries `vault:read`, `interns` does not (AUTH-8). */
  readonly grant?: 'full' | 'interns';
  /** Only for `management`: the organization whose directory it opens. */
  readonly organizationId?: string;
  /** Only for `own_key`: the one intern it sees (AUTH-4). */
  readonly internId?: string;
}
