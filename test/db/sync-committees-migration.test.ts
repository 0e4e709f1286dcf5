import { expect, onTestFinished } from 'vitest';
import { migrate } from '../../src/db/migrate.ts';
import { createDatabase, startGateway } from '../support/gateway.ts';
import { migrateAnewTo } from '../support/migrations.ts';
import { slow } from '../support/thorough.ts';

slow(
  'seats stored a row each come back seat for seat after migration 0050, with one committee for equal slots',
  async () => {
    const database = await createDatabase('empty');
    onTestFinished(() => database.drop());
    await migrateAnewTo(database, '0047');
    const run = (text: string) => database.pool.query({ text, values: [] }).then(({ rows }) => rows);
    // Slots 100 to 119 have a whole committee, 120 to 129 another one; 130 to 139 have only some seats, each its own.
    await run(`insert into sync_committee_rewards (network, slot, validator_index, reward, position, rank)
    select network, slot, v, case when (position * 7 + slot) % 50 = 0 then -23018 else 9223372036854775807 - slot end,
      position, row_number() over (partition by network, slot order by v, position) - 1
    from unnest('{mainnet,hoodi}'::text[]) network, generate_series(100, 139) slot, generate_series(0, 511) position,
      lateral (select ((position * 37) % 400) + (slot - 100) / 20 * 1000 as v) v
    where slot < 130 or (position + slot) % 11 = 0`);
    await run(`insert into chain_heads values ('mainnet', 139), ('hoodi', 139)`);
    const all = 'select * from sync_committee_rewards order by network, slot, rank';
    const before = await run(all);
    await migrate(database.url);
    expect(await run(all)).toEqual(before);
    const committees = `select network, count(*)::int as committees, sum(cardinality(validators))::int as seats
    from sync_committees group by 1 order by 1`;
    const partial = before.filter((row) => row.network === 'hoodi' && Number(row.slot) >= 130).length;
    expect(await run(committees)).toEqual(
      ['hoodi', 'mainnet'].map((network) => ({ network, committees: 12, seats: 2 * 512 + partial })),
    );
    const gateway = await startGateway({ database });
    onTestFinished(() => gateway.close());
    const { json } = await gateway.get('/v0/eth/blocks/133/syncCommitteeRewards');
    const rows = before.filter((row) => row.network === 'mainnet' && row.slot === 133);
    expect(json.total).toBe(rows.length);
    expect(json.data.map((row: any) => [row.validatorIndex, row.syncCommitteeRewards])).toEqual(
      rows.map((row) => [row.validator_index, row.reward]),
    );
  },
);
