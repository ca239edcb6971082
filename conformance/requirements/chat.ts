import type { Rows } from './requirement.js';

export const CHAT = {
  'CHAT-1': {
    level: 'S',
    sentence: 'The reply streams as server-sent events in chat-completion chunk format and ends with `data: [DONE]`.',
    published:
      "200 text/event-stream; object chat.completion.chunk; one id for the whole response; created; the first chunk carries role; text in delta.content, thinking in delta.reasoning; one choice, index 0; model is what the intern reports or the placeholder, never the request's.",
    chosen: 'The first chunk carries content "" beside the role.',
    where: 'chat, Events',
  },
  'CHAT-2': {
    level: 'S',
    sentence: 'The run ends in exactly one finish reason: stop, tool_calls or error; no content after it.',
    where: 'Events 1',
  },
  'CHAT-3': {
    level: 'S',
    sentence:
      'After every response comes one final chunk with empty choices carrying session_id, then `data: [DONE]`, then the end of the body.',
    published: 'session_id may be null where the run failed before one existed.',
    chosen: 'session_id and usage stand nowhere but in the final chunk.',
    where: 'Events 3',
  },
  'CHAT-4': {
    level: 'S',
    sentence:
      "The final chunk's usage is what the intern reported after stop or error, null when it reported none, and null after tool_calls.",
    published: 'It is {prompt_tokens, completion_tokens, total_tokens, prompt_tokens_details?, cost?}.',
    where: 'Events 4',
  },
  'CHAT-5': {
    level: 'S',
    sentence:
      'Needing permission or an answer, the stream emits one tool call named by the profile, then finish_reason tool_calls, and the run stays open.',
    published:
      'One complete tool_calls entry, index 0, type function; arguments is a JSON string {kind: permission, operation, options[]} or {kind: elicitation, message, fields[]}; the call id is the interaction id.',
    where: 'Events 2',
  },
  'CHAT-6': {
    level: 'S',
    sentence:
      'A second request with the same session_id, the assistant message echoing the call, and the tool message delivers the answer to the run that asked; the stream continues where it paused, nothing repeated, nothing lost.',
    published:
      'Permission content is an offered option or cancel; question content is JSON {action: accept|decline|cancel, content?}.',
    chosen:
      'The echo is not checked; cancel is an answer like another; an answer is unacceptable when it is no offered option, no such JSON, misses a required field, has a wrong type or an unlisted option.',
    where: 'chat',
  },
  'CHAT-7': {
    level: 'S',
    sentence:
      'A question stays open for its interaction deadline, 5 minutes by default; when it passes the run is cancelled; rejected replies do not extend it; of racing answers exactly one is delivered.',
    published:
      'A reply is judged in order: no session_id 400; unknown call id 404 interaction_unknown; run ended 409 interaction_not_pending; run streaming elsewhere 409 attachment_failed; not the pending question 409 interaction_not_pending; another run streaming 409 busy; unacceptable 400 bad_request and the question stays.',
    where: 'Run and question timing',
  },
  'CHAT-8': {
    level: 'S',
    sentence:
      'approval_mode manual asks before approval-bearing tools; omitted, the run consents by itself; the mode belongs to the run that the prompt starts and must be repeated on later prompts.',
    published: 'self-drive is the same as omitted; an unknown mode is 400.',
    chosen: 'A mode sent with a reply is validated and ignored.',
    where: 'chat',
  },
  'CHAT-9': {
    level: 'S',
    sentence: 'Closing the connection after the [DONE] that follows tool_calls keeps the run alive.',
    where: 'Disconnect rules',
  },
  'CHAT-10': {
    level: 'S',
    sentence:
      'Disconnecting while a response streams cancels the run; it is noticed within 30 seconds even while the intern is silent.',
    where: 'Disconnect rules',
  },
  'CHAT-11': {
    level: 'S',
    sentence:
      'A comment line `: keepalive` is written whenever nothing else has been written for 30 seconds; it never splits an event.',
    where: 'Events 5',
  },
  'CHAT-12': {
    level: 'S',
    sentence:
      'A run that the intern ends while the client is connected, by cancellation or a deadline, ends with finish_reason error, code 410, reason run_ended, then the final chunk and [DONE].',
    published:
      'A top-level error {code, message, metadata: {reason, retryable}} stands in the chunk that carries the finish reason.',
    where: 'Events 6',
  },
  'CHAT-13': {
    level: 'S',
    sentence:
      'A connection to the intern that breaks without confirmation ends with reason stream_severed, then the final chunk and [DONE].',
    published: 'The chunk carries 502, retryable.',
    where: 'Events 7',
  },
  'CHAT-14': {
    level: 'S',
    sentence: 'A prompt to a session with a run going is delivered into that run; the status is steered.',
    published:
      '202 {session_id, status: steered}; the effect streams on the response that streams the run, or after the answer when it waits; while a chat run streams, a prompt without or with another session and a reply to another run are 409 busy, retryable, with Retry-After; runs that wait and invoke runs hold no lock.',
    chosen: 'A steered prompt shows as content `(steered: TEXT)`.',
    where: 'Run and question timing',
  },
  'CHAT-15': {
    level: 'P',
    sentence:
      'Only the last message is read: user starts a run (1 to 32000 code points), tool needs session_id; stream other than true, no messages and other last roles are 400 bad_request; content is a string or text parts; an unseen session_id (1 to 256 characters, no control characters) starts a session under that id; unknown fields are ignored.',
    chosen: 'Sessions belong to the intern: chat may continue any session of it.',
    where: 'Contract, Chat',
  },
  'CHAT-16': {
    level: 'P',
    sentence:
      'Not running is 409 intern_not_ready, retryable; unreachable before the prompt was accepted 502 intern_unreachable, retryable; refused 502 turn_failed; not accepted in time 504 timeout; with more than 64 runs of one intern waiting on questions the next prompt is 503 busy with Retry-After.',
    where: 'Contract, Chat',
  },
  'CHAT-17': {
    level: 'S',
    sentence: 'Chat counts against the chat turn limiter; over it is 429 rate_limited, retryable.',
    published: 'The message starts `Too many intern turns` and Retry-After is set; invoke counts too.',
    chosen:
      'Accepted prompts, replies, steers, invokes and signatures count one each, per member, over sliding 60 s; changing the limit clears what was counted.',
    where: 'Signing route errors, Limits',
  },
  'CHAT-18': {
    level: 'S',
    sentence: 'A client that has already disconnected is promised no final event.',
    where: 'Events 7',
    excluded: 'It frees the service from a duty; nothing follows that could be broken.',
  },
} as const satisfies Rows;
