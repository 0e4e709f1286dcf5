import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Chain } from '../../../src/indexer/chain/index.ts';
import type { ChainRegistry } from '../../../src/indexer/chain/types.ts';
import { packBalances, unpackBalances } from '../../../src/indexer/store/end-balances.ts';
import { openStore, type Store } from '../../../src/indexer/store/index.ts';
import { importFile } from '../../../src/ingest/import-file.ts';
import { useFiles } from '../../ingest/rows.ts';
import { createDatabase, type TestDatabase } from '../../support/gateway.ts';
import { slow } from '../../support/thorough.ts';
import { recorded, recordingOf } from '../chain/recording.ts';
import { addressOf, type Made, madeFacts, madeRegistry, savedAs } from './made-facts.ts';
import { NETWORK, query } from './rows.ts';

const made: Made = { size: 30 };
/** Chain days begin with the epochs 2700 and 2925, a UTC day with epoch 2811. */
const [FIRST, MOVED, LAST] = [2_690, 2_708, 2_715];
const GAP = 2_930;
const movers = [6, 13];
const own = addressOf(700);
const file = useFiles();

/** From epoch MOVED on, two validators with BLS credentials have those of an address. */
function registryAt(epoch: number): ChainRegistry {
  const registry = madeRegistry(made);
  if (epoch < MOVED) return registry;
  const withdrawalCredentials = `0x01${'00'.repeat(11)}${own.slice(2)}`;
  const record = (index: number) => ({
    ...registry.record(index),
    ...(movers.includes(index) && { withdrawalCredentials }),
  });
  return { ...registry, record };
}

async function write(store: Store, first: number, last: number): Promise<void> {
  for (let epoch = first; epoch <= last; epoch += 1) {
    const facts = madeFacts(made, epoch, first);
    const changed = epoch === MOVED ? Uint32Array.from(movers) : facts.changed;
    await store.write({ ...facts, changed }, savedAs('x'), registryAt(epoch), { partial: epoch === last });
  }
}

const counts = [
  'total_unique_attestations',
  'sum_missed_attestations',
  'sum_correct_head',
  'sum_inclusion_delay',
];

/** Days that are not the sum of their hours. A day without hours counts unless `some` is set. */
const differing = async ({ pool }: TestDatabase, { some = false } = {}) =>
  (
    await query(
      pool,
      `select e.id_type, e.entity_id, utc, date::text as date, d.total_unique_attestations as day, h.total_unique_attestations as hours
      from attestation_days d ${some ? 'right' : 'full'} join (
        select entity_key, utc, date, ${counts.map((name) => `sum(${name}) as ${name}`).join(', ')}
        from attestation_hours group by 1, 2, 3
      ) h using (entity_key, utc, date)
      join attestation_entities e using (entity_key)
      where e.id_type <> 'network'
        and (${counts.map((name) => `d.${name}`).join(', ')}) is distinct from (${counts.map((name) => `h.${name}`).join(', ')})`,
    )
  ).rows;

