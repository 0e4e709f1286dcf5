import { SLOTS_PER_EPOCH } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import { raisedRevision } from '../../db/changes/revisions.ts';
import { type Pool, transaction } from '../../db/pool.ts';
import { raiseChainHeads } from '../../ingest/importers/chain-heads.ts';
import type { SlotFacts } from '../chain/types.ts';
import { writeBlocks } from './block-rows.ts';
import { type HeadSlashing, writeHeadSlashings } from './slashing-rows.ts';

/** The blocks are complete from `fromSlot` on. */
export type Head = { fromSlot: number; blocks: readonly SlotFacts[]; slashings: readonly HeadSlashing[] };

/** Leaves final rows unchanged. */
export async function writeHead(pool: Pool, network: Network, head: Head): Promise<void> {
  const { fromSlot, blocks, slashings } = head;
  await transaction(pool, async (client) => {
    // Takes no writers' lock, because the transaction of an epoch, which changes other rows, may hold it for a minute.
    const { rows } = await client.query<{ epoch: number }>(
      '/* newestFinal */ select epoch from index_state where network = $1',
      [network],
    );
    const closed = rows[0] ? (rows[0].epoch + 1) * SLOTS_PER_EPOCH : 0;
    const open = <T extends { slot: number }>(all: readonly T[]) =>
      all.filter(({ slot }) => slot >= fromSlot && slot >= closed);
    const slots = open(blocks);
    const dropped = await client.query(
      `/* dropHead */
      delete from blocks where network = $1 and not finalized and slot >= $2 and slot <> all($3::int[])`,
      [network, fromSlot, slots.map(({ slot }) => slot)],
    );
    const rewards = slots.map((one) => ({ ...one, consensusRewards: null }));
    const written = await writeBlocks(client, network, rewards, { finalized: false });
    const newest = slots.reduce((slot, one) => Math.max(slot, one.slot), -1);
    if (newest >= 0) await raiseChainHeads(client, [{ network, slot: newest }]);
    const slashed = await writeHeadSlashings(client, network, fromSlot, open(slashings));
    if ((dropped.rowCount ?? 0) + written > 0) await raisedRevision(client, 'blocks')();
    if (slashed) await raisedRevision(client, 'slashings')();
  });
}
