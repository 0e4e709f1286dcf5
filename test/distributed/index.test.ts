import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { epochsOfDay } from '../../src/chain/calendar.ts';
import { isDistributed, openLayout, useLayout } from '../../src/db/distributed/layout.ts';
import { transaction } from '../../src/db/pool.ts';
import { writeDeposits } from '../../src/indexer/execution/deposit-store.ts';
import { finishFills } from '../../src/indexer/execution/finish.ts';
import { type LabelRule, openStore } from '../../src/indexer/store/index.ts';
import { withSource } from '../../src/maintenance/transfer/source.ts';
import {
  addressOf,
  type Made,
  madeBlock,
  madeFacts,
  madeRegistry,
  pubkeyOf,
  savedAs,
} from '../indexer/store/made-facts.ts';
import { allRows, NETWORK, query } from '../indexer/store/rows.ts';
import { asSuperuser, createDistributed, isRealCitus } from '../support/citus.ts';
import { eventually } from '../support/eventually.ts';
import { createDatabase, type Gateway, type TestDatabase } from '../support/gateway.ts';
import { importText } from '../support/import.ts';
import { contentOf } from '../support/indexed.ts';
import { stakegraph } from '../support/process.ts';
import { recordQueries } from '../support/sent.ts';
import { brokenOnDays, brokenOnReference, namesReference, writesReference } from './rules.ts';

/** Statements of an index on distributed days, by their names; Citus 13.0.3 answered them as PostgreSQL does. */
const onDistributedDays = [
  ...['addLatePenalties', 'addLaterPenalties', 'applyBlockFees', 'copyRows', 'feeDays', 'localDays'],
  ...['makeHour', 'refreshSetDays', 'removeDay', 'windowDays'],
];
const writing = ['applyLabels', 'copyRows', 'depositAddresses', 'upsertStaged', 'writeValidators'];

const utcDay = epochsOfDay(NETWORK, 'utc', 11);
/** Two UTC days meet in it, and hours of both calendars. */
const [FROM, TO] = [utcDay.first - 4, utcDay.first + 5];
const made: Made = {
  size: 40,
  exits: { 7: utcDay.first - 1, 8: utcDay.first + 3 },
  activations: { 9: utcDay.first + 2 },
  slashed: { 7: { epoch: FROM, withdrawable: TO + 100 } },
};
/** Exits, a slashing and an activation become known with the second UTC day. */
const registryAt = (epoch: number) =>
  madeRegistry(epoch < utcDay.first ? { size: 40, exits: { 7: utcDay.first - 1 } } : made);
const rule = (change: Partial<LabelRule>): LabelRule => ({
  ...{ validatorPubkey: null, validatorIndex: null, firstIndex: null, lastIndex: null },
  ...{ withdrawalAddress: null, depositAddress: null, nodeOperator: null, pool: null, line: 1 },
  ...change,
});

async function privateSet({ pool }: TestDatabase) {
  const { rows } = await query(
    pool,
    `with account as (select account_id from accounts limit 1)
    insert into private_sets (account_id, network, name, created_by, created_at, updated_at)
    select account_id, $1, 'Own', 'a token', now(), now() from account returning set_id`,
    [NETWORK],
  );
  await query(
    pool,
    `insert into private_set_members (set_id, validator_index, validator_pubkey, added_at, counts_from)
    select $1, v, pubkey, now(), '2000-01-01' from unnest($2::int[], $3::text[]) as g (v, pubkey)`,
    [rows[0]?.set_id, [3, 7], [3, 7].map(pubkeyOf)],
  );
}

