import type { InternRow } from './state.js';

/** The row of a new intern before anything is set: stopped, without a vault, a disk or a name. */
export const blankIntern = (id: string, at: string): InternRow => ({
  id,
  seq: 0,
  record: {
    id,
    name: '',
    description: null,
    instructions: null,
    model: null,
    status: 'stopped',
    last_failure_message: null,
    progress: null,
    hostname: null,
    workspace_id: '',
    vault_id: null,
    attached_vault_id: null,
    created_at: at,
    updated_at: at,
  },
  creator: '',
  api_key: '',
  script: null,
  booted: null,
  disk_id: null,
  daemon_token: null,
  loss_acknowledged: false,
  unfinished: [],
  failed_once: [],
});
