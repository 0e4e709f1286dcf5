import { z } from 'zod';
import { Network } from '../../chain/networks.ts';
import type { TimeWindow } from '../../chain/windows.ts';
import type { Queryable } from '../../db/pool.ts';
import { pagesByRank, type RankedRows, summariesByKey } from '../../db/ranked/ranked-lists.ts';
import { recordColumns } from '../../db/record-columns.ts';
import { rows, sql } from '../../db/rows.ts';
import { type IdType, type OperatorField, OperatorSummary } from './record.ts';

export type OperatorKey = { network: Network; idType: IdType; timeWindow: TimeWindow; id: string };

/** A stored list. `parentType` and `parentId` are '' without a parent. */
export type ListKey = {
  network: Network;
  idType: IdType;
  timeWindow: TimeWindow;
  poolType: string;
  parentType: '' | 'any' | 'pool' | 'nodeOperator';
  parentId: string;
};

/** The selected fields and the key. */
export type OperatorRow = Partial<OperatorSummary> & OperatorKey;
export type RankedOperatorRow = OperatorRow & { rank: number };

const record = OperatorSummary.extend({ network: Network });

const summaries: RankedRows = {
  record,
  fields: { ...recordColumns(record, 's'), id: sql`s.operator_id` },
  keys: ['network', 'id', 'idType', 'timeWindow'],
};

export const operatorPages = pagesByRank<ListKey, OperatorField, RankedOperatorRow>({
  statement: 'operatorPages',
  name: 'operator',
  columns: {
    network: ['text', 'network'],
    parent_id: ['text', 'parentId'],
    parent_type: ['text', 'parentType'],
    id_type: ['text', 'idType'],
    time_window: ['text', 'timeWindow'],
    pool_type: ['text', 'poolType'],
  },
  rows: summaries,
});

export const operatorsByKey = summariesByKey<OperatorKey, OperatorField, OperatorRow>({
  statement: 'operatorsByKey',
  table: 'operator_summaries',
  columns: {
    network: ['text', 'network'],
    operator_id: ['text', 'id'],
    id_type: ['text', 'idType'],
    time_window: ['text', 'timeWindow'],
  },
  rows: summaries,
});

/**
 * An entity exists if it has summaries in any window, validators, or attestations in any period. Its lists may still be
 * empty (decisions §1).
 */
export async function entityExists(
  db: Queryable,
  network: Network,
  id: string,
  classes: readonly IdType[],
): Promise<boolean> {
  const isOne = sql`network = ${network} and id_type = any(${[...classes]}::text[])`;
  const found = await rows(
    db,
    z.object({ yes: z.boolean() }),
    sql`/* entityExists */
    select exists (select from operator_summaries where ${isOne} and operator_id = ${id} and not superseded)
      or exists (select from operator_validators where ${isOne} and operator_id = ${id} and share_of = '')
      or exists (select from attestation_entities where ${isOne} and entity_id = ${id}) as yes`,
  );
  return found[0]?.yes === true;
}