/** An index that is started again after each epoch, gets labels, deposits and fees, and is begun again at the end. */
async function story(database: TestDatabase): Promise<void> {
  const { pool } = database;
  await privateSet(database);
  const write = async (epoch: number, first: number, partial: boolean) => {
    const store = openStore(pool, NETWORK);
    await store.resume();
    if (epoch === first) store.begin();
    const facts = madeFacts(made, epoch, first);
    const changed = epoch === utcDay.first ? Uint32Array.of(7, 8, 9) : facts.changed;
    await store.write({ ...facts, changed }, savedAs(`state ${epoch}`), registryAt(epoch), { partial });
    return store;
  };
  for (let epoch = FROM; epoch <= TO; epoch += 1) {
    const store = await write(epoch, FROM, epoch % 3 === 0);
    if (epoch === FROM + 1)
      await store.setLabels([
        rule({ firstIndex: 0, lastIndex: 20, nodeOperator: 'A', pool: 'P' }),
        rule({ depositAddress: addressOf(500), nodeOperator: 'D' }),
      ]);
    if (epoch === FROM + 2)
      await writeDeposits(
        pool,
        { network: NETWORK, contract: addressOf(900) },
        { nextBlock: 9, nextDeposit: 2, emptyFrom: 9 },
        [1, 30, 99].map((index) => ({
          ...{ index, pubkey: pubkeyOf(index), depositor: addressOf(500), at: index },
          ...{ withdrawalAddress: index === 1 ? addressOf(index % 5) : null },
        })) as never,
      );
  }
  // An import does not change what the index read from the chain about validators.
  const named = {
    validatorIndex: 3,
    validatorPubkey: pubkeyOf(3),
    nodeOperator: 'Z',
    activationEpoch: 1,
    exitEpoch: 5,
    slashed: true,
  };
  const report = await importText({ database } as Gateway, 'validators', JSON.stringify([named]), {
    network: NETWORK,
    replace: false,
  });
  expect(report).toMatchObject({ faults: [], updated: 1 });
  const store = openStore(pool, NETWORK);
  await store.resume();
  const open = madeFacts(made, TO, FROM);
  await store.writeOpenDays({ epoch: TO, at: open, calendars: new Set(['chain', 'utc']) });
  await query(
    pool,
    `update blocks set execution_rewards = 3, total_priority_fees_validator = 2.7, baseline_mev = 1
    where consensus_proposer_duty = 'proposed'`,
  );
  const slots = Array.from({ length: (TO - FROM + 1) * 32 }, (_, at) => FROM * 32 + at);
  await transaction(pool, (client) => finishFills(client, { network: NETWORK, estimateMissed: true }, slots));
  await store.writeHead({
    fromSlot: (TO + 1) * 32,
    blocks: [3, 4].map((proposerIndex, at) => {
      const slot = (TO + 1) * 32 + at;
      return { slot, proposerIndex, block: madeBlock(slot, proposerIndex), payload: null, bid: null };
    }),
    slashings: [],
  });
  await store.publish();
  // The index runs over more epochs than before, so it writes the first UTC day again, with penalties of later epochs.
  for (let epoch = FROM - 2; epoch < utcDay.first; epoch += 1) await write(epoch, FROM - 2, true);
  await openStore(pool, NETWORK).publish();
}

const kept = [
  'select * from block_operators order by network, slot',
  'select * from validator_counts where validators > 0 order by network, activated, leaving, slashed',
  `select to_jsonb(d) - 'set_id' as row from private_set_days d order by utc, day`,
  'select name, revision from datasets order by name',
];

async function rowsOf(database: TestDatabase) {
  const more = [];
  for (const text of kept) more.push((await query(database.pool, text)).rows);
  return { ...(await contentOf(database)), ...(await allRows(database.pool)), more };
}

let plain: TestDatabase;
let citus: TestDatabase;
let onPlain: Awaited<ReturnType<typeof rowsOf>>;
let onCitus: Awaited<ReturnType<typeof rowsOf>>;
const sent: string[] = [];
const folder = mkdtempSync(join(tmpdir(), 'stakegraph-citus-'));
const nameOf = (text: string) => /\/\* (\w+) \*\//.exec(text)?.[1] ?? text;
const inOrder = (found: Iterable<string>) => [...new Set(found)].sort();

beforeAll(async () => {
  plain = await createDatabase('empty');
  await story(plain);
  onPlain = await rowsOf(plain);
  citus = await createDistributed();
  await openLayout(citus.pool);
  const stop = recordQueries((text) => sent.push(text));
  await story(citus).finally(stop);
  onCitus = await rowsOf(citus);
}, 120_000);
afterAll(async () => {
  useLayout('plain');
  rmSync(folder, { recursive: true, force: true });
  await Promise.all([plain?.drop(), citus?.drop()]);
});

