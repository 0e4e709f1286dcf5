// What rows take on disk, and what is done with them there: repacked, added to a private set, dropped.
import pg from 'pg';
import { repack } from '../../../dist/maintenance/repack/index.js';
import { retain } from '../../../dist/maintenance/retain/index.js';
import { addSetDays } from '../../../dist/resources/private-sets/set-days.js';
import { SLOTS } from './rows.mjs';

const round = (value, digits = 1) => Number(value.toFixed(digits));

/** `last` is the last day that was generated; `costs` measures what PostgreSQL used; `measured` has all lines so far. */
export function storage({ pool, run, url, costs, measured, validators, days, blocks, last }) {
  const repacked = () =>
    new Date(Date.UTC(2020, 11, 1 + last - new Date(Date.UTC(2020, 11, 1 + last)).getUTCDate()))
      .toISOString()
      .slice(0, 7);

  /** The newest month that has ended is rewritten while a client reads days of single validators. */
  async function repacking(line) {
    const reader = new pg.Client({ connectionString: url });
    await reader.connect();
    let [count, slowest] = [0, 0];
    let reading = true;
    const reads = (async () => {
      for (; reading; count += 1) {
        const began = performance.now();
        await reader.query(
          `select from validator_days where network = 'mainnet' and not utc and validator_index = $1`,
          [(count * 7_919) % validators],
        );
        slowest = Math.max(slowest, performance.now() - began);
      }
    })();
    const found = await costs(async () => {
      const reports = [];
      const options = { months: [repacked()], dryRun: false, now: new Date('2100-01-01') };
      await repack({ pool, url }, options, (one) => reports.push(one));
      return reports[0];
    });
    reading = false;
    await reads.finally(() => reader.end());
    if (found.state !== 'repacked') throw new Error(`${found.month}: ${found.error ?? found.state}`);
    line(`repack of ${found.month}`, {
      seconds: round(found.seconds),
      rows: found.rows,
      MB: round(found.bytes / 1e6),
      'MB of WAL': found['MB of WAL'],
      'ms at most for which readers were locked out': found.lockedMs,
      'ms of the slowest of': round(slowest),
      'reads meanwhile': count,
    });
  }

  /** Adds 1,000 scattered validators to a private set, and rolls back. Counts pages of the month that is repacked. */
  async function members(line, what) {
    const part = `validator_days_${repacked().replace('-', '_')}`;
    const pages = async () =>
      (
        await run(
          `select (heap_blks_read + heap_blks_hit)::float8 as heap, heap_blks_read::float8 as read,
            (idx_blks_read + idx_blks_hit)::float8 as index from pg_statio_user_tables where relname = $1`,
          [part],
        )
      )[0];
    const indices = Array.from({ length: 1_000 }, (_, n) => Math.floor((n * validators) / 1_000));
    const before = await pages();
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    await client.query('begin');
    const { rows } = await client.query(
      `insert into private_sets (account_id, network, name, created_by, created_at, updated_at)
      select account_id, 'mainnet', 'bench', 'bench', now(), now() from accounts limit 1 returning set_id::text as id`,
    );
    await client.query(
      `insert into private_set_members (set_id, validator_index, validator_pubkey, added_at, counts_from)
      select $1::uuid, validator_index, validator_pubkey, now(), '-infinity' from validators
      where network = 'mainnet' and validator_index = any($2::int[])`,
      [rows[0].id, indices],
    );
    const began = performance.now();
    await addSetDays(client, { network: 'mainnet', id: rows[0].id }, indices);
    const seconds = (performance.now() - began) / 1000;
    await client.query('rollback');
    await client.end();
    await new Promise((done) => setTimeout(done, 1_500)); // a backend reports its pages when it ends
    const after = await pages();
    const stored = await run(`select count(*)::int as days from validator_day_dates
      where not utc and date >= '${repacked()}-01' and date < '${repacked()}-01'::date + interval '1 month'`);
    line(what, {
      seconds: round(seconds, 2),
      [`pages of ${stored[0].days} days of ${repacked()}`]: after.heap - before.heap,
      'of them not in shared_buffers': after.read - before.read,
      'pages of its indexes': after.index - before.index,
    });
  }

  async function disk(line) {
    const size = async (tables, units, unit) => {
      const [{ bytes }] = await run(
        `select sum(pg_total_relation_size(c.oid))::float8 as bytes from pg_class c
        where c.relkind = 'r' and c.relname similar to $1`,
        [tables],
      );
      return { MB: round(bytes / 1e6), [`bytes a ${unit}`]: Math.round(bytes / units) };
    };
    const counted = async (table) => Number((await run(`select count(*) from ${table}`))[0].count);
    line('disk: days of validators', await size('validator_days_%', validators * days, 'row'));
    line('disk: validators', await size('validators', validators, 'row'));
    line(
      'disk: sums of months',
      await size('validator_month_sums', await counted('validator_month_sums'), 'row'),
    );
    line(
      'disk: attestations by day',
      await size('attestation_days_%', await counted('attestation_days'), 'row'),
    );
    line(
      'disk: operators',
      await size('operator_(summaries|ranks|orders|lists)', await counted('operator_summaries'), 'row'),
    );
    line(
      'disk: history of operators',
      await size('operator_history_2%', await counted('operator_history'), 'row'),
    );
    line('disk: sync committees', await size('sync_committee%', SLOTS, 'slot'));
    line('disk: blocks', await size('blocks|block_operators', blocks, 'slot'));
    const [{ bytes }] = await run('select pg_database_size(current_database())::float8 as bytes');
    line('disk: database', { MB: round(bytes / 1e6) });
  }

  async function retention(line) {
    for (const dryRun of [true, false]) {
      const reports = [];
      await retain(
        pool,
        { ages: { 'validator-days': 1, blocks: 1, 'sync-committee-rewards': 1 }, dryRun },
        (one) => reports.push(one),
      );
      const bad = reports.find(({ state }) => state === 'failed' || state === 'refused');
      if (bad) throw new Error(`${bad.part ?? bad.table}: ${bad.error}`);
      for (const { part, table, rows, bytes, seconds, state } of reports)
        line(`retain: ${state} ${part ?? table}`, {
          seconds,
          rows: Math.round(rows),
          MB: round(bytes / 1e6),
        });
    }
  }

  /** What a year takes at the measured rates. The history is that of one day, since a refresh publishes the newest. */
  function year(line) {
    const MB = (what) => measured[`disk: ${what}`].MB;
    const gigabytes = {
      'days of validators': (MB('days of validators') * 365) / days,
      'attestations by day': (MB('attestations by day') * 365) / days,
      'history of operators': MB('history of operators') * 365,
      'sums of months': (measured['disk: sums of months']['bytes a row'] * 12 * validators) / 1e6,
      blocks: (MB('blocks') * 365 * 7_200) / blocks,
      'sync committees': (MB('sync committees') * 365 * 7_200) / SLOTS,
    };
    for (const [what, megabytes] of Object.entries(gigabytes))
      line(`a year: ${what}`, { GB: round(megabytes / 1e3) });
  }

  return { disk, year, members, repacking, retention };
}
