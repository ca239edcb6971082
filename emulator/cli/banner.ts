import type pc from 'picocolors';
import type { Target } from '../index.js';
import type { ListenAt } from '../serving/listening.js';

const CREDENTIALS: readonly [keyof Omit<Target['credentials'], 'intern'>, string][] = [
  ['api_key', 'API key'],
  ['oauth_token', 'OAuth token with vault:read'],
  ['oauth_interns_only_token', 'OAuth token, interns only'],
  ['peer_api_key', 'API key of a colleague'],
  ['foreign_api_key', 'API key of another workspace'],
  ['outsider_api_key', 'API key outside the programme'],
  ['management_key', 'management key'],
];

/** The line on standard output: the console for people, and at its end the base URL for programs. */
export const readyLine = (at: ListenAt): string =>
  `intern-emulator, with its console at ${at.controlUrl}/, is ready at ${at.baseUrl}`;

/** The text at the start: the address, the credentials, and a first request. */
export function banner(target: Target, at: ListenAt, colors: ReturnType<typeof pc.createColors>): string {
  const { credentials } = target;
  const rows: [string, string][] = [
    ['interface', at.baseUrl],
    ['console', `${at.controlUrl}/`],
    ['control', at.controlUrl],
    ['daemons', at.daemonOrigin],
    ...(at.caFile === undefined ? [] : [['authority', at.caFile] as [string, string]]),
    ['clock', target.clock],
    ['profile', target.profile],
    ['workspace', target.workspace_id],
  ];
  for (const [name, label] of CREDENTIALS) {
    const value = credentials[name];
    if (value !== undefined) rows.push([label, value]);
  }
  if (credentials.intern)
    rows.push(['intern', credentials.intern.id], ['API key of the intern', credentials.intern.api_key]);
  const width = Math.max(...rows.map(([label]) => label.length));
  const table = rows.map(([label, value]) => `  ${colors.dim(label.padEnd(width))}  ${value}`).join('\n');
  const curl = `curl${at.caFile === undefined ? '' : ` --cacert ${at.caFile}`} -H 'Authorization: Bearer ${credentials.api_key}' ${at.baseUrl}/interns`;
  return `\n${table}\n\n  Try: ${colors.cyan(curl)}\n\n`;
}
