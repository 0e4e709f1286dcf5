import type pg from 'pg';
import type { Network } from '../../chain/networks.ts';
import { writeChainDailyReward } from './chain-rows.ts';
import { writeValidatorDays } from './day-rows.ts';
import { writeAttestationHour } from './hour-rows.ts';
import type { Period } from './periods.ts';
import { decodeRecord, type EpochTotals } from './record.ts';
import { Sums } from './sums.ts';
import type { EndBalances } from './validator-rows.ts';

type Summed = { sums: Sums; totals: EpochTotals[] };

/** Undefined without stored epochs. */
async function sumOf(
  client: pg.ClientBase,
  network: Network,
  { first }: Period,
  epoch: number,
  size: number,
): Promise<Summed | undefined> {
  let summed: Summed | undefined;
  for (let next = first; next <= epoch; next += AT_ONCE) {
    const { rows } = await client.query<{ facts: Buffer }>(
      `/* openEpochs */
      select facts from index_epochs where network = $1 and epoch between $2 and $3 order by epoch`,
      [network, next, Math.min(epoch, next + AT_ONCE - 1)],
    );
    for (const row of rows) {
      const record = await decodeRecord(row.facts);
      summed ??= { sums: new Sums(record.epoch, size), totals: [] };
      summed.sums.add(record);
      summed.totals.push(record.totals);
    }
  }
  return summed;
}

/** A record has 100 kB at a million validators. */
const AT_ONCE = 16;

/** Stores which epochs a period's rows cover; false if the stored rows already cover as many. */
async function takePeriod(
  client: pg.ClientBase,
  network: Network,
  { utc, hourly, period }: Period,
  { first, last }: Sums,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `/* takePeriod */
    insert into index_periods as p (network, utc, hourly, period, start_epoch, end_epoch) values ($1, $2, $3, $4, $5, $6)
    on conflict (network, utc, hourly, period) do update
      set start_epoch = excluded.start_epoch, end_epoch = excluded.end_epoch
      where p.end_epoch - p.start_epoch < excluded.end_epoch - excluded.start_epoch`,
    [network, utc, hourly, period, first, last],
  );
  return rowCount === 1;
}

/** `at`: balances after `epoch`. Returns datasets whose revision is still to be raised. */
export async function writePeriods(
  client: pg.ClientBase,
  network: Network,
  periods: readonly Period[],
  epoch: number,
  at: EndBalances,
): Promise<Set<string>> {
  const changed = new Set<string>();
  for (const period of [...periods].sort((a, b) => Number(a.hourly) - Number(b.hourly))) {
    const summed = await sumOf(client, network, period, epoch, at.balances.length);
    if (!summed || !(await takePeriod(client, network, period, summed.sums))) continue;
    const { sums, totals } = summed;
    if (period.hourly) {
      await writeAttestationHour(client, network, period, sums, at);
      continue; // `writeAttestationHour` raises the revision by importing
    }
    await writeValidatorDays(client, network, period, sums, at);
    changed.add('validator-days');
    const whole = !period.utc && totals.length === period.last - period.first + 1;
    if (whole && (await writeChainDay(client, network, period.day, totals)))
      changed.add('chain-daily-rewards');
  }
  return changed;
}

function writeChainDay(client: pg.ClientBase, network: Network, day: number, totals: readonly EpochTotals[]) {
  const consensusRewards = totals.reduce(
    (sum, one) => sum + one.attestation + one.sync + one.proposer - one.slashingPenalties,
    0,
  );
  return writeChainDailyReward(client, network, day, {
    consensusRewards,
    effectiveBalance: totals.at(-1)?.activeBalance ?? 0,
  });
}
