import type { Logger } from 'pino';
import { type Pool, transaction } from '../db/pool.ts';
import { sampleOperators, sampleSlashings } from '../sample/index.ts';
import { type ImportedOperator, writeOperators } from './operators.ts';
import { type ImportedSlashing, writeSlashings } from './slashings.ts';

/** Fills an empty database with the sample data, once: a later start does not bring back what was removed. */
export async function loadSampleData(pool: Pool, log: Logger): Promise<void> {
  await transaction(pool, async (client) => {
    await client.query('lock table sample_data');
    const { rows } = await client.query(
      `/* sampleWanted */ select not exists (select from sample_data)
        and not exists (select from operator_summaries) and not exists (select from slashings) as wanted`,
    );
    if (!rows[0]?.wanted) return;
    const operators = [...sampleOperators()].map(
      (row): ImportedOperator =>
        ({
          ...row,
          poolId: row.poolId ?? null,
          nodeOperatorId: row.nodeOperatorId ?? null,
        }) as ImportedOperator,
    );
    const slashings: ImportedSlashing[] = [...sampleSlashings()];
    await writeOperators(client, operators, { replace: false });
    await writeSlashings(client, slashings, { replace: false });
    await client.query('insert into sample_data default values');
    log.info({ operators: operators.length, slashings: slashings.length }, 'sample data loaded');
  });
}
