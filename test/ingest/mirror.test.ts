import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importers } from '../../src/ingest/importers/index.ts';
import { mirrorClasses, mirrorResources } from '../../src/ingest/mirror/options.ts';
import { rewardsNetworks } from '../../src/resources/network-rewards/record.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { type Mirrored, mirrorFrom } from '../support/mirror.ts';
import { every, slow } from '../support/thorough.ts';

let original: Gateway;
let mirror: Gateway;
let first: Mirrored;
const networks = every(2, ['mainnet', 'hoodi'] as const);
const windows = every(2, ['7d', '1d'] as const);
const rewardIds: Record<string, string> = {};
const everything = () => ({
  token: original.token,
  networks,
  windows,
  calendars: ['chain', 'utc'] as const,
  attestationsOf: ['pool'] as const,
  blockSlots: 3_000,
  committeeSlots: 40,
  validators: Object.entries(rewardIds).map(([network, id]) => ({
    network: network as (typeof rewardsNetworks)[number],
    id,
  })),
});

beforeAll(async () => {
  original = await startGateway();
  mirror = await startGateway({ template: 'empty' });
  for (const network of rewardsNetworks) {
    const table = await original.database.pool.query({
      text: `select * from ${network}_validator_rewards limit 1`,
      values: [],
    });
    const row = table.rows[0] as Record<string, unknown>;
    const field =
      { avalanche: 'node_id', cardano: 'pool_id', polygon: 'validator_id', solana: 'vote_account' }[
        network as string
      ] ?? 'validator';
    rewardIds[network] = String(row[field]);
  }
  first = await mirrorFrom(mirror.database.pool, original.url, everything());
});
afterAll(async () => {
  await original.close();
  await mirror.close();
});

const operatorPath = (window: string, query: string) =>
  `/v0/eth/operators?window=${window}&size=200&${query}`;

/** Every list that a mirror copies, as a caller asks for it. */
async function listPaths(): Promise<[path: string, network?: string][]> {
  const paths: [string, string?][] = [];
  for (const network of networks) {
    for (const window of windows) {
      for (const idType of mirrorClasses) paths.push([operatorPath(window, `idType=${idType}`), network]);
      for (const idType of window === '7d' ? ['pool', 'nodeOperator'] : []) {
        const { data } = (
          await original.get(operatorPath(window, `idType=${idType}`), { 'x-service-network': network })
        ).json;
        for (const { id } of data)
          paths.push([operatorPath(window, `parentId=${encodeURIComponent(id)}`), network]);
      }
    }
    for (const path of ['slashings', 'network/chainDailyRewards', 'blocks'])
      paths.push([`/v0/eth/${path}?size=200`, network]);
    const { rows } = await original.database.pool.query({
      text: `select entity_id, id_type from attestation_entities where network = $1 and id_type = 'pool'`,
      values: [network],
    });
    for (const { entity_id, id_type } of rows) {
      for (const utc of [false, true]) {
        const path = `/v1/eth/entities/${encodeURIComponent(entity_id as string)}/attestations`;
        for (const granularity of ['day', 'week', 'all']) {
          paths.push([
            `${path}?entityType=${id_type}&utc=${utc}&granularity=${granularity}&limit=1000`,
            network,
          ]);
        }
      }
    }
    const slots = await original.database.pool.query({
      text: 'select slot from blocks where network = $1 order by 1 desc limit 40',
      values: [network],
    });
    for (const { slot } of slots.rows) paths.push([`/v0/eth/blocks/${slot}/syncCommitteeRewards`, network]);
  }
  for (const version of ['v0', 'v1']) {
    paths.push([`/${version}/solana/network/overview`]);
    for (const window of windows) {
      const size = version === 'v0' ? 'size' : 'limit';
      for (const type of ['pool', 'individual', 'null']) {
        paths.push([
          `/${version}/solana/delegators/stakeAuthorities?window=${window}&type=${type}&${size}=200`,
        ]);
      }
    }
  }
  for (const network of rewardsNetworks) {
    paths.push([`/v1/${network}/network/rewards?limit=200`]);
    paths.push([
      `/v1/${network}/validators/${encodeURIComponent(rewardIds[network] as string)}/rewards?limit=200`,
    ]);
  }
  return paths;
}

