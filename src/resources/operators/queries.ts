import { z } from 'zod';
import { Network } from '../../chain/networks.ts';
import type { TimeWindow } from '../../chain/windows.ts';
import type { Queryable } from '../../db/pool.ts';
import { pagesByRank, type RankedRows, summariesByKey } from '../../db/ranked/ranked-lists.ts';
import { type Fields, rows, sql } from '../../db/rows.ts';
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

const fields: Fields<OperatorField | 'network'> = {
  network: sql`s.network`,
  id: sql`s.operator_id`,
  idType: sql`s.id_type`,
  timeWindow: sql`s.time_window`,
  validatorCount: sql`s.validator_count`,
  avgCorrectness: sql`s.avg_correctness`,
  avgInclusionDelay: sql`s.avg_inclusion_delay`,
  avgUptime: sql`s.avg_uptime`,
  avgValidatorEffectiveness: sql`s.avg_validator_effectiveness`,
  clientPercentages: sql`s.client_percentages`,
  networkPenetration: sql`s.network_penetration`,
  relayerPercentages: sql`s.relayer_percentages`,
  nodeOperatorCount: sql`s.node_operator_count`,
  operatorTags: sql`s.operator_tags`,
  displayName: sql`s.display_name`,
  aprPercentage: sql`s.apr_percentage`,
  sumEndEpochBalance: sql`s.sum_end_epoch_balance::text`,
  sumEndEpochEffectiveBalance: sql`s.sum_end_epoch_effective_balance::text`,
};

const summaries: RankedRows = {
  record: OperatorSummary.extend({ network: Network }),
  fields,
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
