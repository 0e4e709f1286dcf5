import type pg from 'pg';
import { z } from 'zod';
import { isObject } from '../../kernel/json.ts';
import { snake } from '../../kernel/names.ts';
import type { RewardsDefinition } from '../../resources/network-rewards/networks/definition.ts';
import {
  definitions,
  type RewardKind,
  type RewardsNetwork,
  rewardKinds,
  rewardRecord,
  rewardsNetworks,
} from '../../resources/network-rewards/record.ts';
import { futureFaults } from '../importer/given-time.ts';
import {
  type Column,
  columnsOf,
  type Faults,
  type ImportCounts,
  type Importer,
  type MergeOptions,
  type RowRules,
  rowChecker,
} from '../importer/importer.ts';
import { mergePlain } from '../merge/plain-table.ts';
import type { PlainTable } from '../merge/staging.ts';

type Row = Record<string, unknown>;

function tableOf(network: RewardsNetwork, kind: RewardKind): PlainTable {
  const scope = kind === 'validator' ? [snake(definitions[network].idField)] : [];
  return {
    name: `${network}_${kind}_rewards`,
    key: ['day', ...scope],
    columns: columnsOf(rewardRecord(network, kind)),
    scope,
    from: `(select * from staged where kind = '${kind}')`,
  };
}

function stagedColumns(network: RewardsNetwork): Column[] {
  const both = rewardKinds.flatMap((kind) => columnsOf(rewardRecord(network, kind)));
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

function* rangeFaults(row: Row): Faults {
  for (const [name, last] of Object.entries(row)) {
    const from = name.replace(/^to(?=[A-Z])/, 'from');
    const first = row[from];
    if (from === name || typeof first !== 'number' || typeof last !== 'number' || first <= last) continue;
    yield [name, `is ${last}, before ${from} ${first}`];
  }
}

// No `replacesWhen`, because a response may contain only a range of days.
function importerOf(network: RewardsNetwork): Importer<Row> {
  const {
    idField,
    countField,
    tidied = (row) => row,
    faults,
    ofRepeated,
  }: RewardsDefinition = definitions[network];
  const rulesOf = (kind: RewardKind): RowRules<Row> => ({
    shape: rewardRecord(network, kind),
    checks: {
      defaults: () => ({}),
      *faults(row) {
        if (kind === 'validator' && faults) yield* faults(row);
        yield* futureFaults('day', row.day as string, Date.parse(row.day as string) / 1000, 'a day');
        yield* rangeFaults(row);
      },
    },
  });
  const rules = { validator: rulesOf('validator'), network: rulesOf('network') };
  const checkOf = ({ shape, checks }: RowRules<Row>) => rowChecker(shape, checks);
  const checks = { validator: checkOf(rules.validator), network: checkOf(rules.network) };
  const neither = z.custom<Row>(
    () => false,
    `has neither ${idField} (rows of validators) nor ${countField} (rows of the network)`,
  );
  const another = z.custom<Row>(() => false, `is of another network; these rows are of ${network}`);
  return {
    resource: `${network}-rewards`,
    shape: rewardRecord(network, 'network').extend(rewardRecord(network, 'validator').shape),
    check: (raw, options) => {
      if (!isObject(raw)) return checks.network(raw, options);
      // only rows of GraphQL have `network`
      if (raw.network !== undefined && String(raw.network).toLowerCase() !== network) {
        return another.safeParse(raw);
      }
      if (idField in raw) return checks.validator(tidied(raw), options);
      return countField in raw ? checks.network(raw, options) : neither.safeParse(raw);
    },
    rulesOf: (fields) => (fields.includes(idField) ? rules.validator : rules.network),
    columns: stagedColumns(network),
    derived: { kind: (row) => (idField in row ? 'validator' : 'network') },
    key: ['kind', `coalesce(${snake(idField)}::text, '')`, 'day'],
    ofRepeated,
    merge: (client, options) => mergeRewards(client, network, options),
  };
}

export const networkRewardImporters = Object.fromEntries(
  rewardsNetworks.map((network) => [`${network}-rewards`, importerOf(network)]),
) as Record<`${RewardsNetwork}-rewards`, Importer<Row>>;
