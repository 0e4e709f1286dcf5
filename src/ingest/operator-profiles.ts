import type pg from 'pg';
import { z } from 'zod';
import { Network } from '../chain/networks.ts';
import { raisedRevision } from '../db/changes/revisions.ts';
import { decode } from '../kernel/decode.ts';
import { text } from '../kernel/leaves.ts';
import { normaliseId, OperatorTag } from '../resources/operators/record.ts';
import { type ImportCounts, type Importer, isObject, type MergeOptions } from './importer.ts';
import {
  checkParents,
  checkPoolType,
  parentsOf,
  poolTypeByTags,
  ToldPoolType,
  tagShown,
} from './operator-tags.ts';
import { type ListOf, rankLists } from './operators.ts';
import { mergePlain, type PlainTable } from './plain-table.ts';

/** Types that a refresh computes. */
export const computedTypes = [
  'depositAddress',
  'withdrawalAddress',
  'nodeOperator',
  'pool',
  'poolShare',
  'validator',
] as const;

const Shape = z.object({
  network: Network,
  id: text(256).min(1),
  idType: z.enum(computedTypes),
  operatorTags: z.array(OperatorTag),
  displayName: text().nullable(),
  poolId: text(256).nullable(),
  nodeOperatorId: text(256).nullable(),
  poolType: ToldPoolType,
});
const ImportedProfile = Shape.superRefine((row, context) => {
  checkParents(row, context);
  checkPoolType(row, context);
  if (row.idType !== 'poolShare') return;
  for (const [path, value] of Object.entries(parentsOf(row))) {
    if (value !== null) continue;
    const message = 'is needed for a pool share, as a field or as a tag with that idType';
    context.addIssue({ code: 'custom', path: [path], message });
  }
});
type ImportedProfile = z.infer<typeof ImportedProfile>;

const key = ['network', 'id_type', 'operator_id'];
const table: PlainTable = {
  name: 'operator_profiles',
  key,
  columns: [
    { name: 'network', type: 'text' },
    { name: 'id_type', type: 'text' },
    { name: 'operator_id', type: 'text' },
    { name: 'operator_tags', type: 'json' },
    { name: 'display_name', type: 'text' },
    { name: 'pool_id', type: 'text' },
    { name: 'node_operator_id', type: 'text' },
    { name: 'pool_type', type: 'text' },
  ],
  scope: ['network', 'id_type'],
};

async function profiledTypes(client: pg.ClientBase): Promise<Map<string, string[]>> {
  const { rows } = await client.query(
    `/* profiledPoolTypes */ select network, operator_id, pool_type from operator_profiles
    where id_type = 'pool' and pool_type is not null`,
  );
  return new Map(
    rows.map((row) => [JSON.stringify(row), [row.network, row.operator_id, row.pool_type] as string[]]),
  );
}

async function mergeProfiles(client: pg.ClientBase, options: MergeOptions): Promise<ImportCounts> {
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
  // Raising the revision makes this wait for a concurrent import of operators.
  if (lists.length > 0) await rankLists(client, lists, await raisedRevision(client, 'operators')());
  return counts;
}

// No `replacesWhen`: a file may hold any selection.
export const operatorProfileImporter: Importer<ImportedProfile> = {
  resource: 'operator-profiles',
  shape: Shape,
  check: (raw, { network, idType }) => {
    const given = isObject(raw) ? { network, operatorTags: [], ...(idType ? { idType } : {}), ...raw } : raw;
    return ImportedProfile.safeParse(decode(Shape, given));
  },
  columns: table.columns,
  stored: (row) => {
    const { poolId, nodeOperatorId } = parentsOf(row);
    return {
      network: row.network,
      id_type: row.idType,
      operator_id: normaliseId(row.id),
      operator_tags: row.operatorTags.map(tagShown),
      display_name: row.displayName,
      pool_id: poolId,
      node_operator_id: nodeOperatorId,
      // names of known pools apply only if neither profile nor summary has a type
      pool_type: row.idType === 'pool' ? (row.poolType ?? poolTypeByTags(row.operatorTags)) : null,
    };
  },
  key,
  // Only pool shares can conflict: other rows have nulls.
  unique: {
    table: 'operator_profiles',
    key,
    columns: ['network', 'pool_id', 'node_operator_id'],
    field: 'nodeOperatorId',
  },
  merge: mergeProfiles,
};
