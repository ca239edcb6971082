import type { KoaContextWithOIDC } from 'oidc-provider';
import { makeInert } from '../contract/inert.js';
import { PAGE_POLICY } from './pages.js';

/** Gives the provider's pages their policy, before they add to it. Other answers are inert as everywhere. */
export async function ownPolicy(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  ctx.set('content-security-policy', PAGE_POLICY);
  await next();
  if (ctx.response.is('html') !== 'html') makeInert({ set: (name, value) => ctx.set(name, value) });
}
