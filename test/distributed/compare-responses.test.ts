import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect } from 'vitest';
import { accountOf } from '../support/account.ts';
import { useGateway } from '../support/gateway.ts';
import { run } from '../support/process.ts';
import { slow } from '../support/thorough.ts';

const gateway = useGateway();
const folder = mkdtempSync(join(tmpdir(), 'stakegraph-compare-'));
afterAll(() => rmSync(folder, { recursive: true }));

const call = (args: string[], env: Record<string, string>) =>
  run(process.execPath, ['scripts/compare-responses.mjs', ...args], { env });
const withDays = async () => {
  const { rows } = await gateway.database.pool.query({
    text: `select validator_index as index from validator_days where network = 'mainnet' and not utc order by 1 desc limit 1`,
    values: [],
  });
  return rows[0]?.index as number;
};
const change = (sign: '+' | '-', index: number) =>
  gateway.database.pool.query({
    text: `update validator_days set sum_attestation_rewards = sum_attestation_rewards ${sign} 1
      where network = 'mainnet' and not utc and validator_index = $1
        and date = (select max(date) from validator_day_dates where network = 'mainnet' and not utc)`,
    values: [index],
  });

describe('scripts/compare-responses.mjs', () => {
  slow('finds a single day of a validator that differs, and none without a change', async () => {
    const account = await accountOf(gateway);
    await account.post('/v1/eth/tags', { name: 'compared', validators: [await withDays()] });
    const env = { TOKEN: account.token };
    const file = join(folder, 'before.json');
    const saved = await call(['save', gateway.url, file], env);
    expect([saved.code, saved.stderr]).toEqual([0, '']);
    const [, all, ok, rows] =
      /^Saved (\d+) responses, (\d+) of them with status 200 and (\d+) with rows\.\n$/.exec(saved.stdout) ??
      [];
    expect(Number(all)).toBeGreaterThan(100);
    const responses = JSON.parse(readFileSync(file, 'utf8')).saved;
    const without = responses.filter((one: any) => one.status !== 200);
    expect([Number(all) - Number(ok), without.map((one: any) => one.path)]).toEqual([0, []]);
    expect(Number(rows)).toBeGreaterThan(50);
    expect(Number(rows)).toBeLessThan(Number(all));
    for (const one of responses)
      if (one.path === '/graphql') expect(JSON.parse(one.text).errors).toBeUndefined();

    const equal = await call(['compare', gateway.url, file], env);
    const none = Number(all) - Number(rows);
    expect(equal).toEqual({
      code: 0,
      stdout: `Of ${all} responses, ${rows} have rows and are equal, 0 differ, and ${none} have no rows on either side, which compares nothing.\n`,
      stderr: '',
    });
    const index = await withDays();
    await change('+', index);
    const other = await call(['compare', gateway.url, file], env);
    expect([other.code, other.stderr]).toEqual([1, '']);
    expect(other.stdout).toContain(`mainnet { validator(by: { index: ${index} }`);
    expect(other.stdout).toMatch(/\n {2}before: 200 ".*"\n {2}after: {2}200 ".*"\n/);
    await change('-', index);
  });

  slow(
    'compares gateways at other addresses and with sets of other ids, by the names of the sets',
    async () => {
      const account = await accountOf(gateway);
      await account.post('/v1/eth/tags', { name: 'moved', validators: [await withDays()] });
      const env = { TOKEN: account.token };
      const file = join(folder, 'moved.json');
      const saved = await call(['save', gateway.url, file], env);
      const [, rows] = /(\d+) with rows/.exec(saved.stdout) ?? [];
      const text = readFileSync(file, 'utf8');
      expect(text).not.toContain(gateway.url);
      const removed = await gateway.database.pool.query({
        text: `delete from private_sets where name = 'moved' returning set_id::text as id`,
        values: [],
      });
      for (const { text: body } of JSON.parse(text).saved)
        expect(body).not.toContain(removed.rows[0]?.id as string);
      await account.post('/v1/eth/tags', { name: 'moved', validators: [await withDays()] });
      const other = gateway.url.replace('127.0.0.1', 'localhost');
      const equal = await call(['compare', other, file], env);
      expect([equal.code, equal.stderr]).toEqual([0, '']);
      expect(equal.stdout).toContain(` ${rows} have rows and are equal, 0 differ`);
      await gateway.database.pool.query({
        text: `delete from private_sets where name = 'moved'`,
        values: [],
      });
      const missing = await call(['compare', gateway.url, file], env);
      expect([missing.code, missing.stderr]).toEqual([
        2,
        'The gateway has no private set named moved: make it first.\n',
      ]);
    },
  );

  slow(
    'does not count pairs without rows as equal, and compares nothing if there are no others',
    async () => {
      const account = await accountOf(gateway);
      const env = { TOKEN: account.token };
      const file = join(folder, 'nothing.json');
      await call(['save', gateway.url, file], env);
      const { sets, saved } = JSON.parse(readFileSync(file, 'utf8'));
      const lists = (text: string) => text.match(/\[./g) ?? [];
      const empty = saved.filter(
        ({ text }: { text: string }) =>
          lists(text).length > 0 && lists(text).every((start) => start === '[]'),
      );
      expect(empty.length).toBeGreaterThan(1);
      writeFileSync(file, JSON.stringify({ sets, saved: empty }));
      expect(await call(['compare', gateway.url, file], env)).toEqual({
        code: 2,
        stdout: `Of ${empty.length} responses, 0 have rows and are equal, 0 differ, and ${empty.length} have no rows on either side, which compares nothing.\n`,
        stderr: 'No response had rows: nothing was compared.\n',
      });
    },
  );

  slow('exits with 2 if it cannot compare', async () => {
    for (const [args, env, message] of [
      [['save', gateway.url], { TOKEN: gateway.token }, 'Usage: TOKEN='],
      [['save', gateway.url, join(folder, 'none.json')], { TOKEN: 'x' }, 'The gateway refuses TOKEN.'],
      [['compare', gateway.url, join(folder, 'none.json')], { TOKEN: 'x' }, 'none.json'],
      [['save', 'http://127.0.0.1:9', join(folder, 'none.json')], { TOKEN: 'x' }, 'fetch failed'],
    ] as const) {
      const { code, stderr } = await call([...args], env);
      expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    }
  });
});
