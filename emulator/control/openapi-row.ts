import { json } from '../http/response.js';
import type { DocumentSource } from '../openapi/document.js';
import { type ControlRow, controlRow } from './router.js';

/** `GET /_emulator/openapi.json`. Most emulators are never asked, so the schemas are read on demand. */
export const openApiRow = (source: () => DocumentSource): ControlRow =>
  controlRow('GET /openapi.json', {
    does: 'Describes the interface as an OpenAPI 3.1 document, with the names of the profile',
    handle: async () => json((await import('../openapi/document.js')).openApiDocument(source())),
  });
