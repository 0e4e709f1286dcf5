import { isObjectType } from 'graphql';
import { beforeAll, describe, expect, it } from 'vitest';
import { chainDayOfEpoch } from '../../src/chain/calendar.ts';
import { readsOf } from '../../src/db/changes/datasets.ts';
import { schema } from '../../src/graphql/run/schema.ts';
import { useGateway } from '../support/gateway.ts';
import { connectionOf, named, networks, newestFirst, type Series, variablesOf } from '../support/series.ts';

const sample = useGateway();
const empty = useGateway({ template: 'empty' });
let variables: Record<string, string | number>;
beforeAll(async () => {
  variables = await variablesOf(sample);
});

const lists = newestFirst.filter(({ list }) => list !== 'privateSets');
async function askOf(one: Series, page: string, fields: string) {
  const { found, errors } = await connectionOf(sample, variables, one, page, fields);
  expect(errors).toBeUndefined();
  return found;
}
const ENDS = 'storedFrom storedTo';

/** What a row has in the unit of the ends of its list. */
const unitOf: Record<string, string> = {
  blocks: 'consensusSlot',
  proposedBlocks: 'consensusSlot',
  syncCommitteeRewards: 'consensusSlot',
  slashings: 'slashingEpoch',
  consolidations: 'epoch',
  chainDailyRewards: 'day',
};

