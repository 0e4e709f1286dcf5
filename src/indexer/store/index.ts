import { type Calendar, dateOfDay } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import { lockWriters } from '../../db/changes/locks.ts';
import { waitForCommitOnAllNodes } from '../../db/distributed/prepared.ts';
import { type Pool, transaction } from '../../db/pool.ts';
import { ensureValidatorDayParts } from '../../ingest/importers/validator-days.ts';
import { refuseDroppedEpoch } from '../../ingest/merge/dropped-time.ts';
import type { PartReport } from '../../refresh/index.ts';
import type { SavedChain } from '../chain/index.ts';
import { SavedStateError } from '../chain/saved-state-error.ts';
import { type ScheduledFork, SpecError } from '../chain/spec.ts';
import type { ChainRegistry, EpochFacts } from '../chain/types.ts';
import { storeDeposits, storedDeposits } from './deposits.ts';
import { firstKeptHour } from './due-hours.ts';
import { effectiveChanges } from './effective.ts';
import { writeForks } from './forks.ts';
import { type Head, writeHead } from './head.ts';
import { type LabelRule, storeLabels } from './labels.ts';
import { setMarker, storeRecord, takeMarker } from './marker.ts';
import { missingEpochs } from './networks.ts';
import { type OpenDays, writeOpenDays } from './open-days.ts';
import { periodsOf } from './periods.ts';
import { publish } from './publish.ts';
import { encodeRecord, epochRecord, lastActiveIn, RECORD_VERSION } from './record.ts';
import { writeEpochRows } from './write-epoch.ts';

export { type LabelRule, readLabels } from './labels.ts';
export { indexedNetworks } from './networks.ts';
export type { OpenDays } from './open-days.ts';
export type { HeadSlashing } from './slashing-rows.ts';

/** All epochs from `first` to `epoch` are stored. */
type Resume = { first: number; epoch: number; saved: SavedChain };

export type Store = {
  /** Returns undefined if nothing is indexed. Throws if another version wrote the state, or if it is of another chain. */
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
  /** Replaces the forks of the network. */
  writeForks(forks: readonly ScheduledFork[]): Promise<void>;
  /** Returns the number of validators with new names. Their days are published again, and the hours that are kept. */
  setLabels(rules: readonly LabelRule[]): Promise<number>;
  /** First epoch whose hours get new names; undefined if only later epochs do. */
  firstKeptHour(): Promise<number | undefined>;
  /** Number of epochs that were left out between stored ones. */
  missingEpochs(): Promise<number>;
};

/** `genesisRoot` is the `genesis_validators_root` of the nodes. */
export function openStore(pool: Pool, network: Network, genesisRoot: string | null = null): Store {
  /** Newest epoch read or written; if null, any epoch may follow. */
  let known: number | null = null;
  return {
    async resume() {
      await waitForCommitOnAllNodes(pool);
      const { rows } = await pool.query({
        text: `/* resumeIndex */
          select first_epoch as first, epoch, state, version, genesis_validators_root as root
          from index_state where network = $1`,
        values: [network],
      });
      const [found] = rows as (Omit<Resume, 'saved'> & {
        state: Buffer;
        version: number;
        root: string | null;
      })[];
      known = found?.epoch ?? null;
      if (!found) return undefined;
      const { first, epoch, state, version, root } = found;
      if (root !== null && genesisRoot !== null && root !== genesisRoot)
        throw new SpecError(
          `The index of ${network} in this database is of a chain with genesis_validators_root ${root}, but that of the nodes is ${genesisRoot}. Use the nodes of that chain, or another database.`,
        );
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
      const record = await encodeRecord(epochRecord(facts, lastActiveIn(epoch, registry)));
      await transaction(pool, async (client) => {
        await lockWriters(client, [], [network]);
        await refuseDroppedEpoch(client, network, epoch);
        const marker = await takeMarker(client, network, known, epoch);
        const first = await storeRecord(client, network, epoch, { record, changes }, marker);
        await writeEpochRows(client, network, facts, registry, periods);
        await setMarker(client, network, { first, epoch, genesisRoot }, saved.state);
        await storeDeposits(client, network, saved.deposits, known === null);
      });
      known = epoch;
    },
    publish: (stopped, changed) => publish(pool, network, stopped, changed),
    writeOpenDays: (open, stopped) => writeOpenDays(pool, network, open, stopped),
    writeHead: (head) => writeHead(pool, network, head),
    writeForks: (forks) => writeForks(pool, network, forks),
    setLabels: (rules) =>
      transaction(pool, async (client) => {
        await lockWriters(client, ['validators'], [network]);
        return storeLabels(client, network, rules);
      }),
    firstKeptHour: () => firstKeptHour(pool, network),
    missingEpochs: () => missingEpochs(pool, network),
  };
}
