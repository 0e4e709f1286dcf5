import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeEach, describe, expect, it } from 'vitest';
import { spanOfChainDay } from '../../src/chain/calendar.ts';
import { startGateway, useGateway } from '../support/gateway.ts';
import { type Asked, mirrorFrom, pageV0, reply, type Service, serviceForTest } from '../support/mirror.ts';
import { slow } from '../support/thorough.ts';
import { operator, share, slashing } from './rows.ts';

const gateway = useGateway({ template: 'empty' });
beforeEach(async () => {
  const text = `truncate operator_summaries, operator_lists, slashings, chain_daily_rewards, blocks, sync_committee_slots, attestation_entities,
    attestation_days, stake_authority_summaries, solana_overviews, solana_network_rewards, mirror_runs, mirror_state, mirror_fruitless_shares, operator_profiles,
    mirror_usage, datasets cascade`;
  await gateway.database.pool.query({ text, values: [] });
});

type Options = Parameters<typeof mirrorFrom>[2];
const run = (service: Service, options: Options) =>
  mirrorFrom(gateway.database.pool, service.url, { resources: ['operators'], classes: ['pool'], ...options });
const pools = async (query = 'idType=pool') =>
  (await gateway.get(`/v0/eth/operators?window=7d&size=200&${query}`)).json.data.map(({ id }: any) => id);
/** A service whose v0 lists are these, by path. */
const serving =
  (lists: Record<string, readonly unknown[]>): Service['answer'] =>
  (request, response) => {
    const rows = lists[request.url.pathname];
    return rows ? reply(response, pageV0(rows, request)) : reply(response, { detail: 'Not found.' }, 404);
  };
const OPERATORS = '/v0/eth/operators';

describe('a list that is read as a whole', () => {
  slow('loses what the service has removed, together with what else has changed', async () => {
    const service = await serviceForTest(
      serving({ [OPERATORS]: [operator('A'), operator('B'), operator('C')] }),
    );
    await run(service, {});
    service.answer = serving({ [OPERATORS]: [operator('A', { validatorCount: 77 }), operator('D')] });
    const seen = new Set<string>();
    let over = false;
    const watching = (async () => {
      while (!over) seen.add((await pools()).join());
    })();
    const report = await run(service, {});
    over = true;
    await watching;
    expect(report.resources).toMatchObject([{ rows: 2, inserted: 1, updated: 1, removed: 2 }]);
    expect(['A,B,C', 'A,D']).toEqual(expect.arrayContaining([...seen]));
    expect(await pools()).toEqual(['A', 'D']);
  });

  it('is empty when that of the service is', async () => {
    const service = await serviceForTest(
      serving({ [OPERATORS]: [operator('A')], '/v0/eth/slashings': [slashing(1)] }),
    );
    await run(service, { resources: ['operators', 'slashings'] });
    service.answer = serving({ [OPERATORS]: [], '/v0/eth/slashings': [] });
    const report = await run(service, { resources: ['operators', 'slashings'] });
    expect(report.resources).toMatchObject([{ removed: 1 }, { removed: 1 }]);
    expect(await pools()).toEqual([]);
    expect((await gateway.get('/v0/eth/slashings')).json.total).toBe(0);
  });

  it('of slashings is walked also where pages overlap by a day', async () => {
    const rows = [1, 2, 3, 4].map((index) => slashing(index));
    const service = await serviceForTest((request, response) => {
      const from = Number(request.url.searchParams.get('from') ?? 0);
      const data = rows.slice(from, from + 2);
      const next = from + 2 < rows.length ? `/v0/eth/slashings?size=2&from=${from + 1}` : null;
      reply(response, {
        page: { from: null, to: null, size: 2, filterType: null },
        total: rows.length,
        data,
        next,
      });
    });
    expect(await run(service, { resources: ['slashings'], pageSize: 2 })).toMatchObject({ complete: true });
    expect((await gateway.get('/v0/eth/slashings')).json.total).toBe(4);
  });
});