describe('hours of operators', () => {
  let database: TestDatabase;
  let store: Store;
  const of = async (table: string, id: string) =>
    (
      await query(
        database.pool,
        `select distinct utc, start_epoch from ${table} join attestation_entities using (entity_key)
        where entity_id = $1 and not utc order by 2`,
        [id],
      )
    ).rows.map(({ start_epoch }) => start_epoch);
  const named = (nodeOperator: string) =>
    store.setLabels([
      {
        ...{ line: 1, validatorPubkey: null, validatorIndex: null, firstIndex: 0, lastIndex: 9 },
        ...{ withdrawalAddress: null, depositAddress: null, nodeOperator, pool: null },
      },
    ]);
  const imported = async (nodeOperator: string) => {
    const { rows } = await query(
      database.pool,
      `select validator_index as "validatorIndex", validator_pubkey as "validatorPubkey", $1 as "nodeOperator", slashed
      from validators where validator_index < 10`,
      [nodeOperator],
    );
    const path = await file(rows.map((row) => JSON.stringify(row)).join('\n'), 'validators.ndjson');
    return importFile(database.pool, 'validators', path, { network: NETWORK });
  };
  beforeAll(async () => {
    database = await createDatabase('empty');
    store = openStore(database.pool, NETWORK);
    await write(store, FIRST, MOVED - 1);
    await named('before');
    await write(store, MOVED, LAST);
    await store.publish();
  });
  afterAll(() => database.drop());

  it('add up to their days, also before validators got an address', async () => {
    expect(await differing(database)).toEqual([]);
    expect((await of('attestation_hours', own))[0]).toBe(FIRST);
  });

  slow('have the names of new labels where facts are kept, and days have them all', async () => {
    expect(await named('after')).toBe(10);
    expect(await store.firstKeptHour()).toBe(FIRST);
    await store.publish();
    expect(await of('attestation_days', 'before')).toEqual([]);
    expect(await of('attestation_days', 'after')).toEqual([FIRST, 2_700]);
    expect(await differing(database)).toEqual([]);
  });

  slow('have the names of an import of validators, as days have them', async () => {
    expect(await imported('imported')).toMatchObject({ updated: 10 });
    await store.publish();
    expect(await of('attestation_days', 'after')).toEqual([]);
    expect(await of('attestation_days', 'imported')).toEqual([FIRST, 2_700]);
    expect(await differing(database)).toEqual([]);
  });

  slow('are removed where facts are gone and the day has other validators by now', async () => {
    store.begin();
    await write(store, GAP, GAP + 12);
    await store.publish();
    expect(await differing(database)).toEqual([]);
    const others = await of('attestation_hours', addressOf(3));
    await named('later');
    expect(await store.firstKeptHour()).toBe(GAP);
    await store.publish();
    expect(await of('attestation_days', 'imported')).toEqual([]);
    expect(await of('attestation_days', 'later')).toEqual([FIRST, 2_700, GAP]);
    expect((await of('attestation_hours', 'later'))[0]).toBe(GAP);
    expect(await of('attestation_hours', 'imported')).toEqual([]);
    expect(await of('attestation_hours', addressOf(3))).toEqual(others);
    expect(await differing(database, { some: true })).toEqual([]);
  });

  slow('are removed, too, where a day is due for another reason after an address changed', async () => {
    const moves = [6];
    const registry = registryAt(GAP);
    const records = {
      ...registry,
      record: (index: number) => ({
        ...registry.record(index),
        ...(moves.includes(index) && {
          withdrawalCredentials: `0x01${'00'.repeat(11)}${addressOf(800).slice(2)}`,
        }),
      }),
    };
    const facts = madeFacts(made, GAP + 13, GAP);
    await store.write({ ...facts, changed: Uint32Array.from(moves) }, savedAs('x'), records, {
      partial: true,
    });
    await store.publish();
    expect((await of('attestation_hours', own))[0]).toBe(FIRST);
    expect(await differing(database, { some: true })).toEqual([]);
    await query(database.pool, 'update validator_day_dates set attestations_due = true where network = $1', [
      NETWORK,
    ]);
    await store.publish();
    expect((await of('attestation_days', addressOf(800)))[0]).toBe(FIRST);
    expect((await of('attestation_hours', own))[0]).toBe(GAP);
    expect(await differing(database, { some: true })).toEqual([]);
  });

  slow('that are gone come back when an index begins anew before them', async () => {
    store.begin();
    await write(store, FIRST, LAST);
    await store.publish();
    const { rows } = await query(
      database.pool,
      'select count(*)::int as due from index_periods where hourly and due and start_epoch between $1 and $2',
      [FIRST, LAST],
    );
    expect(rows).toEqual([{ due: 0 }]);
    expect((await of('attestation_hours', 'later'))[0]).toBe(FIRST);
    expect(await differing(database)).toEqual([]);
  });

  it('are written again with balances of any size, to the Gwei', async () => {
    const at = {
      balances: Float64Array.from([0, 1, 2 ** 32 - 1, 2 ** 32, 2 ** 53 - 1]),
      effectiveBalances: Float64Array.from([0, 0, 4e9, 4e9, 2_048e9]),
    };
    expect(await unpackBalances(await packBalances(at))).toEqual(at);
  });
});

describe.skipIf(!recorded)('hours of a recorded chain with changes of credentials', () => {
  slow('add up to days', async () => {
    const database = await createDatabase('empty');
    const store = openStore(database.pool, NETWORK);
    const recording = recordingOf('chain-wide');
    const chain = Chain.begin(recording.spec, recording.start(2_250));
    while (chain.epoch < 2_288) {
      const facts = chain.step(recording.input(chain.epoch, chain));
      if (facts) await store.write(facts, savedAs('x'), chain.registry, { partial: chain.epoch === 2_288 });
    }
    await store.publish();
    expect(await differing(database)).toEqual([]);
    await database.drop();
  });
});
