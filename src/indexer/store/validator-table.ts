import type pg from 'pg';
import { withdrawalAddressOf } from '../../chain/credentials.ts';
import type { Network } from '../../chain/networks.ts';
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
  for (let from = 0; from < changed.length; from += AT_ONCE) {
    const indices = [...changed.subarray(from, from + AT_ONCE)];
    const records = indices.map((index) => registry.record(index));
    const { rows } = await client.query<{ validator_index: number; moved: boolean }>(
      `/* writeValidators */
      with given as (
        select * from unnest($2::int[], $3::text[], $4::text[], $5::int[], $6::int[], $7::boolean[])
          as g (validator_index, pubkey, address, activation, exit, slashed)
      ), before as (
        select v.validator_index, v.withdrawal_address from validators v
        where v.network = $1 and v.validator_index = any($2::int[])
      ), written as (
        insert into validators as v (network, validator_index, validator_pubkey, withdrawal_address, activation_epoch,
          exit_epoch, slashed)
        select $1, * from given
        on conflict (network, validator_index) do update
          set (validator_pubkey, withdrawal_address, activation_epoch, exit_epoch, slashed)
            = (excluded.validator_pubkey, excluded.withdrawal_address, excluded.activation_epoch, excluded.exit_epoch,
              excluded.slashed)
          where (v.validator_pubkey, v.withdrawal_address, v.activation_epoch, v.exit_epoch, v.slashed)
            is distinct from (excluded.validator_pubkey, excluded.withdrawal_address, excluded.activation_epoch,
              excluded.exit_epoch, excluded.slashed)
        returning v.validator_index, v.withdrawal_address
      )
      select w.validator_index,
        b.validator_index is null or b.withdrawal_address is distinct from w.withdrawal_address as moved
      from written w left join before b using (validator_index)`,
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
    written += rows.length;
    const moved = rows.filter((row) => row.moved).map((row) => row.validator_index);
    await applyLabels(client, network, moved);
  }
  return written > 0;
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
  await applyLabels(client, network, [...indices]);
  return true;
}
