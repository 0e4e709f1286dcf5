import type pg from 'pg';
import { z } from 'zod';
import { decode } from '../kernel/decode.ts';
import { snake } from '../kernel/names.ts';
import type { RewardsDefinition } from '../resources/network-rewards/networks/definition.ts';
import {
  definitions,
  type RewardKind,
  type RewardsNetwork,
  recordOf,
  rewardKinds,
  rewardsNetworks,
} from '../resources/network-rewards/record.ts';
import { futureFault } from './given-time.ts';
import {
  columnsOf,
  type ImportCounts,
  type Importer,
  isObject,
  type MergeOptions,
  snakeCased,
} from './importer.ts';
import { mergePlain, type PlainTable } from './plain-table.ts';
import type { Column } from './staging.ts';

export type ImportedReward = { kind: RewardKind; row: Record<string, unknown> };

function tableOf(network: RewardsNetwork, kind: RewardKind): PlainTable {
  const scope = kind === 'validator' ? [snake(definitions[network].idField)] : [];
  return {
    name: `${network}_${kind}_rewards`,
    key: [...scope, 'day'],
    columns: columnsOf(recordOf(network, kind)),
    scope,
    from: `(select * from staged where kind = '${kind}')`,
  };
}

/** Columns of both kinds: one file may hold both. */
function stagedColumns(network: RewardsNetwork): Column[] {
  const both = rewardKinds.flatMap((kind) => columnsOf(recordOf(network, kind)));
  const named = new Map(both.map((column) => [column.name, column]));
  return [{ name: 'kind', type: 'text' }, ...named.values()];
}

async function mergeRewards(
  client: pg.ClientBase,
  network: RewardsNetwork,
  options: MergeOptions,
): Promise<ImportCounts> {
  const counts = { inserted: 0, updated: 0, removed: 0 };
  for (const kind of rewardKinds) {
    const merged = await mergePlain(client, tableOf(network, kind), options);
    for (const name of ['inserted', 'updated', 'removed'] as const) counts[name] += merged[name];
  }
  return counts;
}

function checkDay({ day }: Record<string, unknown>, context: z.RefinementCtx) {
  const future = futureFault(day as string, Date.parse(day as string) / 1000, 'a day');
  if (future) context.addIssue({ code: 'custom', path: ['day'], message: future });
}

/** Checks the order of pairs such as `fromBlockNumber` and `toBlockNumber`. */
function checkRanges(row: Record<string, unknown>, context: z.RefinementCtx) {
  for (const [name, last] of Object.entries(row)) {
    const from = name.replace(/^to(?=[A-Z])/, 'from');
    const first = row[from];
    if (from === name || typeof first !== 'number' || typeof last !== 'number' || first <= last) continue;
    context.addIssue({ code: 'custom', path: [name], message: `is ${last}, before ${from} ${first}` });
  }
}

// No `replacesWhen`: responses may be limited to a range of days.
function importerOf(network: RewardsNetwork): Importer<ImportedReward> {
  const { idField, countField, tidied = (row) => row, faults }: RewardsDefinition = definitions[network];
  const checkOwn = (row: Record<string, unknown>, context: z.RefinementCtx) => {
    for (const [field, message] of faults?.(row) ?? [])
      context.addIssue({ code: 'custom', path: [field], message });
  };
  const checkOf = (kind: RewardKind) =>
    recordOf(network, kind)
      .superRefine(kind === 'validator' ? checkOwn : () => undefined)
      .superRefine(checkDay)
      .superRefine(checkRanges)
      .transform((row) => ({ kind, row }));
  const checks = { validator: checkOf('validator'), network: checkOf('network') };
  const neither = z.custom<ImportedReward>(
    () => false,
    `has neither ${idField} (rows of validators) nor ${countField} (rows of the network)`,
  );
  const another = z.custom<ImportedReward>(
    () => false,
    `is of another network; these rows are of ${network}`,
  );
  return {
    resource: `${network}-rewards`,
    shape: recordOf(network, 'network').extend(recordOf(network, 'validator').shape),
    check: (raw) => {
      if (!isObject(raw)) return checks.network.safeParse(raw);
      // only GraphQL rows have this field
      if (raw.network !== undefined && String(raw.network).toLowerCase() !== network) {
        return another.safeParse(raw);
      }
      const kind = idField in raw ? 'validator' : countField in raw ? 'network' : undefined;
      if (!kind) return neither.safeParse(raw);
      return checks[kind].safeParse(
        decode(recordOf(network, kind), kind === 'validator' ? tidied(raw) : raw),
      );
    },
    columns: stagedColumns(network),
    stored: ({ kind, row }) => ({ kind, ...snakeCased(row) }),
    key: ['kind', `coalesce(${snake(idField)}::text, '')`, 'day'],
    merge: (client, options) => mergeRewards(client, network, options),
  };
}

/** One importer per network: REST rows do not name theirs. */
export const networkRewardImporters = Object.fromEntries(
  rewardsNetworks.map((network) => [`${network}-rewards`, importerOf(network)]),
) as Record<`${RewardsNetwork}-rewards`, Importer<ImportedReward>>;
