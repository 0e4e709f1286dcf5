import { z } from 'zod';
import { Network } from '../chain/networks.ts';
import { decode } from '../kernel/decode.ts';
import { text } from '../kernel/leaves.ts';
import { normaliseId } from '../resources/operators/record.ts';
import { type Importer, isObject } from './importer.ts';
import { ImportedTag, parentsOf, poolTypeOf, tagShown } from './operators.ts';
import { mergePlain, type PlainTable } from './plain-table.ts';

/** The classes of operator that a refresh computes from the days of validators. */
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
  operatorTags: z.array(ImportedTag),
  displayName: text().nullable(),
  poolId: text(256).nullable(),
  nodeOperatorId: text(256).nullable(),
});
const ImportedProfile = Shape.superRefine((row, context) => {
  if (row.idType !== 'poolShare') return;
  for (const [path, value] of Object.entries(parentsOf(row))) {
    if (value !== null) continue;
    const message = 'is needed of a pool share, or a tag with that idType';
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

// A file of one pool's shares, or of those somebody cared to name, is not all of them: it removes nothing by itself.
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
      pool_type: poolTypeOf(row),
    };
  },
  key,
  // Rows without pool and node operator are not compared: this is of pool shares.
  unique: {
    table: 'operator_profiles',
    key,
    columns: ['network', 'pool_id', 'node_operator_id'],
    field: 'nodeOperatorId',
  },
  merge: (client, options) => mergePlain(client, table, options),
};
