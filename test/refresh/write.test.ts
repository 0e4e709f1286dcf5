import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { transaction } from '../../src/db/pool.ts';
import { sql } from '../../src/db/rows.ts';
import { slashingImporter } from '../../src/ingest/importers/slashings.ts';
import type { Selected } from '../../src/ingest/merge/staging.ts';
import type { Snake } from '../../src/kernel/names.ts';
import { writeSelected } from '../../src/refresh/write.ts';
import type { Slashing } from '../../src/resources/slashings/record.ts';
import { createDatabase, type TestDatabase } from '../support/gateway.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createDatabase('empty');
});
afterAll(() => database.drop());

type Columns = (typeof slashingImporter)['columns'][number]['name'];

describe('what a refresh writes', () => {
  it('goes to the columns that it names, in whatever order', async () => {
    const selected: Selected<Columns> = {
      with: sql`with one as (select 7 as index)`,
      columns: {
        slashing_penalties: sql`4`,
        balance_before_withdrawal: sql`${28}::int`,
        balance_before_slashing: sql`${32}::int`,
        withdrawable_epoch: sql`200`,
        slashing_epoch: sql`100`,
        validator_pubkey: sql`'0x07'`,
        validator_index: sql`one.index`,
        network: sql`${'hoodi'}`,
      },
      from: sql`from one where index = ${7}`,
    };
    const write = () =>
      transaction(database.pool, (client) =>
        writeSelected(client, slashingImporter, selected, { replace: false }),
      );
    expect(await write()).toEqual({ rows: 1, inserted: 1, updated: 0, removed: 0 });
    expect(await write()).toEqual({ rows: 1, inserted: 0, updated: 0, removed: 0 });
    const { rows } = await database.pool.query({ text: 'select * from slashings', values: [] });
    expect(rows).toMatchObject([
      {
        ...{ network: 'hoodi', validator_index: 7, validator_pubkey: '0x07', slashing_epoch: 100 },
        ...{ withdrawable_epoch: 200, balance_before_slashing: '32', balance_before_withdrawal: '28' },
        slashing_penalties: '4',
      },
    ]);
  });

  it('has a column for each field of the record, and does not compile without one', () => {
    expectTypeOf<Columns>().toEqualTypeOf<Snake<keyof Slashing> | 'network'>();
    type Given = Selected<Columns>['columns'];
    expectTypeOf<Omit<Given, 'slashing_penalties'>>().not.toExtend<Given>();
  });
});
