import type pg from 'pg';
import { type Network, networks } from '../../chain/networks.ts';
import { transaction } from '../../db/pool.ts';
import {
  keptDate,
  type Locks,
  locked,
  type Run,
  Stopped,
  TELL_AFTER_MS,
  type Told,
  told,
} from './dropping.ts';
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
      await told(run, what, () => droppedSlots(run, slots, what, { datasets: locks, of: [network] }));
    if (!needed || run.stop.aborted) continue;
    const kept = { from: needed, before, rows: all.rows - old.rows, bytes: all.bytes - old.bytes };
    const state = run.dryRun ? 'would refuse' : 'refused';
    run.tell({ ...about, network, ...kept, state, error: whyBlocksNeeded(network, needed) });
  }
  if (!any && !run.stop.aborted) run.tell({ ...about, state: 'nothing' });
}

type Old = Told & { network: Network; before: string };

async function droppedSlots(run: Run, slots: SlotTable, what: Old, locks: Locks): Promise<number> {
  const began = performance.now();
  let [rows, toldAt] = [0, began];
  for (let dropped = -1; dropped !== 0 && !run.stop.aborted; rows += dropped) {
    try {
      dropped = await locked(run, what, locks, async (client) => {
        if (dropped < 0) await refuseNeeded(client, slots, what);
        return dropSlots(client, slots, what.network, what.before);
      });
    } catch (error) {
      if (error instanceof Stopped && rows > 0) return rows;
      const seconds = Math.round(performance.now() - began) / 1000;
      if (rows > 0) run.tell({ ...what, rows, state: 'dropped', seconds });
      throw error;
    }
    const now = performance.now();
    if (now - toldAt < (run.tellAfterMs ?? TELL_AFTER_MS)) continue;
    toldAt = now;
    run.tell({ ...what, rows: rows + dropped, state: 'dropping', seconds: Math.round(now - began) / 1000 });
  }
  return rows;
}

/** The blocks may have become needed since they were counted. */
async function refuseNeeded(client: pg.ClientBase, { table }: SlotTable, { network, before }: Old) {
  const needed = table === 'blocks' ? await firstNeededDate(client, network, before) : undefined;
  if (needed) throw new RefusedPart(whyBlocksNeeded(network, needed));
}
