/**
 * The sentences of the interface that stated requirements stand on, word for word. Shown with every finding, so that
 * nobody has to take the kit's reading for it.
 */
export const QUOTES = {
  'AUTH-1':
    'A missing or invalid key gives 401. Messages: `Invalid or missing API key` on the signing route; `Missing Authentication header` on the SCIM route.',
  'AUTH-2':
    'The API key selects the caller, the workspace and the visible interns. There is no default workspace fallback.',
  'AUTH-3': 'The API key selects caller, workspace and visible interns.',
  'AUTH-4':
    "An intern's own API key sees only that intern. For such a key the collection and every other intern answer 404.",
  'AUTH-5':
    'The intern operations are available only to members of the interns programme. Callers outside the programme receive 404 for every path under `/interns`.',
  'AUTH-6': 'Requires a management key as bearer token.',
  'AUTH-7':
    'Only an OAuth-token caller (from the OIDC login) may read it. API keys get 403 with reason `personal_identity_required`.',
  'AUTH-8':
    "Only an OAuth session from the terminal client's OIDC login whose grant carries `vault:read` can sign. An API key is refused with 403, because it names no person.",
  'BASE-1':
    '{base_url} is the service base address up to and including the version segment `/api/v1`. All paths below are relative to {base_url}.',
  'BASE-2': 'Request and response bodies are JSON unless a stream is stated.',
  'BASE-3':
    'Envelope: `{ error: { code: <integer HTTP status>, message: <string>, metadata: { reason: <string>, retryable: <boolean> } } }`.',
  'BASE-4': 'Requests on regional hostnames are refused.',
  'CHAT-1':
    'Sends a prompt to one intern and streams the reply as server-sent events in the common chat-completion chunk format (`choices`, `finish_reason`), ending with `data: [DONE]`.',
  'CHAT-2': 'The run ends in one of three finish reasons: `stop`, `tool_calls`, `error`.',
  'CHAT-3':
    'After every response, whether it ends with `stop`, `tool_calls` or `error`, one final chunk with empty `choices` that carries `session_id`, then `data: [DONE]`.',
  'CHAT-4':
    'The final chunk carries the `usage` that the intern reported for the run after `stop` or `error`. It carries `null` when the intern reported none. After `tool_calls` its `usage` is `null`, because the turn is not over.',
  'CHAT-5':
    'When the intern needs permission or an answer, the stream emits one tool call named `service.provide_input` and finishes with `finish_reason: tool_calls`. The run stays open on the intern.',
  'CHAT-6': 'The answer is delivered to the run that asked, and the stream continues from where it paused.',
  'CHAT-7':
    'A question asked through `service.provide_input` stays open for its interaction deadline, 5 minutes by default. When the deadline passes the run is cancelled. Rejected replies do not extend the deadline.',
  'CHAT-8':
    "`manual` makes the intern ask before approval-bearing tools such as the shell. When omitted the run self-drives and consents on the caller's behalf. The mode belongs to the run started by that prompt and must be repeated on later prompts.",
  'CHAT-9': 'Closing the connection after the `[DONE]` that follows `finish_reason: tool_calls` keeps the run alive.',
  'CHAT-10':
    'Disconnecting while a response is still streaming cancels the run. The keepalive lets the service notice a disconnect within 30 seconds even while the intern is silent.',
  'CHAT-11': 'A comment line `: keepalive` is written whenever nothing else has been written for 30 seconds.',
  'CHAT-12':
    'When the intern ends the run while the client is still connected, by cancellation or by a deadline, the stream ends with a chunk with `finish_reason: error` that carries code 410 and reason `run_ended`, then the final empty-choices chunk and `[DONE]`.',
  'CHAT-13': 'A connection that breaks without that confirmation ends with reason `stream_severed`.',
  'CHAT-14':
    'When a prompt is sent to a session that already has a run going, the prompt is delivered into that run, and the reported status is steered.',
  'CHAT-17': 'The signing route counts against the chat turn limiter.',
  'INVOKE-1': 'Starts a run on one intern and answers 202 with the `session_id` once the intern accepts it.',
  'INVOKE-2':
    'Sending the same `session_id` later continues the conversation. If the session already has a run going, the prompt is delivered into it and the status is steered.',
  'INVOKE-3':
    'A `session_id` is accepted only from the caller it was issued to, on the same intern. Any other, including sessions started from a chat tool or from the chat endpoint, is refused with 404.',
  'INVOKE-4':
    'Runs started here self-drive: the intern consents to its own tool approvals, and a question it asks is answered by its own fallback.',
  'INVOKE-5':
    'A run started by `invoke` ends when the intern finishes it, or after its execution deadline, 1 hour by default.',
  'LIST-1': 'Lists the interns visible to the key, newest first.',
  'LIST-2': 'Filters: workspace, and one or more lifecycle statuses.',
  'CREATE-1': 'Creates an intern in an explicit workspace and its private vault.',
  'CREATE-2': 'Creating it also creates its private vault.',
  'CREATE-3': 'It may start provisioning at once or wait for a later provision call.',
  'CREATE-4': 'A retry with the same idempotency key and the same body resumes unfinished work.',
  'GET-1': 'Returns the public lifecycle state and settings of one visible intern.',
  'UPDATE-1': 'Changes name, description, instructions or model. Omitted fields stay unchanged.',
  'DELETE-1': 'Starts safe teardown of the intern, its runtime and its private vault.',
  'DELETE-2': 'The body is optional; the only stated field is `acknowledge_workspace_loss`',
  'DELETE-3': 'Deletes the intern, accepting that its workspace is not backed up.',
  'PROV-1': 'Starts the first boot, or resumes after suspension.',
  'SUSP-1': 'Stops the runtime and keeps its disk and configuration for a later provision call.',
  'BODY-1': 'It takes no request body; a body carrying any field is refused with 400.',
  'BODY-2': 'The body is capped at 1048576 bytes, and a larger body is refused with 413.',
  'BODY-3': 'A non-empty body must declare `Content-Type: application/json`, or it is refused with 415.',
  'BODY-4': '400 | Invalid request body | invalid_body | false | Body invalid.',
  'SCIM-1': 'Response: JSON object `{ data: <SCIM group mapping> }`, with the fields in the SCIM group mapping table.',
  'SCIM-2': 'The `metadata` object is absent on the 401 error of the signing route and on all SCIM errors.',
  'DAEMON-1':
    'Returns the origin and the daemon token that attach the terminal client in host mode to one visible, running intern.',
  'DAEMON-2': 'Each reveal is logged by caller and intern.',
  'DAEMON-3': 'Deprecated alias of GET /interns/{internId}/daemon with the same request, response and errors.',
  'SIGN-1':
    'The response is a JSON object whose keys are the header names that the terminal client copies onto the daemon request.',
  'SIGN-2': 'Must match `^[0-9a-f]{64}$`.',
  'SIGN-4':
    'Ed25519 signature over the intern id, timestamp, nonce, user, method, path and body digest. The intern accepts it once.',
  'SIGN-5': 'Time of signing. The daemon refuses proofs older than its window.',
  'SIGN-6': 'The verified OAuth subject that the proof names. It is never taken from the request.',
  'SIGN-7': 'The single-use id to which the v2 proof is bound.',
  'SIGN-8': 'The route is behind the same gate as chat and counts against the chat turn limiter.',
  'SIGN-9': '408 | Operation timed out after 10s | timeout | true | Operation exceeded 10 seconds.',
  'SIGN-10': 'Errors: 400, 401, 403, 404, 408, 413, 415, 429, 500.',
  'SIGN-11': 'Deprecated alias of the operation above with the same request, response and errors.',
  'SIGN-12': 'string, at least 1 character, identifier of an intern visible to the caller.',
  'CHAT-18': 'A client that has already disconnected is promised no final event.',
  'INVOKE-7': 'The run continues on the intern after the response. Nothing about progress returns on this request.',
  'LIFE-1': 'Returns the public lifecycle state and settings of one visible intern.',
} as const satisfies Readonly<Record<string, string>>;
