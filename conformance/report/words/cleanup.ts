import type { Hindrance } from '../../run/cleanup.js';
import { stopText } from './stop.js';

/** The reason why an intern, or all of them, cannot be deleted. */
export function hindranceText(because: Hindrance): string {
  switch (because.kind) {
    case 'still-there':
      return because.status === undefined ? 'still there' : `still there, status ${because.status}`;
    case 'refused':
      return `${because.request} answered ${because.status}`;
    case 'no-answer':
      return `no answer: ${because.got.kind}: ${because.got.detail}`;
    case 'named-otherwise':
      return `it is named ${JSON.stringify(because.name)}, which this run did not name it`;
    case 'no-list':
      return 'GET /interns answered no list';
    case 'no-last-page':
      return 'GET /interns has no last page';
    case 'too-many': {
      const { retryAfter } = because;
      return `the target refuses for now with 429${retryAfter === undefined ? '' : `, Retry-After ${retryAfter}`}`;
    }
    case 'silent':
      return `the target gives no answer: ${because.got.kind}: ${because.got.detail}`;
    case 'over':
      return stopText(because.stop);
    case 'error':
      return because.message;
  }
}
