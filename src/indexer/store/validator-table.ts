import type pg from 'pg';
import { withdrawalAddressOf } from '../../chain/credentials.ts';
import type { Network } from '../../chain/networks.ts';
import { storeOperatorsOfValidators } from '../../ingest/merge/block-operators.ts';
import { addToCounts, countValidators } from '../../ingest/merge/validator-counts.ts';
import type { Registry } from '../chain/types.ts';
import { copyRows } from './binary-copy.ts';
import { applyLabels } from './labels.ts';

const AT_ONCE = 10_000;

const epochOrNull = (epoch: number) => (Number.isFinite(epoch) ? epoch : null);

/** Returns whether any row changed. */
export async function writeValidators(
  client: pg.ClientBase,
  network: Network,
  changed: Uint32Array,
  registry: Registry,
): Promise<boolean> {
  if (changed.length === 0) return false;
  const { rowCount } = await client.query(
    '/* anyValidator */ select from validators where network = $1 limit 1',
    [network],
  );
  if (rowCount === 0) return copyValidators(client, network, changed, registry);
  let written = 0;
  for (let from = 0; from < changed.length; from += AT_ONCE)
    written += await writeSome(client, network, [...changed.subarray(from, from + AT_ONCE)], registry);
  return written > 0;
}

type Before = {
  index: number;
  address: string | null;
  activated: boolean;
  leaving: boolean;
  slashed: boolean;
};

/** Returns the number of changed rows. Citus refuses one statement that reads the rows and changes them. */
async function writeSome(
  client: pg.ClientBase,
  network: Network,
  indices: number[],
  registry: Registry,
): Promise<number> {
  const { rows: stored } = await client.query<Before>(
    `/* storedValidators */
    select validator_index as index, withdrawal_address as address, activation_epoch is not null as activated,
      exit_epoch is not null as leaving, slashed
    from validators where network = $1 and validator_index = any($2::int[])`,
    [network, indices],
  );
  const records = indices.map((index) => registry.record(index));
  const { rows } = await client.query<{ index: number }>(
    `/* writeValidators */
    insert into validators as v (network, validator_index, validator_pubkey, withdrawal_address, activation_epoch,
      exit_epoch, slashed)
    select $1, * from unnest($2::int[], $3::text[], $4::text[], $5::int[], $6::int[], $7::boolean[])
    on conflict (network, validator_index) do update
      set (validator_pubkey, withdrawal_address, activation_epoch, exit_epoch, slashed)
        = (excluded.validator_pubkey, excluded.withdrawal_address, excluded.activation_epoch, excluded.exit_epoch,
          excluded.slashed)
      where (v.validator_pubkey, v.withdrawal_address, v.activation_epoch, v.exit_epoch, v.slashed)
        is distinct from (excluded.validator_pubkey, excluded.withdrawal_address, excluded.activation_epoch,
          excluded.exit_epoch, excluded.slashed)
    returning v.validator_index as index`,
    [
      ...[network, indices, records.map((one) => one.pubkey)],
      records.map((one) => withdrawalAddressOf(one.withdrawalCredentials)),
      ...[
        records.map((one) => epochOrNull(one.activationEpoch)),
        records.map((one) => epochOrNull(one.exitEpoch)),
      ],
      records.map((one) => one.slashed),
    ],
  );
  const before = new Map(stored.map((one) => [one.index, one]));
  const written = rows.map(({ index }) => index);
  const moved = written.filter((index) => {
    const one = before.get(index);
    return !one || one.address !== withdrawalAddressOf(registry.record(index).withdrawalCredentials);
  });
  if (written.length > 0) {
    await storeOperatorsOfValidators(client, network, moved);
    await addToCounts(client, network, [
      ...written.flatMap((index) => before.get(index) ?? []).map((one) => ({ ...one, count: -1 })),
      ...written.map((index) => {
        const { activationEpoch, exitEpoch, slashed } = registry.record(index);
        const [activated, leaving] = [Number.isFinite(activationEpoch), Number.isFinite(exitEpoch)];
        return { activated, leaving, slashed, count: 1 };
      }),
    ]);
  }
  await applyLabels(client, network, moved);
  return written.length;
}

/** The first epoch of an index has two million validators. */
async function copyValidators(
  client: pg.ClientBase,
  network: Network,
  indices: Uint32Array,
  registry: Registry,
): Promise<boolean> {
  const columns = [
    ...['network', 'validator_index', 'validator_pubkey', 'withdrawal_address'],
    ...['activation_epoch', 'exit_epoch', 'slashed'],
  ];
  const name = Buffer.from(network);
  await copyRows(client, `validators (${columns.join(', ')})`, indices.length, (rows, at) => {
    const one = registry.record(indices[at] as number);
    const address = withdrawalAddressOf(one.withdrawalCredentials);
    rows.row(columns.length);
    rows.bytes(name);
    rows.integer(one.index);
    rows.bytes(Buffer.from(one.pubkey));
    rows.optional(address, (text) => rows.bytes(Buffer.from(text)));
    rows.optional(epochOrNull(one.activationEpoch), (epoch) => rows.integer(epoch));
    rows.optional(epochOrNull(one.exitEpoch), (epoch) => rows.integer(epoch));
    rows.boolean(one.slashed);
  });
  await storeOperatorsOfValidators(client, network, indices);
  await countValidators(client, [network]);
  await applyLabels(client, network, [...indices]);
  return true;
}
