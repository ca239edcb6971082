import { createHash } from 'node:crypto';
import { entities, visible } from '../../../emulator/contract/visible.js';
import { SCRIPT, STYLE } from './assets.js';

/** Markup that is safe to join. Only {@link html} and {@link safe} make it. */
export interface Markup {
  readonly markup: string;
}
export type Content = Markup | string | number | undefined | readonly Content[];

const render = (content: Content): string => {
  if (content === undefined) return '';
  if (typeof content === 'string' || typeof content === 'number') return entities(visible(String(content)));
  if ('markup' in content) return content.markup;
  return content.map(render).join('');
};

/** Escapes every value, so that nothing from a target is ever read as markup. */
export const html = (strings: TemplateStringsArray, ...values: Content[]): Markup => ({
  markup: strings.reduce((text, string, at) => text + string + render(values[at]), ''),
});

/** Markup of our own. */
export const safe = (markup: string): Markup => ({ markup });

/** Where JSON, addresses and headers may be broken, so that no word in them is; `page.js` has the same. */
const JOINTS = /(?<=[,:;{}[\]()/=?&.|>])(?=[\w"{[<])|(?=\\)/;

/** Text that may be broken between its parts. */
export const breakable = (text: string): Markup => safe(visible(text).split(JOINTS).map(entities).join('<wbr>'));

/**
 * Markup that becomes part of the page once it is asked for: until then it is text to the browser, which reads it ten times as
 * fast. Every value in it is escaped, so nothing in it ends the element.
 */
export const later = (content: Markup): Markup => html`<script type="text/plain" class="later">${content}</script>`;

/** A command, to be copied whole. */
export const command = (text: string): Markup => html`<pre class="copy">${text}</pre>`;

/** Text as it was sent. The page's script breaks it between its parts once it is seen: all of a report would take seconds. */
export const pre = (text: string, kind = ''): Markup => html`<pre class="${kind}" tabindex="0">${text}</pre>`;

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
