import { load, refreshed } from '../../refresh/facts.ts';
import type { Gateway } from '../../support/gateway.ts';
import { expected, syncCommitteeRewards } from './expected.ts';
import type { Row, Run } from './run.ts';

const seatsOf = (run: Run, slots: readonly number[]): Row[] =>
  [...syncCommitteeRewards(run)].flatMap(({ slot, rows }) =>
    (slots.includes(slot) ? rows : []).map(({ network, slot: of, validatorIndex, reward, position }) => ({
      ...{ network, consensusSlot: of, validatorIndex, position },
      syncCommitteeRewards: String(reward),
    })),
  );

/** A file of JSON holds digits as text where they may pass 2^53. */
const plain = (rows: readonly Row[]): Row[] =>
  rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? String(value) : value]),
    ),
  );

const renamed = (rows: readonly Row[], names: Record<string, string>): Row[] =>
  rows.map((row) =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [names[name] ?? name, value])),
  );

/**
 * Loads what a run must leave by the project's own imports, and refreshes: what it publishes then is what an index must
 * publish. Of the sync committee only these slots: there may be millions of rows.
 */
export async function importExpected(gateway: Gateway, run: Run, slots: readonly number[]): Promise<void> {
  const rows = expected(run);
  const attestations = { entityId: 'id', idType: 'entityType' };
  await load(gateway, 'validators', plain(rows.validators));
  await load(gateway, 'validator-days', plain(rows.validator_days));
  await load(gateway, 'attestations', plain(renamed(rows.attestation_hours, attestations)));
  const blocks = rows.blocks.map((row) => ({ ...row, relays: [], blockBuilderPubkeys: [] }));
  await load(gateway, 'blocks', plain(renamed(blocks, { slot: 'consensusSlot' })));
  // No import knows of unknown relays. The bid of a builder has none.
  await gateway.database.pool.query({
    text: 'update blocks set relays = null, block_builder_pubkeys = null where bid_builder_index is null',
    values: [],
  });
  await load(gateway, 'builders', plain(rows.builders));
  await load(gateway, 'sync-committee-rewards', seatsOf(run, slots));
  await load(gateway, 'slashings', plain(rows.slashings));
  const sides = { sourceIndex: 'sourceValidatorIndex', sourcePubkey: 'sourceValidatorPubkey' };
  const others = { targetIndex: 'targetValidatorIndex', targetPubkey: 'targetValidatorPubkey' };
  await load(gateway, 'consolidations', plain(renamed(rows.consolidations, { ...sides, ...others })));
  await load(gateway, 'chain-balances', plain(rows.chain_balances));
  await load(gateway, 'chain-daily-rewards', plain(rows.chain_daily_rewards));
  await refreshed(gateway, { networks: ['hoodi'] });
}