describe('an index of a database with distributed days', () => {
  it('leaves the rows, revisions and figures that it leaves in a plain database', () => {
    for (const table of [
      'validator_days',
      'attestation_hours',
      'blocks',
      'index_late_penalties',
      'operators',
    ])
      expect([table, (onPlain as Record<string, unknown[]>)[table]?.length]).not.toEqual([table, 0]);
    expect(onCitus).toEqual(onPlain);
  });

  it('gets no other statements on distributed days than those that Citus answers as PostgreSQL does', () => {
    const found = sent.filter((text) => /\bvalidator_days\b/.test(text));
    expect(inOrder(found.map(nameOf))).toEqual(onDistributedDays.toSorted());
    for (const text of found) expect([nameOf(text), brokenOnDays(text)]).toEqual([nameOf(text), []]);
  });

  it('gets no statement on reference tables that Citus refuses', () => {
    const found = sent.filter((text) => namesReference.test(text.replace(/\/\*.*?\*\//g, '')));
    for (const text of found) expect([nameOf(text), brokenOnReference(text)]).toEqual([nameOf(text), []]);
    expect(inOrder(sent.filter(writesReference).map(nameOf))).toEqual(writing.toSorted());
  });
});

const backup = (name: string) =>
  stakegraph(['backup', join(folder, name), '--json'], { env: { DATABASE_URL: citus.url } });

describe('a backup of a database with distributed days', () => {
  it('has the rows of all nodes, and a plain database gets them', async () => {
    const made = await backup('all.backup');
    expect(made, made.stderr).toMatchObject({ code: 0 });
    const database = await createDatabase('empty');
    try {
      const env = { env: { DATABASE_URL: database.url } };
      const restored = await stakegraph(['restore', join(folder, 'all.backup')], env);
      expect(restored, restored.stderr).toMatchObject({ code: 0 });
      await expect(openLayout(database.pool)).resolves.toBeUndefined();
      expect([isDistributed(), await rowsOf(database)]).toEqual([false, onPlain]);
    } finally {
      await openLayout(citus.pool);
      await database.drop();
    }
  });

  it('is what a copy is made from', async () => {
    const database = await createDatabase('empty');
    onTestFinished(() => database.drop());
    const copied = await stakegraph(['copy-to', '--to-env', 'NEW'], {
      env: { DATABASE_URL: citus.url, NEW: database.url },
    });
    expect(copied, copied.stderr).toMatchObject({ code: 0 });
    expect(await rowsOf(database)).toEqual(onPlain);
  });

  it('waits for what is being written, so that it has all of it', async () => {
    const restored = await createDatabase('empty');
    onTestFinished(() => restored.drop());
    const change = (table: string, set: string) => ({
      text: `update ${table} set ${set} where network = $1 and validator_index = 5`,
      values: [NETWORK],
    });
    const waiting = `select from pg_locks where not granted and relation = 'validators'::regclass and mode = 'ShareLock'`;
    const running = await citus.pool.withClient(async (client) => {
      await client.query('begin');
      await client.query(change('validators', `pool = 'late'`));
      const outcome = backup('late.backup');
      await eventually(async () => expect((await query(citus.pool, waiting)).rows).not.toEqual([]));
      await client.query(change('validator_days', 'sum_baseline_mev = 5'));
      await client.query('commit');
      return outcome;
    });
    expect(running, running.stderr).toMatchObject({ code: 0 });
    const env = { env: { DATABASE_URL: restored.url } };
    expect(await stakegraph(['restore', join(folder, 'late.backup')], env)).toMatchObject({ code: 0 });
    const { rows } = await query(
      restored.pool,
      `select distinct pool, sum_baseline_mev::int as mev from validators join validator_days using (network, validator_index)
      where validator_index = 5`,
    );
    expect(rows).toEqual([{ pool: 'late', mev: 5 }]);
  });

  it('is of one moment of all nodes, while something writes', async () => {
    let [written, stopped] = [0, false];
    const changes = [
      'chain_balances set total_active_balance',
      'validators set exit_epoch',
      'validator_days set sum_baseline_mev',
    ];
    const write = (client: pg.ClientBase) =>
      changes.reduce(
        (before, change) => before.then(() => client.query(`update ${change} = ${written}`)),
        Promise.resolve() as Promise<unknown>,
      );
    const writing = (async () => {
      for (; !stopped; written += 1) await transaction(citus.pool, write);
    })();
    const seen = new Set<number>();
    await withSource(citus.url, async (_source, client) => {
      for (const column of ['sum_baseline_mev', 'total_active_balance', 'exit_epoch', 'sum_baseline_mev']) {
        const table = changes.find((change) => change.includes(column))?.split(' ')[0];
        const { rows } = await client.query(`select distinct ${column}::int as value from ${table}`);
        for (const { value } of rows) seen.add(value);
        const read = written;
        await eventually(async () => expect(written).toBeGreaterThan(read + 2));
      }
    }).finally(() => {
      stopped = true;
    });
    await writing;
    expect(seen.size).toBe(1);
  });

  it.skipIf(isRealCitus)(
    'waits until workers have committed, as an index and a refresh do, and fails if one does not answer',
    async () => {
      await asSuperuser(
        citus.url,
        `insert into prepared_on_worker values ('citus_0_1_2_3'), ('citus_0_1_4_3');
      insert into pg_dist_transaction values (1, 'citus_0_1_2_3')`,
      );
      const store = openStore(citus.pool, NETWORK);
      await query(citus.pool, 'update validator_day_dates set attestations_due = true');
      const waiting = [backup('prepared.backup'), store.resume(), store.publish()] as const;
      const outcome = await Promise.race([...waiting, new Promise((done) => setTimeout(done, 3_000))]);
      expect(outcome).toBeUndefined();
      await asSuperuser(citus.url, `delete from prepared_on_worker where gid = 'citus_0_1_2_3'`);
      expect(await Promise.all(waiting)).toMatchObject([{ code: 0 }, { epoch: expect.any(Number) }, {}]);
      await asSuperuser(citus.url, 'update pg_dist_node set isactive = false where groupid = 1');
      expect(await backup('down.backup')).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(
          'The worker worker:5432 of Citus does not answer: connection refused',
        ),
      });
      await asSuperuser(citus.url, 'update pg_dist_node set isactive = true where groupid = 1');
    },
  );
});
