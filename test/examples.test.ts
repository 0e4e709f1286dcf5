import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { getIntrospectionQuery } from 'graphql';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { useGateway } from './support/gateway.ts';

const gateway = useGateway({ settings: { CACHE: true } });
const folder = fileURLToPath(new URL('../examples/', import.meta.url));
const npm = (script: string) => execFileSync('npm', ['run', '-s', script], { cwd: folder, stdio: 'pipe' });
/** Their types are checked by their own compiler, with the generated files. */
const example = (file: string) => import(/* @vite-ignore */ `${folder}${file}`);

let pools: string[];
beforeAll(async () => {
  npm('generate');
  const { json } = await gateway.get('/v0/eth/operators?window=7d&idType=pool&size=200');
  pools = json.data.map(({ id }: { id: string }) => id);
  expect(pools.length).toBeGreaterThan(10);
});

describe('the examples', () => {
  it('have the types of the schema and of openapi.json', () => {
    npm('check'); // throws with tsc's messages
  });

  it('Apollo: walks all pools, with texts after PersistedQueryNotSupported', async () => {
    const { createClient, largestPools } = await example('apollo.ts');
    const found = await largestPools(createClient(gateway.url, gateway.token));
    expect(found).toHaveLength(pools.length);
    for (const { id, summary } of found)
      expect([id, summary.validatorCount]).toEqual([expect.any(String), expect.any(Number)]);
  });

  it('Apollo: a document of eight connections is answered whole, and again from its cache', async () => {
    const { createClient } = await example('apollo.ts');
    const { gql } = await import('@apollo/client' as string);
    const client = createClient(gateway.url, gateway.token);
    const lists = [
      'operators(window: ALL, idType: POOL',
      'slashings(',
      'blocks(',
      'chainDailyRewards(',
    ].concat([
      'consolidations(',
      'operatorConsolidations(',
      'stakeAuthorities(window: ALL',
      'networkRewards(network: SOLANA',
    ]);
    const fields = lists.map((list, index) => {
      const open = list.endsWith('(') ? list : `${list}, `;
      return `list${index}: ${open}first: 2) { nodes { id } pageInfo { hasNextPage } }`;
    });
    const query = gql`{ ${fields.join('\n')} }`;
    const { data } = await client.query({ query });
    expect(Object.values<any>(data).map(({ nodes }) => nodes.length)).toEqual(Array(8).fill(2));
    gateway.statements.length = 0;
    expect((await client.query({ query })).data).toEqual(data);
    expect(gateway.statements).toEqual([]);
  });

  it('urql: its normalized cache walks three pages without a warning', async () => {
    const warnings = [vi.spyOn(console, 'warn'), vi.spyOn(console, 'error')];
    const { createClient, poolIds } = await example('urql.ts');
    const { data } = await gateway.graphql(getIntrospectionQuery());
    const ids = await poolIds(createClient(gateway.url, gateway.token, data));
    const { json } = await gateway.get('/v0/eth/operators?window=30d&idType=pool&size=9');
    expect(ids).toEqual(json.data.map(({ id }: { id: string }) => id));
    for (const spy of warnings) expect(spy.mock.calls).toEqual([]);
  });

  it('Relay: loads page after page into one connection', async () => {
    const { createEnvironment, poolNames } = await example('relay/main.ts');
    expect(await poolNames(createEnvironment(gateway.url, gateway.token), 4)).toHaveLength(pools.length);
  });

  it('openapi-fetch: follows next to the end, and tells the message of a refusal', async () => {
    const { attestationsOf } = await example('rest.ts');
    const days = await attestationsOf(gateway.url, gateway.token, pools[0]);
    expect(days.length).toBeGreaterThan(50);
    expect(new Set(days.map(({ day }: { day: number }) => day)).size).toBe(days.length);
    await expect(attestationsOf(gateway.url, 'sgt_wrong', pools[0])).rejects.toThrow('Not authenticated');
  });
});
