import type pg from 'pg';
import { SLOTS_PER_EPOCH } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import { raisedRevision } from '../../db/changes/revisions.ts';
import { raiseChainHeads } from '../../ingest/importers/chain-heads.ts';
import { noteOrigins } from '../../ingest/merge/origins.ts';
import type { EpochFacts, Registry } from '../chain/types.ts';
import { writeBlocks } from './block-rows.ts';
import { writeBuilders } from './builder-rows.ts';
import { writeChainBalance, writeConsolidations, writeSeats } from './chain-rows.ts';
import { addLatePenalties } from './day-rows.ts';
import { writePendingConsolidations } from './pending-consolidations.ts';
import type { Period } from './periods.ts';
import { writeSlashings } from './slashing-rows.ts';
import { writeValidators } from './validator-table.ts';
import { writePeriods } from './write-periods.ts';

const datasets = [
  ...['attestations', 'blocks', 'chain-balances', 'chain-daily-rewards', 'consolidations', 'slashings'],
  ...['sync-committee-rewards', 'validator-days', 'validators'],
];

export async function writeEpochRows(
  client: pg.ClientBase,
  network: Network,
  facts: EpochFacts,
  registry: Registry,
  periods: readonly Period[],
): Promise<void> {
  await noteOrigins(
    client,
    [...datasets, ...(facts.builders ? ['builders'] : [])].map((name) => [name, network] as const),
    'index',
  );
  const changed = await writeChainRows(client, network, facts, registry);
  const penalties = [...facts.penaltiesWithoutDuty].map(([validator, amount]) => {
    return { validator, amount, exitEpoch: registry.record(validator).exitEpoch };
  });
  if (await addLatePenalties(client, network, facts.epoch, penalties)) changed.add('validator-days');
  for (const dataset of await writePeriods(client, network, periods, facts.epoch, facts))
    changed.add(dataset);
  for (const dataset of [...changed].sort()) await raisedRevision(client, dataset)();
}

async function writeChainRows(
  client: pg.ClientBase,
  network: Network,
  facts: EpochFacts,
  registry: Registry,
): Promise<Set<string>> {
  const changed = new Set<string>();
  const note = (dataset: string, written: boolean | number) => {
    if (written) changed.add(dataset);
  };
  const { epoch } = facts;
  note('builders', await writeBuilders(client, network, facts));
  note('blocks', await dropSlots(client, network, facts));
  note('blocks', await writeBlocks(client, network, facts.blocks, { finalized: true }));
  await raiseHead(client, network, (epoch + 1) * SLOTS_PER_EPOCH - 1);
  note('sync-committee-rewards', await writeSeats(client, network, epoch, facts.seats));
  note('chain-balances', await writeChainBalance(client, network, facts));
  note('validators', await writeValidators(client, network, facts.changed, registry));
  note('slashings', await writeSlashings(client, network, facts, registry));
  note('consolidations', await writeConsolidations(client, network, facts.consolidations, registry));
  note('consolidations', await writePendingConsolidations(client, network, facts, registry));
  return changed;
}

/** Locks the row only if its slot is behind, because `writeHead` runs concurrently. */
async function raiseHead(client: pg.ClientBase, network: Network, slot: number): Promise<void> {
  const { rows } = await client.query(
    '/* headBehind */ select 1 from chain_heads where network = $1 and slot >= $2',
    [network, slot],
  );
  if (rows.length === 0) await raiseChainHeads(client, [{ network, slot }]);
}

async function dropSlots(
  client: pg.ClientBase,
  network: Network,
  { epoch, blocks }: EpochFacts,
): Promise<number> {
  const { rowCount } = await client.query(
    `/* dropSlots */
    delete from blocks where network = $1 and not finalized and slot < $2 and slot <> all($3::int[])`,
    [network, (epoch + 1) * SLOTS_PER_EPOCH, blocks.map(({ slot }) => slot)],
  );
  return rowCount ?? 0;
}
