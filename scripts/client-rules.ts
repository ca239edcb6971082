/** The lab's own rules in paragraphs, topic by topic, as `docs/client-rules.md` has them above the rows of cases. */
export const TOPICS: readonly { readonly topic: string; readonly text: readonly string[] }[] = [
  {
    topic: 'Answers',
    text: [
      'A run ends in `complete` or in `error`. An error that the caller does not see is wrong: a body that breaks off never counts as',
      'a success. Beside an error the client may hand out what came before it. That must be a beginning of what was sent, and it',
      'never holds an unfinished tool call. `timeout` is the limit of the client; without an answer 1 s later the case is `fail: hung`.',
    ],
  },
  {
    topic: 'Event streams',
    text: [
      'Events are those that the parser of WHATWG HTML dispatches. `event` is `message` where the stream names none. `id` is the last',
      'event id, which stays. `retry` is not compared, and `[DONE]` is data. A status other than 200, or a type that is not an event',
      'stream, is an error; without any type both outcomes are right. At a clean end inside an event WHATWG discards the event, and',
      'flushing it is right too. U+FFFD is counted as WHATWG counts it, and one for each byte is right too.',
    ],
  },
  {
    topic: 'Chat',
    text: [
      '`content` is never null, an id that never came is null, and `arguments` is text. Arguments are compared as JSON unless the',
      'case compares bytes. Empty data is skipped. Data that is not a JSON object is an error. Unknown event types, and what follows',
      '`[DONE]`, are ignored. A 202 that answers a streaming request is an error with status 202, never an empty success. An error',
      'chunk is an error with its integer code as status. After it, a final chunk and usage are not required.',
    ],
  },
  {
    topic: 'Tool calls',
    text: [
      'Deltas are joined by `index`. Without an index, a delta with a new id opens a call, and so does a name where the last call has',
      'one; other deltas continue the last call. A second id on an index opens a second call only with a name of its own, or after',
      'arguments that parse. Merging two calls is wrong, and refusing them is right too. A name may come late; a call that never got',
      'one is an error. With `stop` the calls are handed out; with `length`, a call whose arguments do not parse is not.',
    ],
  },
  {
    topic: 'Ends',
    text: [
      'The stream is over at `[DONE]`. What the transport does after it does not matter: `complete`, and `error` is right too. A body',
      'that is cut before `[DONE]` is an error, after `finish_reason` too. `finish_reason` without `[DONE]` at a clean end is',
      '`complete`. `[DONE]` without `finish_reason` is `complete` with null, or an error; where a call is open it is an error. A stream',
      'that ends without both is an error. A 200 that is not a stream is an error, and a whole JSON completion may be taken as the',
      'answer. A body longer than `Content-Length` ends there.',
    ],
  },
  {
    topic: 'Retries',
    text: [
      'No retry is right, and so are up to two, after 408, 429, 500, 502, 503 and 504. After 409 a client may retry only with',
      '`retryable: true`. It never retries with `retryable: false`, and never once the stream has begun. A retry is not earlier than',
      '`Retry-After` says (15 ms of tolerance, 1 s for dates); more than 120 s is an error at once. `retry-after-ms` wins where both',
      'stand. `-1`, junk and the past mean the client’s own backoff. Other statuses are not retried. Where no answer comes at all,',
      'the client reports an error or retries as after a 503. After the answer the lab watches 1.5 s for further requests.',
    ],
  },
  {
    topic: 'Redirects',
    text: [
      'Not following is right: an error with the status of the redirect. A client that follows keeps method and body on 307 and 308,',
      'may turn 301 and 302 into a GET, and must on 303. `Authorization` stays on the same origin and never reaches another.',
    ],
  },
  {
    topic: 'Cuts and promptness',
    text: [
      'A case flagged `splittable` must come out the same however its bytes are cut. Where a case is about promptness, the lab waits',
      'up to 1 s for the events that are due so far, and then writes on. Gaps and silences last at most 2 s.',
    ],
  },
  {
    topic: 'Signing',
    text: [
      'A route is always named; a client that sends v1 alone where v2 came fails. The path is signed as sent, up to `?`. The method',
      'is in upper case in the proof and in the request. Fresh proof headers win over the caller’s, one value each. The timestamp is',
      'the service’s: a client’s clock does not matter. A 503 after the verification spends the nonce. A 401 surfaces, and one new',
      'proof after `proof_expired` is right too. After a 403 of `sign` nothing leaves unsigned. At a redirect the same origin is',
      'signed anew or stopped at; nothing of proof or token goes to another origin.',
    ],
  },
  {
    topic: 'Errors',
    text: [
      'The integer code of an error in the stream is its status. A code that is text is kept as it came and is not a status. The',
      'message is in the client’s own words.',
    ],
  },
];
