import { type Calendar, calendars } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import { TimeWindow } from '../../chain/windows.ts';
import { memberClasses } from '../../db/operator-members.ts';
import { type Pool, transaction } from '../../db/pool.ts';
import { noteOrigins } from '../../ingest/merge/origins.ts';
import { type PartReport, refresh, type Subject } from '../../refresh/index.ts';
import { addChainDayFees } from './chain-fees.ts';
import { writeDueHours } from './due-hours.ts';

export async function publish(
  pool: Pool,
  network: Network,
  stopped: () => boolean = () => false,
  changed: ReadonlySet<Calendar> = new Set(calendars),
): Promise<PartReport[]> {
  await transaction(pool, async (client) => {
    await addChainDayFees(client, network);
  });
  await writeDueHours(pool, network, stopped);
  // Windows of operators consist of chain days.
  const only: Subject[] = changed.has('chain') ? ['operators', 'attestations'] : ['attestations'];
  const reports: PartReport[] = [];
  await refresh(
    pool,
    {
      ...{ networks: [network], windows: TimeWindow.options, only },
      ...{ types: memberClasses, allDays: false, wait: true, jobs: 1 },
    },
    (report) => reports.push(report),
    stopped,
  );
  if (reports.some((report) => report.part === 'operators' && report.state === 'done'))
    await transaction(pool, (client) => noteOrigins(client, [['operators', network]], 'index'));
  return reports;
}
