import { reference } from '../openapi/schemas.js';
import type { answerSchemas } from './answer-schemas.js';

interface CallAnswer {
  readonly status: 200 | 201 | 204;
  readonly content: Readonly<Record<string, { readonly schema: object }>>;
}

type Name = keyof typeof answerSchemas;
const one = (name: Name): object => reference(name);
const list = (name: Name): object => ({
  type: 'object',
  additionalProperties: false,
  required: ['data'],
  properties: { data: { type: 'array', items: reference(name) } },
});
const either = (...schemas: readonly object[]): object => ({ oneOf: schemas });

const as = (type: string, schema: object = { type: 'string' }) => ({ [type]: { schema } });
const json = (schema: object): CallAnswer => ({ status: 200, content: as('application/json', schema) });
const made = (schema: object): CallAnswer => ({ ...json(schema), status: 201 });
const NOTHING: CallAnswer = { status: 204, content: {} };

/** The successful answer of each control call. */
export const ANSWERS: Readonly<Record<string, CallAnswer>> = {
  'GET /': json(list('Call')),
  'GET /control-openapi.json': json(one('OpenApi')),
  'GET /health': json(one('Health')),
  'GET /target': json(one('Target')),
  'GET /clock': json(one('Clock')),
  'POST /clock': json(one('Clock')),
  'GET /scripts': json(list('Script')),
  'GET /scripts/:name': json(one('Script')),
  'PUT /scripts/:name': json(one('Script')),
  'DELETE /scripts/:name': NOTHING,
  'GET /interns': json(list('Intern')),
  'GET /interns/:id': json(one('InternView')),
  'PUT /interns/:id/script': json(one('InternView')),
  'DELETE /interns/:id/script': NOTHING,
  'GET /matches': json(list('Match')),
  'PUT /matches': json(list('Match')),
  'DELETE /matches': NOTHING,
  'GET /runs': json(list('Run')),
  'GET /runs/:id': json(one('RunWhole')),
  'GET /reveals': json(list('Reveal')),
  'GET /journal': {
    status: 200,
    content: { ...as('application/json', either(list('JournalEntry'), one('Har'))), ...as('application/jsonl') },
  },
  'GET /journal/:id': json(either(one('JournalEntry'), one('Har'))),
  'GET /journal/:id/explain': json(one('ExchangeExplanation')),
  'DELETE /journal': NOTHING,
  'GET /events': { status: 200, content: as('text/event-stream') },
  'GET /limits': json(one('Limits')),
  'PUT /limits': json(one('Limits')),
  'GET /settings': json(one('Switches')),
  'PUT /settings': json(one('Switches')),
  'GET /faults': json(list('ListedFault')),
  'DELETE /faults/:id': NOTHING,
  'POST /faults': made(either(one('SetFault'), { type: 'array', items: one('SetFault') })),
  'DELETE /faults': NOTHING,
  'POST /reset': json(one('Reset')),
  'GET /state': json(one('State')),
  'PUT /state': json(one('Imported')),
  'GET /snapshots': json(list('SnapshotListed')),
  'GET /snapshots/:name': json(one('Snapshot')),
  'PUT /snapshots/:name': json(one('Snapshot')),
  'POST /snapshots/:name/restore': json(one('Restored')),
  'DELETE /snapshots/:name': NOTHING,
  'GET /spaces': json(list('Space')),
  'POST /spaces': made(one('Space')),
  'GET /spaces/:name': json(one('Space')),
  'DELETE /spaces/:name': NOTHING,
  'GET /keys': json(one('Keys')),
  'POST /signing/explain': json(one('Explanation')),
  'GET /signing/forge': json(list('Defect')),
  'POST /signing/forge': json(one('Forgery')),
  'GET /lab/cases': json(list('ListedCase')),
  'GET /lab/cases/:id': json(one('ClientCase')),
  'POST /lab/runs': made(one('LabRunStarted')),
  'GET /lab/runs': json(list('LabRun')),
  'GET /lab/runs/:run': json(one('LabRun')),
  'GET /lab/runs/:run/sent': json(list('Sent')),
  'POST /lab/results': made(one('LabRunAdded')),
  'POST /lab/adapters': json(one('AdapterRun')),
  'DELETE /lab/runs/:run': NOTHING,
  // Answers of the Model Context Protocol, which has schemas of its own.
  'POST /mcp': { status: 200, content: { ...as('application/json', {}), ...as('text/event-stream') } },
  'GET /llms.txt': { status: 200, content: as('text/plain') },
  'GET /docs/:page': { status: 200, content: as('text/markdown') },
  'GET /openapi.json': json(one('OpenApi')),
};
