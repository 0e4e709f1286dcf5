import type pg from 'pg';
import { EPOCHS_PER_DAY, SLOTS_PER_EPOCH } from '../chain/calendar.ts';
import { lockWriters } from '../db/changes/locks.ts';
import type { Importer } from './importer/importer.ts';

const epochsOf: Record<string, readonly [first: string, last: string] | undefined> = {
  attestations: ['s.start_epoch', 's.end_epoch'],
  blocks: [`s.slot / ${SLOTS_PER_EPOCH}`, `s.slot / ${SLOTS_PER_EPOCH}`],
  'chain-balances': ['s.epoch', 's.epoch'],
  'chain-daily-rewards': [`s.day * ${EPOCHS_PER_DAY}`, `s.day * ${EPOCHS_PER_DAY} + ${EPOCHS_PER_DAY - 1}`],
  consolidations: ['s.epoch', 's.epoch'],
  slashings: ['s.slashing_epoch', 's.slashing_epoch'],
  'sync-committee-rewards': [
    `s.consensus_slot / ${SLOTS_PER_EPOCH}`,
    `s.consensus_slot / ${SLOTS_PER_EPOCH}`,
  ],
  'validator-days': ['s.start_epoch', 's.end_epoch'],
};

/** Returns the reason for a refusal. Of indexed validators, an import changes only labels and deposit addresses. */
export async function guardIndexed(
  client: pg.ClientBase,
  { resource }: Importer<unknown>,
  networks: readonly string[],
): Promise<string | undefined> {
  const advice = computed[resource];
  if (advice) return refuseComputed(client, resource, advice);
  const epochs = epochsOf[resource];
  if (!epochs && resource !== 'validators') return undefined;
  // The lock prevents `stakegraph index` from committing epochs between this check and the merge.
  await lockWriters(client, [], networks);
  if (!epochs) return keepChainColumns(client);
  const { rows } = await client.query(
    `/* indexedRows */
    select s.network, ${epochs[0]} as epoch, r.first_epoch as first, r.last_epoch as last, count(*) over ()::int as rows
    from staged s
    join index_ranges r on r.network = s.network and ${epochs[0]} <= r.last_epoch and ${epochs[1]} >= r.first_epoch
    where exists (select from index_ranges where network = any($1::text[])) -- without ranges, reads no staged row
    order by 2 limit 1`,
    [networks],
  );
  const [row] = rows;
  if (!row) return undefined;
  return `${row.rows} of the ${resource} of ${row.network} are of epochs that stakegraph index has written (epoch ${row.epoch}, within ${row.first} to ${row.last}). Leave them out, or overwrite them with --replace.`;
}

const computed: Record<string, string | undefined> = {
  operators: 'Import operator-profiles for their names and tags, or overwrite them with --replace.',
  builders: 'Overwrite them with --replace.',
};

async function refuseComputed(client: pg.ClientBase, dataset: string, advice: string) {
  const { rows } = await client.query(
    `/* indexedOrigins */
    select network from dataset_origins o
    where dataset = $1 and origin = 'index' and exists (select from staged s where s.network = o.network)
    order by network limit 1`,
    [dataset],
  );
  if (rows.length === 0) return undefined;
  return `the ${dataset} of ${rows[0].network} are computed by stakegraph index. ${advice}`;
}

async function keepChainColumns(client: pg.ClientBase): Promise<string | undefined> {
  const indexed = `staged s join validators v using (network, validator_index)
    where network in (select network from index_ranges)`;
  const { rows } = await client.query(
    `/* otherKeys */
    select network, validator_index as index from ${indexed} and v.validator_pubkey <> s.validator_pubkey
    order by 2 limit 1`,
  );
  const [other] = rows;
  if (other)
    return `validator ${other.index} of ${other.network} has another public key on the chain that stakegraph index reads. Check --network, or overwrite with --replace.`;
  // In two steps, because Citus refuses an update of `staged` that joins `validators`.
  await client.query(
    `/* chainColumns */
    create temp table chain_columns on commit drop as
    select s.place, v.withdrawal_address, v.activation_epoch, v.exit_epoch, v.slashed, v.deposit_address
    from ${indexed}`,
  );
  await client.query(
    `/* keepChainColumns */
    update staged s set withdrawal_address = c.withdrawal_address, activation_epoch = c.activation_epoch,
      exit_epoch = c.exit_epoch, slashed = c.slashed, deposit_address = coalesce(s.deposit_address, c.deposit_address)
    from chain_columns c where c.place = s.place`,
  );
  await client.query('/* dropChainColumns */ drop table chain_columns');
  return undefined;
}
