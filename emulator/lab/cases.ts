import chat from '../../fixtures/client-cases/chat.json' with { type: 'json' };
import http from '../../fixtures/client-cases/http.json' with { type: 'json' };
import signing from '../../fixtures/client-cases/signing.json' with { type: 'json' };
import sse from '../../fixtures/client-cases/sse.json' with { type: 'json' };
import type { ClientCase } from '../contract/client-case.js';

const files: readonly { readonly cases: readonly unknown[] }[] = [sse, http, chat, signing];

/** The catalogue, as `fixtures/client-cases` holds it. */
export const cases = files.flatMap((file) => file.cases) as readonly ClientCase[];
