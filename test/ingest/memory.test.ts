import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { raiseMemory } from '../../src/ingest/merge/memory.ts';
import { createDatabase } from '../support/gateway.ts';

describe('the memory of an import', () => {
  it('is raised to 256 MB for the transaction, and never lowered', async () => {
    const database = await createDatabase('empty');
    const client = new pg.Client({ connectionString: database.url });
    onTestFinished(async () => {
      await client.end();
      await database.drop();
    });
    await client.connect();
    const memory = async () => {
      const { rows } = await client.query(
        `select current_setting('work_mem') as sorts, current_setting('maintenance_work_mem') as indexes`,
      );
      return rows[0];
    };
    await client.query(`set work_mem = '4MB'; set maintenance_work_mem = '1GB'`);
    await client.query('begin');
    await client.query(raiseMemory('work_mem', 'maintenance_work_mem'));
    expect(await memory()).toEqual({ sorts: '256MB', indexes: '1GB' });
    await client.query('commit');
    expect(await memory()).toEqual({ sorts: '4MB', indexes: '1GB' });
  });
});
