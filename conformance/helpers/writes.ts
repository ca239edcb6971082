import type { Ctx } from '../framework/context.js';
import * as expect from '../framework/expect.js';
import type { As } from '../probe/request.js';
import { type Operation, operation } from './operations.js';

/** An operation that reads a body, and how to send it an accepted one. */
export interface Write {
  readonly row: Operation;
  readonly as: As;
  /** Statuses of an accepted body. */
  readonly accepted: readonly number[];
  /** The path to send to, of a fresh intern if the operation uses one up. */
  path(): Promise<string>;
  body(): Record<string, unknown>;
}

/** Those that the interface names for the cap and the media type: create, update, delete and sign. */
export function writes({ interns }: Pick<Ctx, 'interns'>): Write[] {
  const on = async (name: string) => operation(name).path((await interns.stopped()).id);
  return [
    {
      row: operation('create'),
      as: 'api_key',
      accepted: expect.ACCEPTED,
      path: async () => '/interns',
      body: () => interns.body(),
    },
    {
      row: operation('update'),
      as: 'api_key',
      accepted: expect.ACCEPTED,
      path: () => on('update'),
      body: () => ({ description: 'sent' }),
    },
    {
      row: operation('delete'),
      as: 'api_key',
      accepted: expect.ACCEPTED,
      path: () => on('delete'),
      body: () => ({ acknowledge_workspace_loss: true }),
    },
  ];
}
