import type pg from 'pg';
import { z } from 'zod';
import { decode } from '../kernel/decode.ts';
import { leafKind } from '../kernel/leaves.ts';
import {
  definitions,
  fieldsOf,
  type RewardKind,
  type RewardsNetwork,
  recordOf,
  rewardKinds,
  rewardsNetworks,
} from '../resources/network-rewards/record.ts';
import { type ImportCounts, type Importer, isObject } from './importer.ts';

/** A day of a validator, or of its network as a whole, in the fields of its record. */
export type ImportedReward = { kind: RewardKind; row: Record<string, unknown> };

const sqlTypes: Record<string, string> = { Int: 'integer', Decimal: 'numeric', Date: 'date', String: 'text' };
const column = (field: string) => field.replace(/[A-Z]/g, '_$&').toLowerCase();
const keyOf = (network: RewardsNetwork, kind: RewardKind) =>
  kind === 'validator' ? [definitions[network].idField, 'day'] : ['day'];

/** The names and SQL types of a record as rows of JSON, and the table that they go to. */
function shapeOf(network: RewardsNetwork, kind: RewardKind) {
  const typeOf = (field: string) => {
    const type = leafKind(recordOf(network, kind).shape[field] as z.ZodType);
    return type ? sqlTypes[type] : 'text[]';
  };
  const fields = fieldsOf(network, kind);
  return {
    table: `${network}_${kind}_rewards`,
    fields,
    rows: `jsonb_to_recordset($1::jsonb) as r (${fields.map((field) => `"${field}" ${typeOf(field)}`).join(', ')})`,
  };
}

/** Every table of daily rewards. */
export const rewardTables = rewardsNetworks.flatMap((network) =>
  rewardKinds.map((kind) => `${network}_${kind}_rewards`),
);

function upsert(network: RewardsNetwork, kind: RewardKind): string {
  const { table, fields, rows } = shapeOf(network, kind);
  const key = keyOf(network, kind);
  const others = fields.filter((field) => !key.includes(field)).map(column);
  return `/* importNetworkRewards */
  with written as (
    insert into ${table} (${fields.map(column).join(', ')})
    select ${fields.map((field) => `"${field}"`).join(', ')} from ${rows}
    on conflict (${key.map(column).join(', ')}) do update
      set ${others.map((name) => `${name} = excluded.${name}`).join(', ')}
    returning (xmax = 0) as fresh
  )
  select count(*) filter (where fresh)::int as inserted, count(*) filter (where not fresh)::int as updated
  from written`;
}

/** Removes the days of the same lists, those of each validator or of the network, that the rows do not hold. */
async function removeAbsent(
  client: pg.ClientBase,
  network: RewardsNetwork,
  kind: RewardKind,
  rows: readonly object[],
): Promise<number> {
  const { table, rows: given } = shapeOf(network, kind);
  const id = kind === 'validator' ? definitions[network].idField : undefined;
  const removed = await client.query(
    `/* removeAbsentNetworkRewards */
    with given as materialized (select * from ${given})
    delete from ${table} t
    where ${id ? `t.${column(id)} in (select "${id}" from given)` : 'true'} and not exists (
      select from given g where g.day = t.day ${id ? `and g."${id}" = t.${column(id)}` : ''}
    )`,
    [JSON.stringify(rows)],
  );
  return removed.rowCount ?? 0;
}

const BATCH = 1_000;

/** Writes days of a network and of its validators in the client's transaction. */
export async function writeNetworkRewards(
  client: pg.ClientBase,
  network: RewardsNetwork,
  rewards: readonly ImportedReward[],
  options: { replace: boolean; onProgress?: ((done: number) => void) | undefined },
): Promise<ImportCounts> {
  await client.query(`select pg_advisory_xact_lock(hashtext('stakegraph network rewards ' || $1))`, [
    network,
  ]);
  const counts = { inserted: 0, updated: 0, removed: 0 };
  let done = 0;
  for (const kind of rewardKinds) {
    const rows = rewards.filter((reward) => reward.kind === kind).map((reward) => reward.row);
    for (let start = 0; start < rows.length; start += BATCH) {
      const part = rows.slice(start, start + BATCH);
      const { rows: written } = await client.query(upsert(network, kind), [JSON.stringify(part)]);
      counts.inserted += written[0]?.inserted ?? 0;
      counts.updated += written[0]?.updated ?? 0;
      options.onProgress?.((done += part.length));
    }
    if (options.replace && rows.length > 0) counts.removed += await removeAbsent(client, network, kind, rows);
  }
  return counts;
}

/** Ranges in a row do not end before they begin: `fromBlockNumber` and `toBlockNumber`, and the like. */
function checkRanges(row: Record<string, unknown>, context: z.RefinementCtx) {
  for (const [name, last] of Object.entries(row)) {
    const from = name.replace(/^to(?=[A-Z])/, 'from');
    const first = row[from];
    if (from === name || typeof first !== 'number' || typeof last !== 'number' || first <= last) continue;
    context.addIssue({ code: 'custom', path: [name], message: `is ${last}, before ${from} ${first}` });
  }
}

function importerOf(network: RewardsNetwork): Importer<ImportedReward> {
  const { idField, countField } = definitions[network];
  const checkOf = (kind: RewardKind) =>
    recordOf(network, kind)
      .superRefine(checkRanges)
      .transform((row) => ({ kind, row }));
  const checks = { validator: checkOf('validator'), network: checkOf('network') };
  const neither = z.custom<ImportedReward>(
    () => false,
    `has neither ${idField}, as a validator's row has, nor ${countField}, as one of the network`,
  );
  const another = z.custom<ImportedReward>(
    () => false,
    `is of another network; these rows are of ${network}`,
  );
  return {
    resource: `${network}-rewards`,
    check: (raw) => {
      if (!isObject(raw)) return checks.network.safeParse(raw);
      // GraphQL rows name their network
      if (raw.network !== undefined && String(raw.network).toLowerCase() !== network) {
        return another.safeParse(raw);
      }
      const kind = idField in raw ? 'validator' : countField in raw ? 'network' : undefined;
      if (!kind) return neither.safeParse(raw);
      return checks[kind].safeParse(decode(recordOf(network, kind), raw));
    },
    key: ({ kind, row }) => `${kind}:${keyOf(network, kind).map((field) => row[field])}`,
    write: (client, rows, options) => writeNetworkRewards(client, network, rows, options),
    // A body may be narrowed to a range of days: it removes nothing by itself.
    replacesBy: () => false,
  };
}

/** An importer for each network: its rows do not say which it is. */
export const networkRewardImporters = Object.fromEntries(
  rewardsNetworks.map((network) => [`${network}-rewards`, importerOf(network)]),
) as Record<`${RewardsNetwork}-rewards`, Importer<ImportedReward>>;
