import type pg from 'pg';
import { withdrawalAddressOf } from '../../chain/credentials.ts';
import type { Network } from '../../chain/networks.ts';
import type { Registry } from '../chain/types.ts';
import { applyLabels } from './labels.ts';

const AT_ONCE = 10_000;

const epochOrNull = (epoch: number) => (Number.isFinite(epoch) ? epoch : null);

export async function writeValidators(
  client: pg.ClientBase,
  network: Network,
  changed: Uint32Array,
  registry: Registry,
): Promise<boolean> {
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
