import { afterAll, beforeAll, expect } from 'vitest';
import { transaction } from '../../src/db/pool.ts';
import { sumDueMonth } from '../../src/ingest/importers/validator-months.ts';
import { validatorDay } from '../maintenance/retain/retained.ts';
import { createDatabase, type Gateway, startGateway, type TestDatabase } from '../support/gateway.ts';
import { importText } from '../support/import.ts';

const DAYS = ['2025-01-30', '2025-01-31', '2025-02-01', '2025-04-10', '2025-08-01', '2025-08-02'];
export const COUNT = 225;
/** From this number of validators on, DuckDB and PostgreSQL rank them; fewer are ranked from their figures. */
export const LARGE = 205;
export const RANGES = {
  'all days': '',
  'days across the border of the archive': 'fromDate: "2025-02-01", toDate: "2025-08-01"',
  'archived days': 'fromDate: "2025-01-31", toDate: "2025-04-30"',
  'days of the database': 'fromDate: "2025-05-01"',
  'one UTC day': 'utc: true, fromDate: "2025-04-10", toDate: "2025-04-10"',
  'all UTC days': 'utc: true',
};
export const ORDERS = ['EFFECTIVENESS', 'REWARDS', 'MISSED'].flatMap((field) =>
  ['ASC', 'DESC'].map((direction) => ({ field, direction })),
);

const ROW = 'rank validatorIndex dayCount avgValidatorEffectiveness sumRewards sumMissedAttestations';
export const listOf = (args: string, page: string) =>
  `validatorRanking(${args} ${page}) { totalCount nodes { ${ROW} } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } }`;

export const whereOf = (name: string) =>
  `where: { operator: { operatorId: "${name}", idType: NODE_OPERATOR } }`;

/**
 * A gateway with days of validators to rank, for all tests of a file. Validator 3 has no attestation duties, 4 a single day, 5 and 6 the same figures, and the last ones no day.
 */
export function useRankedDays() {
  const gateway = {} as Gateway;
  /** Texts of its statements, but for those within transactions. */
  const started: string[] = [];
  let database: TestDatabase;
  const run = (text: string) => database.pool.query({ text, values: [] }).then(({ rows }) => rows);
  /** Serves the same database by a new gateway, which reads from it what a process reads once. */
  async function restart() {
    const own = { ...gateway };
    Object.assign(gateway, await startGateway({ database, onStatement: ({ text }) => started.push(text) }));
    await own.close?.();
  }
  beforeAll(async () => {
    database = await createDatabase('empty');

    await run(`insert into validators (network, validator_index, validator_pubkey, slashed, activation_epoch, node_operator)
    select 'mainnet', v, '0x' || lpad(to_hex(v), 96, '0'), false, 0,
      case when v < ${LARGE} then 'Large' when v < ${LARGE + 15} then 'Small' end
    from generate_series(0, ${COUNT}) v`);
    const rows = DAYS.flatMap((date, n) =>
      Array.from({ length: COUNT - 5 }, (_, index) => index)
        .filter((index) => index !== 4 || n === 3)
        .map((validatorIndex) => {
          const seed = validatorIndex === 6 ? 5 : validatorIndex;
          const missed = (seed * 7 + n) % 11;
          return validatorDay(date, {
            validatorIndex,
            ...{ totalUniqueAttestations: 225 - missed, sumMissedAttestations: missed },
            ...{ sumCorrectHead: 200 - missed - (seed % 13), sumCorrectTarget: 210, sumCorrectSource: 212 },
            ...{ sumInclusionDelay: 230 + (seed % 17), proposedCount: seed % 5 === n % 5 ? 1 : 0 },
            ...{
              missedProposalCount: seed % 9 === n ? 1 : 0,
              sumAttestationRewards: 1_000 * ((seed * 31) % 97) - 20_000,
            },
            ...{
              sumProposerRewards: seed === 7 ? 9_007_199_219 : 0,
              sumPriorityFees: seed % 3,
              sumBaselineMev: n,
            },
          });
        }),
    );
    const before = await startGateway({ database });
    await importText(before, 'validator-days', JSON.stringify(rows));
    await run(`update validator_days set total_unique_attestations = 0, sum_missed_attestations = 0, sum_correct_head = 0,
    sum_correct_target = 0, sum_correct_source = 0, sum_inclusion_delay = 0 where validator_index = 3`);
    await run(`insert into validator_days
    select (jsonb_populate_record(d, jsonb_build_object('utc', true, 'sum_missed_attestations', d.sum_missed_attestations + 1))).*
    from validator_days d`);
    await run(`insert into validator_day_dates (network, utc, day, date)
    select network, true, day, date from validator_day_dates`);
    await run('update validator_day_dates set attestations_due = false, rewards_due = false');
    while (await transaction(database.pool, (client) => sumDueMonth(client, 'mainnet')));
    await run('analyze validators');
    await before.close();
    await restart();
  });
  afterAll(async () => {
    await gateway.close?.();
    await database?.drop();
  });

  /** All rows, page by page in one direction. */
  async function walk(args: string, direction: 'first' | 'last', size: number): Promise<any[]> {
    const rows: any[] = [];
    let cursor = '';
    for (;;) {
      const { data, errors } = await gateway.graphql(
        `{ ${listOf(args, `${direction}: ${size} ${cursor}`)} }`,
      );
      expect(errors).toBeUndefined();
      const { nodes, totalCount, pageInfo } = data.validatorRanking;
      if (direction === 'first') rows.push(...nodes);
      else rows.unshift(...nodes);
      if (!(direction === 'first' ? pageInfo.hasNextPage : pageInfo.hasPreviousPage)) {
        expect(rows).toHaveLength(totalCount);
        return rows;
      }
      cursor = direction === 'first' ? `after: "${pageInfo.endCursor}"` : `before: "${pageInfo.startCursor}"`;
    }
  }

  return { gateway, started, run, walk, restart };
}
