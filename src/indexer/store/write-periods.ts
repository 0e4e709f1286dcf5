import type pg from 'pg';
import { dateOfDay } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import { markAttestationsDue } from '../../refresh/due-days.ts';
import { writeChainDailyReward } from './chain-rows.ts';
import { writeValidatorDays } from './day-rows.ts';
import { EffectiveBalances } from './effective.ts';
import { packBalances } from './end-balances.ts';
import { writeAttestationHour } from './hour-rows.ts';
import type { Period } from './periods.ts';
import { decodeRecord, type EpochTotals } from './record.ts';
import { Sums } from './sums.ts';
import type { EndBalances } from './validator-rows.ts';

type Summed = { sums: Sums; totals: EpochTotals[] };

export async function sumOf(
  client: pg.ClientBase,
  network: Network,
  first: number,
  epoch: number,
  at: EndBalances,
): Promise<Summed> {
  const { rows: changes } = await client.query<{ epoch: number; changes: Buffer }>(
    `/* effectiveChanges */
    select epoch, effective_changes as changes from index_epochs
    where network = $1 and epoch >= $2 and epoch < $3 and effective_changes <> '' order by epoch desc`,
    [network, first, epoch],
  );
  const effective = new EffectiveBalances(at.effectiveBalances, changes);
  const sums = new Sums(first, at.balances.length);
  const totals: EpochTotals[] = [];
  for (let next = first; next <= epoch; next += AT_ONCE) {
    const { rows } = await client.query<{ facts: Buffer }>(
      `/* openEpochs */
      select facts from index_epochs where network = $1 and epoch between $2 and $3 order by epoch`,
      [network, next, Math.min(epoch, next + AT_ONCE - 1)],
    );
    for (const row of rows) {
      const record = await decodeRecord(row.facts);
      if (record.epoch === sums.last + 1) sums.add(record, effective.eth);
      effective.pass(record.epoch);
      totals.push(record.totals);
    }
  }
  if (sums.last !== epoch) throw new Error(`Epoch ${sums.last + 1} of ${network} is not stored.`);
  return { sums, totals };
}

/** Records per query; a record has 150 kB at a million validators. */
const AT_ONCE = 16;

/** `due` is true if the stored rows of the hour have former names. */
type Taken = { first: number; due: boolean };

/**
 * Locks the period. Returns its first stored epoch; undefined if there is none, or if the period's rows cover as many
 * epochs, unless they are due or the balances that a later name needs were dropped.
 */
async function takePeriod(
  client: pg.ClientBase,
  network: Network,
  { utc, hourly, period, first }: Period,
  epoch: number,
): Promise<Taken | undefined> {
  const { rows } = await client.query<Taken>(
    `/* takePeriod */
    insert into index_periods as p (network, utc, hourly, period, start_epoch, end_epoch)
    select $1, $2, $3, $4, min(epoch), $6 from index_epochs where network = $1 and epoch between $5 and $6
    having min(epoch) is not null
    on conflict (network, utc, hourly, period) do update
      set start_epoch = excluded.start_epoch, end_epoch = excluded.end_epoch
      where p.end_epoch - p.start_epoch < excluded.end_epoch - excluded.start_epoch + (p.due or p.hourly and p.balances is null)::int
    returning start_epoch as first, due`,
    [network, utc, hourly, period, first, epoch],
  );
  return rows[0];
}

/** Returns the datasets whose revision the caller must raise. */
export async function writePeriods(
  client: pg.ClientBase,
  network: Network,
  periods: readonly Period[],
  epoch: number,
  at: EndBalances,
): Promise<Set<string>> {
  const changed = new Set<string>();
  for (const period of [...periods].sort((a, b) => Number(a.hourly) - Number(b.hourly)))
    for (const dataset of await writePeriod(client, network, period, epoch, at)) changed.add(dataset);
  return changed;
}

export async function writePeriod(
  client: pg.ClientBase,
  network: Network,
  period: Period,
  epoch: number,
  at: EndBalances,
): Promise<string[]> {
  const taken = await takePeriod(client, network, period, epoch);
  if (!taken) return [];
  const { sums, totals } = await sumOf(client, network, taken.first, epoch, at);
  if (period.hourly) {
    const { utc, day } = period;
    if (taken.due) await markAttestationsDue(client, network, [{ utc, date: dateOfDay(network, day) }]);
    await writeAttestationHour(client, network, period, sums, at);
    await client.query(
      `/* keepBalances */
      update index_periods set balances = $4, due = false
      where network = $1 and utc = $2 and hourly and period = $3`,
      [network, period.utc, period.period, await packBalances(at)],
    );
    return []; // the import raises the revision
  }
  await writeValidatorDays(client, network, period, sums, at);
  const whole = !period.utc && totals.length === period.last - period.first + 1;
  const hasDay = whole && (await writeChainDay(client, network, period.day, totals));
  return hasDay ? ['chain-daily-rewards', 'validator-days'] : ['validator-days'];
}

function writeChainDay(client: pg.ClientBase, network: Network, day: number, totals: readonly EpochTotals[]) {
  const consensusRewards = totals.reduce(
    (sum, one) => sum + one.attestation + one.sync + one.proposer - one.slashingPenalties,
    0,
  );
  return writeChainDailyReward(client, network, day, {
    consensusRewards,
    effectiveBalance: totals.at(-1)?.activeBalance ?? 0,
    // passes 2^53
    effectiveBalanceEpochs: totals.reduce((sum, one) => sum + BigInt(one.activeBalance), 0n),
  });
}
