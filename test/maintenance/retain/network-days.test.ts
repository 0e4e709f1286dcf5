import { describe, expect, it } from 'vitest';
import { retain } from '../../../src/maintenance/retain/index.ts';
import { useGateway } from '../../support/gateway.ts';

const gateway = useGateway();
const run = (text: string) => gateway.database.pool.query({ text, values: [] }).then(({ rows }) => rows);

const figures = `validatorCount sumEndEpochBalance sumEndEpochEffectiveBalance avgValidatorEffectiveness participationRatio
  targetParticipationRatio proposedCount missedProposalCount sumConsensusRewards sumExecutionRewards aprPercentage`;
const overview = async () => {
  const { data, errors } = await gateway.graphql(
    `{ networkOverview(window: ALL) { startDay endDay ${figures}
      months: history(granularity: MONTH, first: 100) { nodes { startDate ${figures} } }
      utc: history(utc: true, granularity: DAY, first: 1000) { nodes { startDate ${figures} } } } }`,
  );
  expect(errors).toBeUndefined();
  return data.networkOverview;
};

async function dropped(): Promise<string[]> {
  const parts: string[] = [];
  await retain(gateway.database.pool, { ages: { 'attestation-days': 31 }, dryRun: false }, (report) => {
    if (report.state === 'dropped') parts.push(report.part ?? '');
    else expect(report.error).toBeUndefined();
  });
  return parts;
}

const columnsOf = (table: string) =>
  run(`select column_name, data_type, is_nullable from information_schema.columns
    where table_schema = current_schema() and table_name = '${table}' order by ordinal_position`);

describe('days of the network that retain has dropped', () => {
  it('go on counting in networkOverview and its history', async () => {
    const before = await overview();
    expect(await dropped()).toEqual(['attestation_days_2025_09']);
    expect(await overview()).toEqual(before);
  });

  it('count once when their days are imported again and dropped again, as imported last', async () => {
    const before = await overview();
    await run('delete from kept_from');
    await run(`select attestation_parts(array(select min(date) from kept_network_days), false)`);
    await run(`insert into attestation_days select (k).* from (
      select jsonb_populate_record(k, '{"proposed_count": 1}') as k from kept_network_days k
      where date = (select min(date) from kept_network_days) and not utc) again`);
    const [{ less }] = (await run(
      `select (proposed_count - 1)::int as less from kept_network_days where not utc order by date limit 1`,
    )) as [{ less: number }];
    const again = await overview();
    expect(again.proposedCount).toBe(String(before.proposedCount - less));
    expect(again.validatorCount).toBe(before.validatorCount);
    expect(await dropped()).toEqual(['attestation_days_2025_09']);
    expect(await overview()).toEqual(again);
  });

  it('have the columns of stored days', async () => {
    expect(await columnsOf('kept_network_days')).toEqual(await columnsOf('attestation_days'));
  });
});
