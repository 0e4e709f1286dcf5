import { brandWithType } from '@pothos/core';
import { Network } from '../../chain/networks.ts';
import { TimeWindow } from '../../chain/windows.ts';
import type { Context } from '../../context.ts';

/**
 * Pothos sets the type of a row too late if a query selects the row twice. Requests share rows, so a row must have only
 * one type.
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

export function networkNumber(id: string): { network: Network; number: number } | undefined {
  const [, name, digits] = /^(\w+):(0|[1-9]\d{0,9})$/.exec(id) ?? [];
  const network = Network.safeParse(name).data;
  const number = Number(digits);
  return network && number < 2 ** 31 ? { network, number } : undefined;
}

export function networkWindow(id: string): { network: Network; window: TimeWindow } | undefined {
  const [, name, length] = /^(\w+):(\w+)$/.exec(id) ?? [];
  const [network, window] = [Network.safeParse(name).data, TimeWindow.safeParse(length).data];
  return network && window && { network, window };
}