describe('a series', () => {
  const day = (number: number, sum = 1) => ({
    day: number,
    ...{
      sumConsensusRewards: sum,
      sumExecutionRewards: 2,
      sumPriorityFees: 1,
      sumBaselineMev: 1,
      sumEffectiveBalance: 9,
    },
  });
  /** Newest first from `from` down, as the interface has it. */
  const days =
    (last: number, sum?: number): Service['answer'] =>
    (request, response) => {
      const from = Math.min(last, Number(request.url.searchParams.get('from') ?? last));
      const size = Number(request.url.searchParams.get('size'));
      const data = Array.from({ length: Math.min(size, from + 1) }, (_, index) => day(from - index, sum));
      const to = Math.max(0, from - size);
      const next = from >= size ? `${request.url.pathname}?from=${to}&size=${size}` : null;
      reply(response, { page: { from, to, size }, total: last + 1, data, next });
    };
  const options: Options = { resources: ['chain-daily-rewards'], pageSize: 5 };
  const stored = async () => (await gateway.get('/v0/eth/network/chainDailyRewards?size=200')).json;

  it('that goes down is read to its last stored day, and that day again', async () => {
    const service = await serviceForTest(days(19));
    await run(service, options);
    expect(service.asked).toHaveLength(4);
    service.asked.length = 0;
    service.answer = days(23, 7);
    expect((await run(service, options)).resources).toMatchObject([{ rows: 5, inserted: 4, updated: 1 }]);
    expect(service.paths()).toEqual(['/v0/eth/network/chainDailyRewards?size=5']);
    const { total, data } = await stored();
    expect(total).toBe(24);
    expect(data.map((row: any) => row.sumConsensusRewards)).toEqual([7, 7, 7, 7, 7, ...Array(19).fill(1)]);
  });

  it('is read from its beginning with --full', async () => {
    const service = await serviceForTest(days(19));
    await run(service, options);
    service.asked.length = 0;
    expect((await run(service, { ...options, full: true })).resources).toMatchObject([
      { rows: 20, inserted: 0 },
    ]);
    expect(service.asked).toHaveLength(4);
  });

  it('that does not go down is refused', async () => {
    const service = await serviceForTest((request: Asked, response) =>
      reply(response, pageV0([day(3), day(4)], request)),
    );
    const { failures } = await run(service, options);
    expect(failures[0]?.error).toContain('does not descend by day after 3; nothing loaded.');
    expect((await stored()).total).toBe(0);
  });

  it('of attestations is asked for new days alone, of both calendars, and the last one again', async () => {
    const record = (number: number, utc: boolean, validatorCount = 4) => {
      const { startEpoch, endEpoch } = spanOfChainDay('mainnet', number);
      const shift = utc ? 113 : 0; // the epochs of the UTC day of the same date
      const sums = [
        'totalUniqueAttestations',
        'sumMissedAttestations',
        'sumCorrectHead',
        'sumCorrectTarget',
        'sumCorrectSource',
        'sumWrongHeadVotes',
      ];
      const more = [
        'sumWrongTargetVotes',
        'sumLateTargetVotes',
        'sumLateSourceVotes',
        'sumInclusionDelay',
        'sumEndEpochBalance',
        'sumEndEpochEffectiveBalance',
      ];
      return {
        ...{ id: 'A', validatorCount, avgAttesterEffectiveness: 90, day: number },
        ...{ startEpoch: startEpoch - shift + (utc ? 1 : 0), endEpoch: endEpoch - shift },
        ...Object.fromEntries([...sums, ...more].map((name) => [name, 5])),
      };
    };
    let last = 1403;
    let count = 4;
    const service = await serviceForTest(({ url }, response) => {
      if (url.pathname === OPERATORS) return reply(response, { data: [operator('A')], total: 1, next: null });
      const from = Number(url.searchParams.get('fromDay') ?? 1400);
      const utc = url.searchParams.get('utc') === 'true';
      const results = Array.from({ length: last - from + 1 }, (_, index) => record(from + index, utc, count));
      reply(response, { previous: null, next: null, pages: 1, results });
    });
    const both: Options = {
      resources: ['operators', 'attestations'],
      calendars: ['chain', 'utc'],
      attestationsOf: ['pool'],
    };
    expect((await run(service, both)).failures).toEqual([]);
    [last, count] = [1405, 9];
    service.asked.length = 0;
    expect((await run(service, both)).resources[1]).toMatchObject({ rows: 6, inserted: 4, updated: 2 });
    const path = '/v1/eth/entities/A/attestations?entityType=pool&granularity=day&limit=200';
    expect(service.paths().slice(2)).toEqual([`${path}&fromDay=1403`, `${path}&utc=true&fromDay=1403`]);
    const { json } = await gateway.get('/v1/eth/entities/A/attestations?entityType=pool');
    expect(json.results.map((row: any) => [row.day, row.validatorCount])).toEqual([
      ...[
        [1400, 4],
        [1401, 4],
        [1402, 4],
      ],
      ...[
        [1403, 9],
        [1404, 9],
        [1405, 9],
      ],
    ]);
  });

  describe('of a service that follows the head of a chain', () => {
    /** Blocks whose rewards are known from 100 slots behind the head on, except those in a gap. */
    const following =
      (head: number, gap: [first: number, last: number] = [0, -1]): Service['answer'] =>
      (request, response) => {
        const from = Number(request.url.searchParams.get('from') ?? head);
        const row = (slot: number) => ({
          consensusSlot: slot,
          validatorIndex: 7,
          consensusProposerDuty: 'proposed',
          consensusBlockRoot: `0x${slot.toString(16).padStart(64, '0')}`,
          consensusRewards: slot > head - 100 ? null : 5,
        });
        const committee = /blocks\/(\d+)\/sync/.exec(request.path)?.[1];
        if (committee !== undefined) {
          const isKnown = Number(committee) <= head - 100;
          const rewards = { consensusSlot: Number(committee), validatorIndex: 7, syncCommitteeRewards: '5' };
          return reply(response, pageV0(isKnown ? [rewards] : [], request));
        }
        const below = Math.min(from, head) - 9_000 + 1;
        const slots = Array.from({ length: below }, (_, at) => Math.min(from, head) - at);
        const rows = slots.filter((slot) => slot < gap[0] || slot > gap[1]).slice(0, 201);
        const next = rows.length > 200 ? `/v0/eth/blocks?from=${rows[200]}&size=200` : null;
        reply(response, { data: rows.slice(0, 200).map(row), total: head - 8_999, next });
      };
    const stored = async () => {
      const text = `select count(*)::int as slots, count(consensus_rewards)::int as rewarded,
        min(slot)::int as first, max(slot)::int as last from blocks`;
      return (await gateway.database.pool.query({ text, values: [] })).rows[0];
    };

    slow('has the rewards of every block once the service knows them', async () => {
      const service = await serviceForTest(following(10_010));
      const blocks: Options = { resources: ['blocks'], blockSlots: 200 };
      for (const head of [10_010, 10_090, 10_200, 10_400]) {
        service.answer = following(head);
        expect((await run(service, blocks)).complete).toBe(true);
      }
      expect(await stored()).toEqual({ slots: 590, rewarded: 490, first: 9_811, last: 10_400 });
    });

    it('is not complete where the list ends although there are slots below', async () => {
      const service = await serviceForTest((request, response) => {
        const { end } = response;
        response.end = ((body: string) =>
          end.call(response, body.replace(/"next":"[^"]*"/, '"next":null'), 'utf8')) as never;
        following(9_600)(request, response);
      });
      const { complete, failures } = await run(service, { resources: ['blocks'], blockSlots: 1_000 });
      expect([complete, failures]).toMatchObject([
        false,
        [
          {
            error: expect.stringContaining('begins with slot 9400, but the list above it ended at slot 9401'),
          },
        ],
      ]);
      expect(await stored()).toMatchObject({ slots: 0 });
    });

    it('has the slots that the service gets after newer ones', async () => {
      const service = await serviceForTest(following(9_600));
      const blocks: Options = { resources: ['blocks'], blockSlots: 200 };
      await run(service, blocks);
      service.answer = following(10_100, [9_601, 9_912]);
      await run(service, blocks);
      expect(await stored()).toMatchObject({ slots: 388 });
      service.answer = following(10_150);
      await run(service, blocks);
      expect(await stored()).toMatchObject({ slots: 750, first: 9_401, last: 10_150 });
    });

    slow('is not read again from a gap that stays for more than a day', async () => {
      const service = await serviceForTest(following(10_100, [9_601, 9_700]));
      const blocks: Options = { resources: ['blocks'], blockSlots: 1_000 };
      await run(service, blocks);
      service.answer = following(18_000, [9_601, 9_700]);
      await run(service, blocks);
      service.asked.length = 0;
      service.answer = following(18_010, [9_601, 9_700]);
      await run(service, blocks);
      expect(service.asked.length).toBeLessThan(4);
    });

    slow('has the sync committee rewards of the newest slots whose rewards are known', async () => {
      const service = await serviceForTest(following(10_010));
      const committee: Options = { resources: ['sync-committee-rewards'], committeeSlots: 5 };
      expect(await run(service, committee)).toMatchObject({ resources: [{ rows: 5 }] });
      service.answer = following(10_013);
      expect(await run(service, committee)).toMatchObject({ resources: [{ rows: 3 }] });
    });
  });

  it('of sync committee rewards asks again for slots whose rewards were not there yet', async () => {
    const reward = (slot: number) => ({ consensusSlot: slot, validatorIndex: 7, syncCommitteeRewards: '5' });
    let ready = 12;
    const service = await serviceForTest((request, response) => {
      const slot = Number(/blocks\/(\d+)/.exec(request.path)?.[1]);
      if (Number.isNaN(slot)) reply(response, { data: [{ consensusSlot: 14 }], total: 15, next: 'x' });
      else if (slot > ready) reply(response, {}, 404);
      else reply(response, pageV0(slot === 11 ? [] : [reward(slot)], request));
    });
    const committee: Options = { resources: ['sync-committee-rewards'], committeeSlots: 5 };
    const slots = () =>
      service
        .paths()
        .map((path) => /blocks\/(\d+)/.exec(path)?.[1])
        .filter(Boolean)
        .map(Number);
    expect(await run(service, committee)).toMatchObject({
      complete: true,
      resources: [{ rows: 2, absent: 2 }],
    });
    expect(slots()).toEqual([10, 11, 12, 13, 14]);
    service.asked.length = 0;
    ready = 14;
    expect(await run(service, committee)).toMatchObject({ resources: [{ rows: 2, absent: 0 }] });
    expect(slots()).toEqual([13, 14]);
  });

  it('of another network is asked for new dates alone', async () => {
    const record = (date: string) => ({
      day: date,
      epoch: 700,
      activeValidatorCount: 5,
      totalVotingRewards: 1.5,
      totalProposalRewards: 1,
      totalMevRewards: 0.25,
      totalDelegatorRewards: 3,
    });
    const service = await serviceForTest(({ url }, response) => {
      const dates = ['2025-01-01', '2025-01-02', '2025-01-03'].filter(
        (date) => date >= (url.searchParams.get('fromDate') ?? ''),
      );
      reply(response, { previous: null, next: null, pages: 1, results: dates.map(record) });
    });
    await run(service, { resources: ['solana-rewards'] });
    const report = await run(service, { resources: ['solana-rewards'] });
    expect(report.resources).toMatchObject([{ rows: 1, inserted: 0, updated: 0 }]);
    expect(service.paths()).toEqual([
      '/v1/solana/network/rewards?limit=200',
      '/v1/solana/network/rewards?limit=200&fromDate=2025-01-03',
    ]);
  });
});

describe('what a service does not have', () => {
  it('is passed over where it was not asked for by name', async () => {
    const service = await serviceForTest(serving({ [OPERATORS]: [operator('A')] }));
    const report = await mirrorFrom(gateway.database.pool, service.url, { classes: ['pool'] });
    expect(report).toMatchObject({ complete: true, failures: [] });
    expect(report.resources.filter(({ done }) => done > 0).map(({ resource }) => resource)).toEqual([
      'operators',
    ]);
  });

  it('is a failure where it was', async () => {
    const service = await serviceForTest(serving({ [OPERATORS]: [operator('A')] }));
    const { failures } = await run(service, { resources: ['operators', 'slashings'] });
    expect(failures).toMatchObject([
      { resource: 'slashings', error: expect.stringContaining('does not exist (404)') },
    ]);
  });

  it('all of it, is a wrong address', async () => {
    const service = await serviceForTest(serving({}));
    const report = await mirrorFrom(gateway.database.pool, service.url);
    expect(report.complete).toBe(false);
    expect(report.ended).toBe(`the service has none of the lists; is ${service.url} its address?`);
  });

  slow('under v0 is asked for under v1', async () => {
    const original = await startGateway();
    const service = await serviceForTest(async ({ url, headers }, response) => {
      if (url.pathname.startsWith('/v0')) return reply(response, {}, 404);
      const answer = await original.get(url.pathname + url.search, {
        authorization: headers.authorization as string,
      });
      reply(response, answer.text.replaceAll(original.url, service.url), answer.status);
    });
    const report = await run(service, {
      token: original.token,
      resources: ['solana-overview', 'stake-authorities'],
    });
    expect(report).toMatchObject({ complete: true, resources: [{ rows: 4 }, { rows: 1_500 }] });
    for (const path of [
      '/v0/solana/network/overview',
      '/v0/solana/delegators/stakeAuthorities?window=7d&size=200&from=1200',
    ]) {
      const bodies = await Promise.all([gateway, original].map(async (one) => (await one.get(path)).text));
      expect(bodies[0]?.replace(/revision=\d+/, '')).toBe(bodies[1]?.replace(/revision=\d+/, ''));
    }
    await original.close();
  });
});

describe('pool shares', () => {
  const classes = ['nodeOperator', 'pool', 'poolShare'] as const;
  const parents: Record<string, string[]> = {
    'A - x': ['A', 'x'],
    'A - both': ['A', 'both'],
    'both - x': ['both', 'x'],
    'both - both': ['both'],
  };
  const lists: Service['answer'] = (request, response) => {
    const { searchParams } = request.url;
    const parent = searchParams.get('parentId');
    const idType = searchParams.get('idType');
    const named =
      { pool: ['A', 'both'], nodeOperator: ['both', 'x'], poolShare: Object.keys(parents) }[idType ?? ''] ??
      [];
    const ids = parent === null ? named : named.filter((id) => parents[id]?.includes(parent));
    reply(
      response,
      pageV0(
        ids.map((id) => operator(id, { idType })),
        request,
      ),
    );
  };

  it('get the parents that their records do not tell, asked for once', async () => {
    const service = await serviceForTest(lists);
    expect((await run(service, { classes })).failures).toEqual([]);
    const { rows } = await gateway.database.pool.query({
      text: `select operator_id, pool_id, node_operator_id from operator_summaries where id_type = 'poolShare' order by 1`,
      values: [],
    });
    expect(rows).toEqual([
      { operator_id: 'A - both', pool_id: 'A', node_operator_id: 'both' },
      { operator_id: 'A - x', pool_id: 'A', node_operator_id: 'x' },
      { operator_id: 'both - both', pool_id: 'both', node_operator_id: 'both' },
      { operator_id: 'both - x', pool_id: 'both', node_operator_id: 'x' },
    ]);
    for (const parent of ['A', 'x', 'both']) {
      const shares = Object.keys(parents).filter((id) => parents[id]?.includes(parent));
      expect((await pools(`parentId=${parent}`)).toSorted()).toEqual(shares.toSorted());
    }
    service.asked.length = 0;
    expect((await run(service, { classes })).resources).toMatchObject([{ updated: 0, requests: 4 }]);
    expect(service.paths().join()).not.toContain('parentId');
  });

  it('whose tags tell their parents are not asked for', async () => {
    const operatorTags = [
      { name: 'A', path: null, idType: 'pool' },
      { name: 'x', path: null, idType: 'nodeOperator' },
    ];
    const service = await serviceForTest((request, response) =>
      reply(response, pageV0([share('A - x', { operatorTags })], request)),
    );
    expect((await run(service, { classes: ['poolShare'] })).complete).toBe(true);
    expect(service.asked).toHaveLength(1);
    expect(await pools('parentId=x')).toEqual(['A - x']);
  });
});

const real = fileURLToPath(new URL('../../../shared/real/', import.meta.url));
describe.skipIf(!existsSync(real))('recorded answers of a live service', () => {
  const recorded = (name: string) => readFileSync(`${real}${name}`, 'utf8');

  it('are mirrored with all their quirks: further keys, missing balances, hashes and moments in other forms', async () => {
    const files = readdirSync(`${real}operators-pool-7d`).sort();
    const [before, after] = [files[0], files.at(-1)].map((name) =>
      JSON.parse(recorded(`operators-pool-7d/${name}`)),
    );
    const block = JSON.parse(recorded('block.json'));
    const blocks = {
      page: { from: block.consensusSlot, to: null, size: 1, granularity: null },
      total: 1,
      data: [block],
      next: null,
    };
    const slashings = { ...JSON.parse(recorded('slashings.json')), next: null, total: 2 };
    let pool = before;
    const service = await serviceForTest(({ url }, response) => {
      const body = { [OPERATORS]: pool, '/v0/eth/blocks': blocks, '/v0/eth/slashings': slashings }[
        url.pathname
      ];
      reply(response, body ?? {}, body ? 200 : 404);
    });
    const options: Options = { resources: ['operators', 'slashings', 'blocks'] };
    expect((await run(service, options)).failures).toEqual([]);
    pool = after;
    const report = await run(service, options);
    expect(report.failures).toEqual([]);
    expect(report.resources[0]?.rows).toBe(after.data.length);
    expect((await pools()).toSorted()).toEqual(after.data.map(({ id }: any) => id).toSorted());
    const { json } = await gateway.get(`/v0/eth/blocks/${block.consensusSlot}`);
    expect(json.consensusBlockRoot).toBe(`0x${block.consensusBlockRoot.replace(/^\\+x/, '')}`);
    expect(json.blockTimestamp).toBe(`${block.blockTimestamp}Z`);
  });
});
