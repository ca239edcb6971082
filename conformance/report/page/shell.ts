import { createHash } from 'node:crypto';
import { SCRIPT, STYLE } from './assets.js';
import { type Content, html, safe } from './markup.js';

const hashOf = (text: string): string => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** The page's own style and script alone, each by its hash. */
const POLICY = [
  "default-src 'none'",
  `style-src ${hashOf(STYLE)}`,
  `script-src ${hashOf(SCRIPT)}`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

/** One page that needs no other file and asks nobody for anything. `verdict` colours its head. */
export const pageOf = (title: string, verdict: string, content: Content): string =>
  html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${title}</title><style>${safe(STYLE)}</style></head><body class="report ${verdict}">
<a class="skip" href="#main">Skip to the content</a>
${content}<script>${safe(SCRIPT)}</script></body></html>
`.markup;
