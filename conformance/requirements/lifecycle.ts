import type { Rows } from './requirement.js';

export const LIFECYCLE = {
  'LIST-1': {
    level: 'S',
    sentence: 'list_interns lists the visible interns, newest first.',
    published: 'It is GET /interns.',
    where: 'list_interns',
  },
  'LIST-2': {
    level: 'S',
    sentence: 'It filters by workspace and by one or more lifecycle statuses.',
    published:
      "`workspace_id`, one that is not the key's is refused; `status` is comma-separated, repeats collapse; an unknown one, an empty one, or more than 8 entries as sent are 400.",
    chosen: "A workspace that is not the key's is 404.",
    where: 'list_interns',
  },
  'LIST-3': {
    level: 'P',
    sentence:
      '{data, has_more, next_cursor?}, the cursor absent and never null on the last page; limit is 1 to 500; starting_after is an opaque cursor, a malformed one is 400 `Invalid list query` invalid_body; paging with any limit yields every intern that existed at the first page and still exists exactly once, also while others are created or deleted.',
    chosen: 'limit is 500 where none is given.',
    where: 'Contract, Lifecycle',
  },
  'CREATE-1': {
    level: 'S',
    sentence: 'create_intern creates in an explicit workspace.',
    published: "POST /interns answers 201 with the record; a workspace that is not the key's is refused.",
    chosen: "A workspace that is not the key's is 404 once the body is found valid; none given is 400.",
    where: 'create_intern',
  },
  'CREATE-2': {
    level: 'S',
    sentence: 'Creating an intern also creates its private vault.',
    published:
      "vault_id is set and unique to the intern; vault_id in the body attaches another intern's vault of the workspace, shown as attached_vault_id; one that cannot be attached is 409.",
    where: 'create_intern',
  },
  'CREATE-3': {
    level: 'S',
    sentence: 'Provisioning starts at once or waits for a later provision call.',
    published: '`provision: true` starts it at once.',
    chosen: 'One created without it is stopped and has no hostname.',
    where: 'create_intern',
  },
  'CREATE-4': {
    level: 'S',
    sentence:
      'A retry with the same idempotency key and the same body resumes unfinished work: never a second intern, also when retries race.',
    published:
      'The header is Idempotency-Key, 1 to 255 characters, else 400; the same key with another body is 409 idempotency_key_reused, before any other conflict; without the header the key is derived from the body; keys are scoped to the caller; a finished create replays with 200 and the first answer.',
    chosen:
      'Bodies are equal as JSON values; keys do not expire; a derived key is forgotten with its intern; a create that failed after the record answers 502 upstream_unavailable, retryable, and the retry completes the same intern with 201.',
    where: 'create_intern',
  },
  'CREATE-5': {
    level: 'P',
    sentence:
      'name has 2 to 17 characters of ^[a-z][a-z0-9]*(-[a-z0-9]+)*$ and is unique per creator in the workspace while the intern exists, else 409 name_conflict (a rename too); description has at most 2000, instructions at most 100000 code points; unknown fields are 400.',
    where: 'Contract, Lifecycle',
  },
  'GET-1': {
    level: 'S',
    sentence:
      'get_intern returns the public state and settings of one visible intern, and no credential or vault content.',
    published: 'GET /interns/{id} answers 200 with exactly the fields of the record, in their formats.',
    where: 'get_intern',
  },
  'UPDATE-1': {
    level: 'S',
    sentence: 'update_intern changes name, description, instructions or model; omitted fields stay unchanged.',
    published:
      'PATCH /interns/{id}; null clears description, instructions, model; model is author/slug[:variant]; an unknown field is 400.',
    chosen: 'A body that changes nothing is a no-op 200; every change moves updated_at forward by at least 1 ms.',
    where: 'update_intern',
  },
  'DELETE-1': {
    level: 'S',
    sentence:
      'delete_intern starts teardown: runs end with run_ended when it starts; when it ends, intern, runtime and vault are gone, and the intern is 404.',
    published:
      "DELETE /interns/{id} answers 202 {deleting: true}, status destroying; the intern's own key works until the end and is 401 after it.",
    chosen:
      '202 from every state, destroying too; update, provision and suspend of a destroying intern are 409 intern_busy.',
    where: 'delete_intern',
  },
  'DELETE-2': {
    level: 'S',
    sentence:
      'The body of delete is optional; its only field is the boolean acknowledge_workspace_loss; anything else is 400.',
    where: 'delete_intern',
  },
  'DELETE-3': {
    level: 'S',
    sentence:
      'A teardown whose archive fails leaves destroy_failed with a last_failure_message naming workspace_archive_failed; delete without the acknowledgement does not lose the workspace; with it the intern is deleted.',
    chosen: 'Without it delete is 202 and tried again; an acknowledgement given with the first delete counts.',
    where: 'delete_intern, States and transitions',
  },
  'PROV-1': {
    level: 'S',
    sentence: 'provision_intern starts the first boot, or resumes a suspended intern with its disk and configuration.',
    published:
      'POST /interns/{id}/provision answers 202 {provisioning: true}; queued, provisioning with progress, then running with a hostname, or failed with last_failure_message, from which it can be provisioned again; from another state 409 intern_busy, not retryable.',
    chosen: 'A boot takes 1 s on the clock and has at least two progress steps.',
    where: 'provision_intern, States and transitions',
  },
  'SUSP-1': {
    level: 'S',
    sentence: 'suspend_intern stops the runtime and keeps disk and configuration; open runs end with run_ended.',
    published: 'POST /interns/{id}/suspend answers 200 {suspended: true}; not running is 409 intern_busy.',
    chosen: 'The daemon token dies with it.',
    where: 'suspend_intern, States and transitions',
  },
  'BODY-1': {
    level: 'S',
    sentence: 'provision_intern and suspend_intern take no body: a body carrying any field is 400.',
    published: 'A non-empty body that is not JSON by its content type is 415.',
    chosen: 'Empty, {} and whitespace are no fields; an array, string, number, boolean or null is 400.',
    where: 'provision_intern, suspend_intern',
  },
  'BODY-2': {
    level: 'S',
    sentence:
      'On create, update, delete and sign a body over 1048576 bytes is 413 payload_too_large `Request body exceeds 1048576 bytes`, one of exactly 1048576 is not; also with chunked encoding.',
    published: 'Chat, invoke, provision and suspend too.',
    where: 'Limits, Signing route errors',
  },
  'BODY-3': {
    level: 'S',
    sentence:
      'A non-empty body on create, update, delete and sign must be application/json (parameters allowed, any case), else 415 unsupported_media_type `Request body must be sent as application/json`; an empty delete body needs no content type.',
    published: 'Reason and message outside the signing route.',
    chosen: 'Chat and invoke do not look at it.',
    where: 'create_intern, update_intern, delete_intern, Signing route errors',
  },
  'BODY-4': {
    level: 'S',
    sentence: 'An invalid body is 400; on the signing route `Invalid request body`, invalid_body.',
    published: 'The same on lifecycle routes; chat and invoke use bad_request.',
    where: 'Signing route errors',
  },
  'BODY-5': {
    level: 'C',
    sentence:
      'Order of refusals: region 403, credential 401, programme 404, path 404 or method 405, visibility 404, kind of credential 403, size 413, media type 415, body, query or Idempotency-Key 400, workspace in the body 404, injected fault, idempotency and state 409, limiter 429.',
    where: 'Contract, Lifecycle',
  },
  'LIFE-1': {
    level: 'S',
    sentence:
      'Under any sequence of its operations an intern does what the operations state: it exists from create until its teardown ends, keeps its settings through suspension and boot, and lists and reads agree.',
    published: 'Its status moves as the published statuses say.',
    where: 'States and transitions',
  },
} as const satisfies Rows;
