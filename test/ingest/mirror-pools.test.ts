import { beforeEach, describe, expect, it } from 'vitest';
import { useGateway } from '../support/gateway.ts';
import { mirrorFrom, pageV0, reply, type Service, serviceForTest } from '../support/mirror.ts';
import { slow } from '../support/thorough.ts';
import { operator, share } from './rows.ts';

const gateway = useGateway({ template: 'empty' });
beforeEach(async () => {
  const text =
    'truncate operator_summaries, operator_lists, operator_profiles, mirror_runs, mirror_state cascade';
  await gateway.database.pool.query({ text, values: [] });
});

type Options = Parameters<typeof mirrorFrom>[2];
const run = async (service: Service, options: Options = {}) => {
  service.asked.length = 0;
  const report = await mirrorFrom(gateway.database.pool, service.url, {
    resources: ['operators'],
    ...options,
  });
  expect(report.failures).toEqual([]);
  return report;
};
const ids = async (query: string) => {
  const { json } = await gateway.get(`/v0/eth/operators?window=7d&size=200&${query}`);
  return json.data.map((row: any) => row.id).toSorted();
};
/** How often the service was asked for the shares of a parent. */
const askedParents = (service: Service) =>
  service.asked.filter(({ url }) => url.searchParams.has('parentId')).length;

describe('pools', () => {
  const classes = ['pool'] as const;
  const tagged = (name: string) => ({ operatorTags: [{ name, path: null, idType: null }] });
  const all = [operator('Lido'), operator('Mine'), operator('Other'), operator('X', tagged('exchange'))];
  const liquid =
    (lists: () => unknown[] | number): Service['answer'] =>
    (request, response) => {
      if (request.url.searchParams.get('poolType') !== 'lst') return reply(response, pageV0(all, request));
      const answer = lists();
      if (typeof answer === 'number') reply(response, { detail: 'no' }, answer);
      else reply(response, pageV0(answer, request));
    };

  it('are liquid staking where the service lists them so, and follow its list', async () => {
    let listed = [operator('Mine'), operator('Lido')];
    const service = await serviceForTest(liquid(() => listed));
    await run(service, { classes });
    expect(await ids('idType=pool&poolType=lst')).toEqual(['Lido', 'Mine']);
    expect(await ids('idType=pool&poolType=cex')).toEqual(['X']);
    listed = [operator('Mine')];
    await run(service, { classes });
    expect(await ids('idType=pool&poolType=lst')).toEqual(['Mine']);
    expect((await run(service, { classes })).resources).toMatchObject([{ updated: 0, requests: 2 }]);
  });

  it.each([
    ['lists none', () => []],
    ['does not know poolType, and lists exchanges too', () => all],
    ['refuses poolType', () => 400],
  ])('are liquid staking by name where the service %s', async (_what, answer) => {
    const service = await serviceForTest(liquid(answer));
    await run(service, { classes });
    expect(await ids('idType=pool&poolType=lst')).toEqual(['Lido']);
    expect(await ids('idType=pool&poolType=cex')).toEqual(['X']);
  });
});

describe('pool shares without tags, of which no list by parentId has anything', () => {
  const classes = ['nodeOperator', 'pool', 'poolShare'] as const;
  const parents = { pool: ['P'], nodeOperator: ['N', 'M'] };
  let shares: ReturnType<typeof share>[];
  const lists: Service['answer'] = (request, response) => {
    const { searchParams } = request.url;
    const idType = searchParams.get('idType') as 'pool' | 'nodeOperator' | 'poolShare';
    if (idType === 'poolShare') {
      const rows = searchParams.has('parentId') ? [] : shares;
      return reply(
        response,
        pageV0(
          rows.map((row) => ({ ...row, timeWindow: searchParams.get('window') })),
          request,
        ),
      );
    }
    const timeWindow = searchParams.get('window');
    reply(
      response,
      pageV0(
        parents[idType].map((id) => operator(id, { idType, timeWindow })),
        request,
      ),
    );
  };
  beforeEach(() => {
    shares = [share('a'), share('b')];
  });

  slow('are asked for once, in each window, whatever their figures do', async () => {
    const service = await serviceForTest(lists);
    const windows = ['1d', '7d'] as const;
    await run(service, { classes, windows });
    expect(askedParents(service)).toBe(6);
    shares = shares.map((row) => ({ ...row, avgUptime: 0.5, networkPenetration: 0.2, aprPercentage: 1 }));
    expect((await run(service, { classes, windows })).resources).toMatchObject([{ updated: 4 }]);
    expect(askedParents(service)).toBe(0);
    await run(service, { classes, windows });
    expect(askedParents(service)).toBe(0);
  });

  slow.each([
    ['its validators', { validatorCount: 11 }],
    ['its tags', { operatorTags: [{ name: 'solo', path: null, idType: null }] }],
    ['its name', { displayName: 'A' }],
  ])('are asked for again when one changes by %s', async (_what, change) => {
    const service = await serviceForTest(lists);
    await run(service, { classes });
    shares = [share('a', change), share('b')];
    await run(service, { classes });
    expect(askedParents(service)).toBe(3);
    await run(service, { classes });
    expect(askedParents(service)).toBe(0);
  });

  slow('are asked for again with --full, and of another service', async () => {
    const service = await serviceForTest(lists);
    await run(service, { classes });
    await run(service, { classes, full: true });
    expect(askedParents(service)).toBe(3);
    const other = await serviceForTest(lists);
    await run(other, { classes });
    expect(askedParents(other)).toBe(3);
  });
});

describe('a pool share whose tag tells its node operator alone', () => {
  it('keeps that, and only pools are asked for it', async () => {
    const operatorTags = [{ name: 'operator', path: '/o/Kiln', idType: 'nodeOperator' }];
    const service = await serviceForTest((request, response) => {
      const { searchParams } = request.url;
      const idType = searchParams.get('idType');
      const rows = searchParams.has('parentId')
        ? []
        : ({ pool: ['P'], nodeOperator: ['Kiln', 'N'] }[idType ?? ''] ?? []).map((id) =>
            operator(id, { idType }),
          );
      if (idType !== 'poolShare' || searchParams.has('parentId'))
        return reply(response, pageV0(rows, request));
      reply(response, pageV0([share('Kiln - Direct', { operatorTags })], request));
    });
    await run(service, { classes: ['nodeOperator', 'pool', 'poolShare'] });
    expect(askedParents(service)).toBe(1);
    expect(await ids('parentId=Kiln')).toEqual(['Kiln - Direct']);
    await run(service, { classes: ['nodeOperator', 'pool', 'poolShare'] });
    expect(askedParents(service)).toBe(0);
    expect(await ids('parentId=Kiln')).toEqual(['Kiln - Direct']);
  });
});