/** The bodies of a list from its first page to its last; `next` as a path without the revision that a gateway counts for itself. */
async function bodies(gateway: Gateway, path: string, network = 'mainnet') {
  const found: string[] = [];
  for (let next: string | null = path; next !== null; ) {
    const { status, text, json } = await gateway.get(next, { 'x-service-network': network });
    found.push(`${status} ${text.replaceAll(gateway.url, '').replace(/([?&])revision=\d+/g, '$1')}`);
    next = json.next?.replace(gateway.url, '') ?? null;
  }
  return found;
}

it('every import is of a resource that is mirrored, or of facts that no path lists', () => {
  const mirrored = new Set<string>(mirrorResources);
  expect(Object.keys(importers).filter((name) => !mirrored.has(name))).toEqual([
    ...[
      'builders',
      'chain-balances',
      'validators',
      'validator-clients',
      'validator-days',
      'operator-profiles',
    ],
    ...['solana-epochs', 'solana-validator-epochs', 'solana-stake-authority-epochs'],
  ]);
});

describe('a gateway that mirrors another over HTTP', () => {
  it('loads every list', () => {
    expect(first.failures).toEqual([]);
    expect(first).toMatchObject({ complete: true, ended: null, resumed: false });
    for (const tally of first.resources) expect(tally).toMatchObject({ failed: 0, updated: 0, removed: 0 });
    for (const { resource, done, rows } of first.resources) {
      expect([resource, done > 0, rows > 0]).toEqual([resource, true, true]);
    }
  });

  it('answers the same afterwards, body for body, for every list', async () => {
    const paths = await listPaths();
    expect(paths.length).toBeGreaterThan(100 * networks.length * windows.length);
    for (const [path, network] of paths) {
      expect([network, path, await bodies(mirror, path, network)]).toEqual([
        network,
        path,
        await bodies(original, path, network),
      ]);
    }
  });

  it('has the same consolidations; their entities follow from validators, which no path lists', async () => {
    const path = '/v1/eth/validators/consolidations?limit=200';
    const rows = async (gateway: Gateway) => {
      const { json } = await gateway.get(path);
      return json.results.map(({ sourceEntities, targetEntities, ...row }: any) => row);
    };
    expect(await rows(mirror)).toEqual(await rows(original));
    expect((await rows(mirror)).length).toBeGreaterThan(5);
  });

  slow('a second time changes nothing, with pages as large as can be asked for', async () => {
    const { rows: before } = await mirror.database.pool.query({
      text: 'select * from datasets order by 1',
      values: [],
    });
    const again = await mirrorFrom(mirror.database.pool, original.url, { ...everything(), pageSize: 1_000 });
    expect(again.complete).toBe(true);
    for (const tally of again.resources) {
      expect(tally).toMatchObject({ inserted: 0, updated: 0, removed: 0 });
    }
    const { rows: after } = await mirror.database.pool.query({
      text: 'select * from datasets order by 1',
      values: [],
    });
    expect(after).toEqual(before);
  });

  it('stores what the service says that it cost, run by run and resource by resource', async () => {
    const { rows } = await mirror.database.pool.query({
      text: 'select resource, requests, compute_units::float8 as units from mirror_usage where run_id = $1',
      values: [first.run],
    });
    const told = Object.fromEntries(rows.map((row) => [row.resource, [row.requests, row.units]]));
    for (const { resource, requests, computeUnits } of first.resources) {
      expect([resource, told[resource]]).toEqual([resource, [requests, computeUnits]]);
      expect(computeUnits).toBeGreaterThanOrEqual(requests);
    }
  });
});
