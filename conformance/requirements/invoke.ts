import type { Rows } from './requirement.js';

export const INVOKE = {
  'INVOKE-1': {
    level: 'S',
    sentence:
      'invoke starts a run and answers 202 with the session_id once the intern accepts it; the run goes on after the response.',
    published:
      'POST /interns/{id}/invoke {input: 1 to 32000 code points, session_id?}, unknown fields ignored, answers {session_id, status: started}; not running is 409 intern_not_ready; invalid is 400 bad_request.',
    where: 'invoke',
  },
  'INVOKE-2': {
    level: 'S',
    sentence:
      'The same session_id later continues the conversation; with a run going the prompt is delivered into it, status steered.',
    where: 'invoke 2',
  },
  'INVOKE-3': {
    level: 'S',
    sentence:
      'A session_id is accepted only from the caller it was issued to, on the same intern; any other, chat sessions included, is 404.',
    published: 'Its reason is not_found.',
    where: 'invoke 3',
  },
  'INVOKE-4': {
    level: 'S',
    sentence: "Runs self-drive: approvals are consented to, a question is answered by the intern's own fallback.",
    chosen: 'The fallback is decline where a script gives none.',
    where: 'invoke 4',
  },
  'INVOKE-5': {
    level: 'S',
    sentence: 'The run ends when the intern finishes it or after its execution deadline, 1 hour by default.',
    where: 'Run and question timing',
  },
  'INVOKE-6': {
    level: 'C',
    sentence: 'Losing the client after 202 changes nothing; the control interface shows the run.',
    where: 'Contract, Invoke',
  },
  'INVOKE-7': {
    level: 'S',
    sentence: 'Nothing about progress returns on the invoke request; the intern reports through its own tools.',
    where: 'invoke 1',
  },
} as const satisfies Rows;