describe('storedFrom and storedTo', () => {
  it('are on every list of the chain', () => {
    const without = Object.values(schema.getTypeMap()).filter(
      (type) => isObjectType(type) && type.name.endsWith('Connection') && !type.getFields().storedFrom,
    );
    expect(without.map(({ name }) => name).sort()).toEqual(
      [
        'BuilderConnection',
        'OperatorConnection',
        'OperatorConsolidationCapacityConnection',
        'OperatorConsolidationTotalConnection',
        'PendingConsolidationConnection',
        'PrivateSetConnection',
        'PrivateSetValidatorConnection',
        'StakeAuthorityConnection',
        'ValidatorConnection',
      ].sort(),
    );
  });

  // consolidationHistory has a row for each period since Electra, whether its consolidations are stored or not
  it.each(named(lists.filter(({ list }) => list !== 'consolidationHistory')))(
    'hold every row of the list, whatever is selected of it: %s',
    async (_name, one) => {
      const unit = unitOf[one.list] ?? (one.args?.includes('WEEK') ? 'startDate' : 'date');
      const page = await askOf(one, 'first: 200', `${ENDS} nodes { ${unit} }`);
      const values = page.nodes.map((node: any) => node[unit]);
      const both = [...values, page.storedFrom, page.storedTo];
      const ordered = both.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
      expect(page.storedFrom).toBe(ordered[0]);
      expect(page.storedTo).toBe(ordered.at(-1));
      const other = await askOf(one, `orderBy: { field: ${one.field}, direction: ASC }, last: 1`, ENDS);
      expect(other).toEqual({ storedFrom: page.storedFrom, storedTo: page.storedTo });
    },
  );

  it.each([
    ['blocks(where: { proposer: { index: 2147483000 } })', 'blocks'],
    ['blocks(toSlot: 0, orderBy: { field: SLOT, direction: ASC })', 'blocks'],
    ['slashings(where: { minPenalty: "99000000000000" })', 'slashings'],
    ['slashings(toEpoch: 0)', 'slashings'],
    ['consolidations(by: { index: 2147483000 })', 'consolidations'],
    ['consolidations(toDay: 0)', 'consolidations'],
    ['chainDailyRewards(toDay: 0)', 'chainDailyRewards'],
    ['networkRewards(network: SOLANA, toDate: "2020-01-01")', 'networkRewards(network: SOLANA)'],
  ])('are the same in an empty list: %s', async (text, whole) => {
    const { data, errors } = await sample.graphql(
      `{ none: ${text} { ${ENDS} nodes { id } } all: ${whole} { ${ENDS} nodes { id } } }`,
    );
    expect(errors).toBeUndefined();
    expect(data.none.nodes).toEqual([]);
    expect(data.all.nodes).not.toEqual([]);
    expect([data.none.storedFrom, data.none.storedTo]).toEqual([data.all.storedFrom, data.all.storedTo]);
    expect(data.all.storedFrom).not.toBeNull();
  });

  it('are null where nothing is stored', async () => {
    const roots = [
      ...['blocks', 'slashings', 'consolidations', 'chainDailyRewards'],
      ...['slashingHistory', 'consolidationHistory'],
      ...networks.flatMap((network) => [
        `networkRewards(network: ${network})`,
        `networkValidators(network: ${network})`,
      ]),
    ];
    const text = roots.map((root, index) => `f${index}: ${root} { ${ENDS} }`);
    for (const part of [text.slice(0, 10), text.slice(10)]) {
      const { data, errors } = await empty.graphql(`{ ${part.join(' ')} }`);
      expect(errors).toBeUndefined();
      for (const found of Object.values(data)) expect(found).toEqual({ storedFrom: null, storedTo: null });
    }
  });

  it('take one statement together for all owners of a page, and none when they are not selected', async () => {
    const page = (fields: string) =>
      sample.graphql(`{ operators(window: SEVEN_DAYS, idType: POOL, first: 5) { nodes {
        attestations(first: 2) { ${fields} nodes { day } } slashings(first: 2) { ${fields} nodes { slashingEpoch } }
      } } }`);
    await page('');
    sample.statements.length = 0;
    await page('');
    const plain = [...sample.statements].sort();
    sample.statements.length = 0;
    const { errors } = await page(ENDS);
    expect(errors).toBeUndefined();
    expect([...sample.statements].sort()).toEqual([...plain, 'storedDates', 'storedSlashingEpochs'].sort());
    sample.statements.length = 0;
    await sample.graphql(`{ blocks(first: 1) { ${ENDS} } }`);
    expect(sample.statements).toEqual(['blockPage', 'storedSlots']);
  });

  it('of rare events reach to where an index has come, so that none is told from not stored', async () => {
    const { pool } = empty.database;
    await pool.query({
      text: `insert into index_ranges (network, first_epoch, last_epoch) values ('hoodi', 450, 899), ('hoodi', 1000, 1350)`,
      values: [],
    });
    const ask = async (text: string) => {
      const { data, errors } = await empty.graphql(text);
      expect(errors).toBeUndefined();
      return data;
    };
    expect(
      await ask(`{ slashings(network: HOODI) { ${ENDS} totalCount } consolidations(network: HOODI) { ${ENDS} }
        slashingHistory(network: HOODI) { ${ENDS} }
        utc: slashingHistory(network: HOODI, utc: true) { ${ENDS} } other: slashings { ${ENDS} } }`),
    ).toEqual({
      slashings: { storedFrom: 450, storedTo: 1350, totalCount: 0 },
      consolidations: { storedFrom: 450, storedTo: 1350 },
      slashingHistory: { storedFrom: '2025-03-19', storedTo: '2025-03-23' },
      utc: { storedFrom: '2025-03-19', storedTo: '2025-03-23' },
      other: { storedFrom: null, storedTo: null },
    });
    expect(chainDayOfEpoch(450)).toBe(2); // 17 March is day 0
    await pool.query({
      text: `insert into slashings (network, validator_index, validator_pubkey, slashing_epoch, withdrawable_epoch,
          balance_before_slashing, balance_before_withdrawal, slashing_penalties)
        values ('hoodi', 1, '0x01', 7, 8200, 32, 31, 1), ('hoodi', 2, '0x02', 9000, 17000, 32, 31, 1)`,
      values: [],
    });
    expect(
      await ask(`{ slashings(network: HOODI, fromEpoch: 100, toEpoch: 101) { ${ENDS} totalCount } }`),
    ).toEqual({
      slashings: { storedFrom: 7, storedTo: 9000, totalCount: 0 },
    });
  });

  it('do not show epochs that an index has left out, which each of its datasets tells in one statement', async () => {
    const run = (text: string) => empty.database.pool.query({ text, values: [] });
    await run('truncate index_ranges');
    await run(`insert into index_ranges (network, first_epoch, last_epoch)
      values ('hoodi', 450, 899), ('hoodi', 1000, 1350), ('hoodi', 1360, 1400), ('sepolia', 7, 7), ('mainnet', 1, 2)`);
    await run(`insert into datasets (name, revision, refreshed_at)
      select name, 1, now() from unnest(array['blocks', 'chain-balances', 'slashings']) name on conflict do nothing`);
    await run(`insert into dataset_origins (dataset, network, origin, written_at) values ('blocks', 'hoodi', 'index', now()),
      ('blocks', 'hoodi', 'import', now()), ('chain-balances', 'hoodi', 'index', now()),
      ('chain-balances', 'sepolia', 'index', now()), ('slashings', 'hoodi', 'import', now())`);
    const ask = async () => {
      empty.statements.length = 0;
      const { data, errors } = await empty.graphql(
        '{ datasets { name missingEpochs { network firstEpoch lastEpoch } } }',
      );
      expect(errors).toBeUndefined();
      expect(empty.statements).toEqual(['listDatasets']);
      const of = (wanted: string) => data.datasets.find(({ name }: any) => name === wanted).missingEpochs;
      return [of('blocks'), of('chain-balances'), of('slashings')];
    };
    const [first, second] = [
      { network: 'hoodi', firstEpoch: 900, lastEpoch: 999 },
      { network: 'hoodi', firstEpoch: 1351, lastEpoch: 1359 },
    ];
    expect(await ask()).toEqual([[first, second], [first, second], []]);
    // An index with --from has now stored the first epoch of the second gap. The answer is not cached.
    await run('update index_ranges set last_epoch = 1351 where last_epoch = 1350');
    const left = { ...second, firstEpoch: 1352 };
    expect(await ask()).toEqual([[first, left], [first, left], []]);
  });

  it('follow the index in cached responses: its progress counts as a change of chain-balances', () => {
    expect(readsOf('select min(first_epoch) from index_ranges').datasets).toEqual(['chain-balances']);
  });
});
