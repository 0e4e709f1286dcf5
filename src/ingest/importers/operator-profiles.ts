import type pg from 'pg';
import { z } from 'zod';
import { Network, networks } from '../../chain/networks.ts';
import { raisedRevision } from '../../db/changes/revisions.ts';
import { memberClasses } from '../../db/operator-members.ts';
import * as Leaf from '../../kernel/leaves.ts';
import { normaliseId, OperatorTag } from '../../resources/operators/record.ts';
import type { Faults, ImportCounts, MergeOptions } from '../importer/importer.ts';
import { mergePlain, plainImporter } from '../merge/plain-table.ts';
import type { PlainTable } from '../merge/staging.ts';
import {
  ImportedPoolType,
  parentFaults,
  parentsOf,
  poolTypeByTags,
  poolTypeFaults,
  tagShown,
} from './operator-tags.ts';
import { type ListOf, rankLists } from './operators.ts';

export const computedTypes = [...memberClasses, 'validator'] as const;

const Shape = z.object({
  network: Network,
  id: Leaf.text(256).min(1),
  idType: z.enum(computedTypes),
  operatorTags: z.array(OperatorTag),
  displayName: Leaf.text().nullable(),
  poolId: Leaf.text(256).nullable(),
  nodeOperatorId: Leaf.text(256).nullable(),
  poolType: ImportedPoolType,
});
type ImportedProfile = z.infer<typeof Shape>;

function faultsOf(row: ImportedProfile): Faults {
  if (row.idType !== 'poolShare') return poolTypeFaults(row);
  const missing = Object.entries(parentsOf(row)).filter(([, id]) => id === null);
  const needed = 'is needed for a pool share, as a field or as a tag with that idType';
  return [
    ...parentFaults(row),
    ...poolTypeFaults(row),
    ...missing.map(([field]) => [field, needed] as const),
  ];
}

async function profiledTypes(client: pg.ClientBase): Promise<Map<string, string[]>> {
  const { rows } = await client.query(
    `/* profiledPoolTypes */ select network, operator_id, pool_type from operator_profiles
    where network = any($1::text[]) and id_type = 'pool' and pool_type is not null`,
    [networks],
  );
  return new Map(
    rows.map((row) => [JSON.stringify(row), [row.network, row.operator_id, row.pool_type] as string[]]),
  );
}

async function mergeProfiles(
  client: pg.ClientBase,
  table: PlainTable,
  options: MergeOptions,
): Promise<ImportCounts> {
  const before = await profiledTypes(client);
  const counts = await mergePlain(client, table, options);
  const after = await profiledTypes(client);
  const changed = [...before, ...after].filter(([key]) => !(before.has(key) && after.has(key)));
  if (changed.length === 0) return counts;
  const pools = changed.map(([, pool]) => pool);
  const { rows: lists } = await client.query<ListOf>(
    `/* listsOfPools */
    select distinct network, 'pool' as id_type, time_window from operator_summaries
    where not superseded and (
      id_type = 'pool' and (network, operator_id) in (select * from unnest($1::text[], $2::text[]))
      or id_type = 'poolShare' and (network, pool_id) in (select * from unnest($1::text[], $2::text[])))`,
    [pools.map(([network]) => network), pools.map(([, id]) => id)],
  );
  // `raisedRevision` waits until a concurrent import of operators ends.
  if (lists.length > 0) await rankLists(client, lists, await raisedRevision(client, 'operators')());
  return counts;
}

export const operatorProfileImporter = plainImporter({
  resource: 'operator-profiles',
  shape: Shape,
  key: ['network', 'id_type', 'operator_id'],
  scope: ['network', 'id_type'],
  columns: Shape.omit({ id: true }).extend({ operatorId: Shape.shape.id }),
  derived: {
    poolId: (row) => parentsOf(row).poolId,
    nodeOperatorId: (row) => parentsOf(row).nodeOperatorId,
    operatorId: (row) => normaliseId(row.id),
    operatorTags: (row) => row.operatorTags.map(tagShown),
    // not derived from the pool's name, because that type would override the summary's type
    poolType: (row) => (row.idType === 'pool' ? (row.poolType ?? poolTypeByTags(row.operatorTags)) : null),
  },
  // Only pool shares can conflict, because other rows have nulls in these columns.
  unique: { columns: ['network', 'pool_id', 'node_operator_id'], field: 'nodeOperatorId' },
  defaults: ({ network, idType }) => ({ network, operatorTags: [], idType }),
  faults: faultsOf,
  merge: mergeProfiles,
});
