import { type Network, networks } from '../../chain/networks.ts';
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
    const what = { ...about, network, before, ...(await slotsBefore(run.pool, slots, network, before)) };
    if (what.rows === 0) run.tell({ ...what, state: 'nothing' });
    else if (run.dryRun) run.tell({ ...what, state: 'would drop' });
    else await told(run, what, () => droppedSlots(run, slots, what, { datasets: locks, of: [network] }));
  }
  if (!any && !run.stop.aborted) run.tell({ ...about, state: 'nothing' });
}

async function droppedSlots(
  run: Run,
  slots: SlotTable,
  what: Told & { network: Network; before: string },
  locks: Locks,
): Promise<number> {
  const began = performance.now();
  let [rows, toldAt] = [0, began];
  for (let dropped = -1; dropped !== 0 && !run.stop.aborted; rows += dropped) {
    try {
      dropped = await locked(run, what, locks, (client) =>
        dropSlots(client, slots, what.network, what.before),
      );
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
