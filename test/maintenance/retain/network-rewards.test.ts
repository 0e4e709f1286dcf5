import { beforeEach, describe, expect, it } from 'vitest';
import { definitions } from '../../../src/resources/network-rewards/record.ts';
import { sampleNetworkRewards } from '../../support/sample.ts';
import { short, useRetained } from './retained.ts';

const { gateway, run, load, retained, keptFrom } = useRetained();

const rows = new Map(sampleNetworkRewards()).get('polygon') ?? [];
const ofKind = (wanted: string) => rows.find(({ kind }) => kind === wanted)?.row as Record<string, unknown>;
const validator = (day: string) => ({ ...ofKind('validator'), day });
const network = (day: string) => ({ ...ofKind('network'), day });
const DAYS = ['2025-02-27', '2025-02-28', '2025-03-01', '2025-04-09', '2025-04-10', '2025-05-09'];
const id = () => ofKind('validator')[definitions.polygon.idField];
const stored = async (path: string) => {
  const { status, json } = await gateway.get(`/v1/polygon/${path}/rewards?limit=200`);
  return status === 200 ? json.results.map((row: any) => row.day).sort() : status;
};
const ages = { 'network-rewards': 30 };

beforeEach(async () => {
  await run('truncate polygon_validator_rewards, polygon_network_rewards, dataset_origins');
  await load('polygon-rewards', [...DAYS.map(validator), ...DAYS.map(network)]);
});

describe('daily rewards of validators of other networks', () => {
  it('older than the given days are dropped, month by month, and those of the network stay', async () => {
    const [before] = await run(`select revision from datasets where name = 'polygon-rewards'`);
    const told = await retained(ages);
    expect(short(told)).toEqual(['polygon_validator_rewards polygon dropped']);
    expect(told[0]).toMatchObject({ from: '2025-02-27', before: '2025-04-10', rows: 4 });
    expect(await stored(`validators/${id()}`)).toEqual(DAYS.slice(4));
    expect(await stored('network')).toEqual(DAYS);
    const [after] = await run(`select revision from datasets where name = 'polygon-rewards'`);
    expect(Number(after?.revision)).toBe(Number(before?.revision) + 3);
    const { data } = await gateway.graphql('{ datasets { name keptFrom { network facts date } } }');
    expect(data.datasets.find((row: any) => row.name === 'polygon-rewards')?.keptFrom).toEqual([
      { network: 'polygon', facts: 'network-rewards', date: '2025-04-10' },
    ]);
    const entries = `select details from audit_log where action = 'retain' and subject = 'polygon_validator_rewards' order by entry_id desc limit 1`;
    expect(await run(entries)).toEqual([{ details: { network: 'polygon', before: '2025-04-10', rows: 1 } }]);
    expect(short(await retained(ages))).toEqual(['polygon_validator_rewards polygon nothing']);
  });

  it('stay in a dry run, which tells the same rows', async () => {
    const planned = await retained(ages, { dryRun: true });
    expect(short(planned)).toEqual(['polygon_validator_rewards polygon would drop']);
    expect(planned[0]).toMatchObject({ from: '2025-02-27', before: '2025-04-10', rows: 4 });
    expect(await stored(`validators/${id()}`)).toEqual(DAYS);
    expect(await keptFrom()).toEqual([]);
  });

  it('cannot be imported again, unlike those of the network as a whole', async () => {
    await retained(ages);
    await expect(load('polygon-rewards', [validator('2025-03-01'), network('2025-03-02')])).rejects.toThrow(
      '1 of the polygon-rewards of validators are before 2025-04-10, and stakegraph retain has dropped network-rewards before that date.',
    );
    expect(await load('polygon-rewards', [validator('2025-04-11'), network('2025-03-02')])).toMatchObject({
      inserted: 2,
    });
  });

  it('are counted from the newest stored day, and a database without any is told so', async () => {
    await run(`delete from polygon_validator_rewards where day > '2025-04-09'`);
    expect((await retained(ages))[0]).toMatchObject({ before: '2025-03-11', rows: 3 });
    await run('truncate polygon_validator_rewards');
    expect(short(await retained(ages))).toEqual(['network-rewards nothing']);
  });
});
