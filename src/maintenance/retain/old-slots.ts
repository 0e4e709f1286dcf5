import type pg from 'pg';
import { type Network, networks } from '../../chain/networks.ts';
import { transaction } from '../../db/pool.ts';
import { dropInSteps, keptDate, type Run, reporting } from './dropping.ts';
import { firstNeededDate, whyBlocksNeeded } from './needed-blocks.ts';
import { RefusedPart } from './parts.ts';
import { dropSlots, newestDate, type SlotTable, slotsBefore } from './slots.ts';

export async function retainSlots(run: Run, slots: SlotTable, days: number): Promise<void> {
  const { table, dataset, locks } = slots;
  const about = { dataset, table, rows: 0, bytes: 0, seconds: 0 };
  let any = false;
  for (const network of networks) {
    const newest = await newestDate(run.pool, slots, network);
    if (!newest || run.stop.aborted) continue;
    any = true;
    const before = keptDate(days, run.now ?? new Date(), newest);
    const all = await slotsBefore(run.pool, slots, network, before);
    const needed =
      table === 'blocks' && all.rows > 0
        ? await transaction(run.pool, (client) => firstNeededDate(client, network, before))
        : undefined;
    const old = needed ? await slotsBefore(run.pool, slots, network, needed) : all;
    const what = { ...about, network, before: needed ?? before, ...old };
    if (all.rows === 0) run.tell({ ...what, state: 'nothing' });
    else if (run.dryRun && old.rows > 0) run.tell({ ...what, state: 'would drop' });
    else if (old.rows > 0)
      await reporting(run, what, async () => ({
        rows: await dropInSteps(run, what, { datasets: locks, of: [network] }, async (client, isFirst) => {
          if (isFirst) await refuseNeeded(client, slots, network, what.before);
          return dropSlots(client, slots, network, what.before);
        }),
      }));
    if (!needed || run.stop.aborted) continue;
    const kept = { from: needed, before, rows: all.rows - old.rows, bytes: all.bytes - old.bytes };
    const state = run.dryRun ? 'would refuse' : 'refused';
    run.tell({ ...about, network, ...kept, state, error: whyBlocksNeeded(network, needed) });
  }
  if (!any && !run.stop.aborted) run.tell({ ...about, state: 'nothing' });
}

/** The blocks may have become needed since they were counted. */
async function refuseNeeded(
  client: pg.ClientBase,
  { table }: SlotTable,
  network: Network,
  before: string,
): Promise<void> {
  const needed = table === 'blocks' ? await firstNeededDate(client, network, before) : undefined;
  if (needed) throw new RefusedPart(whyBlocksNeeded(network, needed));
}
