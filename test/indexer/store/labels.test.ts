import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStore, readLabels, type Store } from '../../../src/indexer/store/index.ts';
import { useFiles } from '../../ingest/rows.ts';
import { createDatabase, type TestDatabase } from '../../support/gateway.ts';
import { slow } from '../../support/thorough.ts';
import { addressOf, type Made, madeFacts, madeRegistry, pubkeyOf, savedAs } from './made-facts.ts';
import { NETWORK, query } from './rows.ts';

const EPOCH = 2_300;
const made: Made = { size: 30 };
const file = useFiles();

let database: TestDatabase;
let store: Store;
beforeAll(async () => {
  database = await createDatabase('empty');
  store = openStore(database.pool, NETWORK);
  await store.write(madeFacts({ ...made, size: 20 }, EPOCH), savedAs('x'), madeRegistry(made));
  await query(database.pool, 'update validators set deposit_address = $1 where validator_index in (2, 12)', [
    addressOf(500),
  ]);
});
afterAll(() => database.drop());

const csv = (...lines: string[]) =>
  file(
    [
      'validatorPubkey,validatorIndex,firstIndex,lastIndex,withdrawalAddress,depositAddress,nodeOperator,pool',
      ...lines,
    ].join('\n'),
    `${Math.random()}.csv`,
  );
const labels = async () =>
  Object.fromEntries(
    (
      await query(database.pool, 'select validator_index, node_operator, pool from validators order by 1')
    ).rows.map((row) => [row.validator_index, [row.node_operator, row.pool]]),
  );

describe('labels of an index', () => {
  it('set what the most specific rule says: key, index, shorter range, withdrawal address, deposit address', async () => {
    const path = await csv(
      `,,,,${addressOf(2)},,by withdrawal,pool of 2`,
      `,,,,,${addressOf(500)},by deposit,pool of deposits`,
      ',,0,19,,,by long range,',
      ',,10,12,,,by range,',
      ',12,,,,,by index,',
      `${pubkeyOf(17)},,,,,,by key,`,
      ',17,,,,,by index of 17,own pool',
    );
    await store.setLabels(await readLabels(path));
    const found = await labels();
    expect(found[0]).toEqual(['by long range', null]);
    expect(found[2]).toEqual(['by long range', 'pool of 2']);
    expect(found[11]).toEqual(['by range', null]);
    expect(found[12]).toEqual(['by index', 'pool of 2']);
    expect(found[17]).toEqual(['by key', 'own pool']);
  });

  it('are given to validators that come later, and stay where no rule names one any more', async () => {
    await store.setLabels(
      await readLabels(
        await file(
          '{"firstIndex": 20, "lastIndex": 25, "pool": "late"}\n{"validatorIndex": 26, "nodeOperator": "L"}\n',
          'late.ndjson',
        ),
      ),
    );
    const facts = madeFacts(made, EPOCH + 1, EPOCH);
    const changed = Uint32Array.from({ length: 10 }, (_, at) => 20 + at);
    await store.write({ ...facts, changed }, savedAs('y'), madeRegistry(made));
    const found = await labels();
    expect([found[20], found[25], found[26], found[27]]).toEqual([
      [null, 'late'],
      [null, 'late'],
      ['L', null],
      [null, null],
    ]);
    expect(found[17]).toEqual(['by key', 'own pool']);
    expect(await store.setLabels([])).toBe(0);
  });

  it('are refused with the line of each fault', async () => {
    const path = await csv(
      ',1,,,,,A,',
      ',1,,,,,B,',
      ',,5,,,,A,',
      ',,9,5,,,A,',
      ',3,,,,,,',
      ',,,,,,A,',
      `,3,,,${addressOf(1)},,A,`,
      ',,,,0x12,,A,',
      ',,40,49,,,A,',
      ',,45,54,,,B,',
    );
    const message = await readLabels(path).catch((error: Error) => error.message);
    expect(message).toContain('no label is used:');
    for (const part of [
      'line 3 contradicts line 2: both set nodeOperator',
      'line 4 needs both firstIndex and lastIndex',
      'line 5 has firstIndex 9 after lastIndex 5',
      'line 6 sets neither nodeOperator nor pool',
      'line 7 names validators by nothing',
      'line 8 names validators by validatorIndex and withdrawalAddress',
      'line 9, withdrawalAddress:',
      'line 11 contradicts line 10',
    ])
      expect(message).toContain(part);
    await expect(readLabels(await file('{"operator": "A", "validatorIndex": 1}', 'x.json'))).rejects.toThrow(
      'row 1 has operator; fields are validatorPubkey',
    );
  });

  slow('that give two pool shares one name leave out pool shares of hours, and stop nothing', async () => {
    const path = await csv(',0,,,,,b - c,a', ',1,,,,,c,a - b');
    await store.setLabels(await readLabels(path));
    const facts = madeFacts(made, EPOCH + 2, EPOCH);
    await store.write(facts, savedAs('z'), madeRegistry(made), { partial: true });
    const { rows } = await query(
      database.pool,
      'select distinct id_type from attestation_hours join attestation_entities using (entity_key) order by 1',
    );
    const types = rows.map(({ id_type }) => id_type);
    expect(types).toEqual(['depositAddress', 'nodeOperator', 'pool', 'withdrawalAddress']);
    const failed = (await store.publish()).filter(({ state }) => state === 'failed');
    expect(failed[0]?.error).toMatch(/^The name "a - b - c", of .*, is that of 2 pool shares/);
  });
});
