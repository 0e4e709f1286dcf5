import { brandWithType } from '@pothos/core';
import { Network } from '../../chain/networks.ts';
import type { Context } from '../../context.ts';

/**
 * How a type finds its objects by the inner part of their global ids. They are marked with the type as they are found:
 * Pothos does so later, which is too late for an object that one query asks for at two places. A row can be of one type
 * alone, since it may be in the hands of other requests too.
 */
export const loadNodes =
  <Row extends object>(type: string, load: (id: string, ctx: Context) => Promise<Row | null | undefined>) =>
  (ids: readonly string[], ctx: Context): Promise<(Row | null)[]> =>
    Promise.all(
      ids.map(async (id) => {
        const row = await load(id, ctx);
        if (!row) return null;
        brandWithType(row, type as never);
        return row;
      }),
    );

/** The inner part of the global id of what is numbered on a network, such as a slot, read: undefined for another text. */
export function networkNumber(id: string): { network: Network; number: number } | undefined {
  const [, name, digits] = /^(\w+):(0|[1-9]\d{0,9})$/.exec(id) ?? [];
  const network = Network.safeParse(name).data;
  const number = Number(digits);
  return network && number < 2 ** 31 ? { network, number } : undefined;
}
