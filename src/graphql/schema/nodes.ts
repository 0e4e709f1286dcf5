import {
  brandWithType,
  type InterfaceParam,
  type MaybePromise,
  type ObjectFieldsShape,
  type ObjectRef,
} from '@pothos/core';
import { Network } from '../../chain/networks.ts';
import { TimeWindow } from '../../chain/windows.ts';
import type { Context } from '../../context.ts';
import { builder, type Schema } from './builder.ts';

type Node<Row extends object> = {
  description: string;
  interfaces?: InterfaceParam<Schema>[];
  /** Text of the global id, which `load` reads. */
  id: (row: Row) => string;
  idDescription?: string;
  load: (id: string, ctx: Context) => MaybePromise<Row | null | undefined>;
  fields: ObjectFieldsShape<Schema, Row>;
};

/**
 * Implements a type with a global id. Pothos would set the type of a row too late if a query selects the row twice.
 * Requests share rows, so a row must have only one type.
 */
export function node<Row extends object>(
  type: ObjectRef<Schema, Row>,
  { id, idDescription, load, ...options }: Node<Row>,
): void {
  const loadOne = async (text: string, ctx: Context) => {
    const row = await load(text, ctx);
    if (!row) return null;
    brandWithType(row, type.name as never);
    return row;
  };
  builder.node(type, {
    ...options,
    id: { resolve: id, ...(idDescription && { description: idDescription }) },
    loadMany: (ids: string[], ctx: Context) => Promise.all(ids.map((text) => loadOne(text, ctx))),
  } as never);
}

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
