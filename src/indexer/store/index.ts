import { type Calendar, dateOfDay } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import { type Pool, type Queryable, transaction } from '../../db/pool.ts';
import { refuseDroppedEpoch } from '../../ingest/dropped-time.ts';
import { ensureValidatorDayParts } from '../../ingest/importers/validator-days.ts';
import { lockWriters } from '../../ingest/locks.ts';
import type { PartReport } from '../../ingest/refresh/index.ts';
import type { SavedChain } from '../chain/index.ts';
import { SavedStateError } from '../saved-state-error.ts';
import type { ChainRegistry, EpochFacts } from '../types.ts';
import { storeDeposits, storedDeposits } from './deposits.ts';
import { effectiveChanges } from './effective.ts';
import { type Head, writeHead } from './head.ts';
import { type LabelRule, storeLabels } from './labels.ts';
import { setMarker, storeRecord, takeMarker } from './marker.ts';
import { type OpenDays, writeOpenDays } from './open-days.ts';
import { periodsOf } from './periods.ts';
import { publish } from './publish.ts';
import { encodeRecord, lastActiveIn, RECORD_VERSION, recordOf } from './record.ts';
import { writeEpochRows } from './write-epoch.ts';

export { readLabels } from './labels.ts';
export type { OpenDays } from './open-days.ts';
export type { HeadSlashing } from './slashing-rows.ts';

/** All epochs from `first` to `epoch` are stored. */
type Resume = { first: number; epoch: number; saved: SavedChain };

export type Store = {
  /** Returns undefined if nothing is indexed. Throws if another version wrote the state. */
  resume(): Promise<Resume | undefined>;
  /** Lets the next `write` begin at any epoch. */
  begin(): void;
  /**
   * Writes the epoch, and the days and hours that end with it, in one transaction. If `partial` is set, also writes the
   * current days and hours. Repeating the newest epoch changes nothing. Throws if another process has written.
   */
  write(
    facts: EpochFacts,
    saved: SavedChain,
    registry: ChainRegistry,
    options?: { partial?: boolean },
  ): Promise<void>;
  /** `changed` names the calendars with changed days; both by default. */
  publish(stopped?: () => boolean, changed?: ReadonlySet<Calendar>): Promise<PartReport[]>;
  /** May run concurrently with `write`. */
  writeOpenDays(open: OpenDays, stopped?: () => boolean): Promise<void>;
  writeHead(head: Head): Promise<void>;
  setLabels(rules: readonly LabelRule[]): Promise<number>;
};

export async function indexedEpochs(db: Queryable): Promise<{ network: Network; epoch: number }[]> {
  const text = '/* indexedEpochs */ select network, epoch from index_state order by network';
  return (await db.query({ text, values: [] })).rows as { network: Network; epoch: number }[];
}

export function openStore(pool: Pool, network: Network): Store {
  /** Newest epoch read or written; if null, any epoch may follow. */
  let known: number | null = null;
  return {
    async resume() {
      const { rows } = await pool.query({
        text: `/* resumeIndex */
          select first_epoch as first, epoch, state, version from index_state where network = $1`,
        values: [network],
      });
      const [found] = rows as (Omit<Resume, 'saved'> & { state: Buffer; version: number })[];
      known = found?.epoch ?? null;
      if (!found) return undefined;
      const { first, epoch, state, version } = found;
      if (version !== RECORD_VERSION)
        throw new SavedStateError(
          `The index of ${network} was written by another version (${version}, not ${RECORD_VERSION}). Begin anew with --from.`,
        );
      return { first, epoch, saved: { state, deposits: await storedDeposits(pool, network) } };
    },
    begin() {
      known = null;
    },
    async write(facts, saved, registry, { partial = false } = {}) {
      const { epoch } = facts;
      const periods = periodsOf(network, epoch).filter(({ last }) => partial || last === epoch);
      const dates = periods.filter(({ hourly }) => !hourly).map(({ day }) => dateOfDay(network, day));
      // Uses a separate transaction, because adding a partition locks the whole table. A dropped month is not made again.
      if (dates.length > 0)
        await transaction(pool, async (client) => {
          await refuseDroppedEpoch(client, network, epoch);
          await ensureValidatorDayParts(client, dates);
        });
      const changes = effectiveChanges(facts.effectiveBalances, facts.nextEffectiveBalances);
      const record = await encodeRecord(recordOf(facts, lastActiveIn(epoch, registry)));
      await transaction(pool, async (client) => {
        await lockWriters(client, [], [network]);
        await refuseDroppedEpoch(client, network, epoch);
        const marker = await takeMarker(client, network, known, epoch);
        const first = await storeRecord(client, network, epoch, { record, changes }, marker);
        await writeEpochRows(client, network, facts, registry, periods);
        await setMarker(client, network, { first, epoch }, saved.state);
        await storeDeposits(client, network, saved.deposits, known === null);
      });
      known = epoch;
    },
    publish: (stopped, changed) => publish(pool, network, stopped, changed),
    writeOpenDays: (open, stopped) => writeOpenDays(pool, network, open, stopped),
    writeHead: (head) => writeHead(pool, network, head),
    setLabels: (rules) =>
      transaction(pool, async (client) => {
        await lockWriters(client, ['validators'], [network]);
        return storeLabels(client, network, rules);
      }),
  };
}
