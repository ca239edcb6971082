import { describe, expect, test } from 'vitest';
import { ERRORS_AS_MET } from './errors.js';
import { found, met, watchOf } from './met.harness.js';

const NOT_FOUND = { code: 404, message: 'Intern not found', metadata: { reason: 'not_found', retryable: false } };
const SIGN = '/interns/own-1/daemon/sign';
const seen = (...given: Parameters<typeof met>) => found(watchOf(ERRORS_AS_MET, 'as-met/errors'), met(...given));
const { metadata: _, ...bare } = NOT_FOUND;

describe('nothing is held against', () => {
  test.each<[string, Parameters<typeof met>]>([
    ['an error in its envelope', ['PATCH', '/interns/own-1', 404, { error: NOT_FOUND }]],
    ['a 401 without metadata', ['GET', '/interns', 401, { error: { code: 401, message: 'No' } }]],
    [
      'an error without metadata where no catalogue states it',
      ['POST', '/interns', 415, { error: { ...bare, code: 415 } }],
    ],
    [
      'an error of SCIM',
      ['GET', '/scim/group-mappings/{id}', 404, { error: { ...bare, message: 'Resource not found' } }],
    ],
    ['a page of a gateway', ['POST', '/interns/own-1/suspend', 502]],
    ['a page of a firewall', ['PATCH', '/interns/own-1', 403]],
    ['a success', ['GET', '/interns/own-1', 200, {}]],
    ['a path that is no operation', ['GET', '/interns/own-1/nothing', 404]],
    [
      'a limiter of its own before signing',
      ['POST', SIGN, 429, { error: { code: 429, message: 'Slow', metadata: { reason: 'slow', retryable: true } } }],
    ],
  ])('%s', (_, given) => expect(seen(...given)).toEqual([]));
});

describe('is found', () => {
  test.each<[string, Parameters<typeof met>, string]>([
    ['no JSON', ['POST', '/interns/own-1/suspend', 404], 'body of a 404 of POST /interns/{internId}/suspend'],
    [
      'another code',
      ['POST', '/interns', 404, { error: { ...NOT_FOUND, code: '404' } }],
      'error.code of a 404 of POST /interns',
    ],
    [
      'no message',
      ['POST', '/interns', 404, { error: { ...NOT_FOUND, message: '' } }],
      'error.message of a 404 of POST /interns',
    ],
    [
      'no metadata in signing',
      ['POST', SIGN, 404, { error: bare }],
      'error.metadata of a 404 of POST /interns/{internId}/daemon/sign',
    ],
    [
      'metadata without retryable',
      ['GET', '/interns/x', 404, { error: { ...NOT_FOUND, metadata: { reason: 'not_found' } } }],
      'error.metadata.retryable of a 404 of GET /interns/{internId}',
    ],
    [
      'metadata where it must be absent',
      ['POST', SIGN, 401, { error: { ...NOT_FOUND, code: 401 } }],
      'error of a 401 of POST /interns/{internId}/daemon/sign',
    ],
    [
      'another message in signing',
      ['POST', SIGN, 404, { error: { ...NOT_FOUND, message: 'Gone' } }],
      'error.message of a 404 of POST /interns/{internId}/daemon/sign',
    ],
    [
      'another message of SCIM',
      ['GET', '/scim/group-mappings/{id}', 404, { error: bare }],
      'error.message of a 404 of GET /scim/group-mappings/{id}',
    ],
    [
      'another message where a key is missing',
      ['POST', SIGN, 401, { error: { code: 401, message: 'No' } }, { as: null }],
      'error.message of a 401 of POST /interns/{internId}/daemon/sign',
    ],
    [
      'another reason in signing',
      ['POST', SIGN, 404, { error: { ...NOT_FOUND, metadata: { reason: 'no', retryable: false } } }],
      'error.metadata.reason of a 404 of POST /interns/{internId}/daemon/sign',
    ],
  ])('%s', (_, given, of) => expect(seen(...given)).toEqual([of]));
});
