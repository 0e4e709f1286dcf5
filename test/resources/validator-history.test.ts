import { beforeEach, describe, expect, it } from 'vitest';
import { rewardsNetworks } from '../../src/resources/network-rewards/record.ts';
import { useGateway } from '../support/gateway.ts';

const gateway = useGateway();
beforeEach(() => {
  gateway.statements.length = 0;
});
const query = async (text: string) => (await gateway.database.pool.query({ text, values: [] })).rows;
const ask = async (text: string) => {
  gateway.statements.length = 0;
  const { data, errors } = await gateway.graphql(text);
  expect(errors).toBeUndefined();
  return data;
};
const NEWEST = '2025-10-31';

describe('the history of a validator', () => {
  it('is its list of rewards, in one statement for all rows of a page', async () => {
    const days = (args: string) =>
      `(fromDate: "2025-10-01", first: 40${args}) { totalCount nodes { date validatorRewards } }`;
    const data = await ask(
      `{ networkValidators(network: POLYGON) { nodes { validator history${days('')} } } }`,
    );
    expect(gateway.statements).toEqual(['rankedRewards', 'rewardPages']);
    for (const { validator, history } of data.networkValidators.nodes) {
      const list = await ask(
        `{ validatorRewards${days(`, network: POLYGON, validatorId: "${validator}"`)} }`,
      );
      expect(history).toEqual(list.validatorRewards);
      expect(history.totalCount).toBe(31);
    }
  });

  it('takes dates, an order and cursors, and is empty without a further statement for each row', async () => {
    const order = 'orderBy: { field: VALIDATOR_REWARDS, direction: DESC }';
    const first = await ask(
      `{ networkValidators(network: SOLANA, first: 1) { nodes { validator history(${order}, first: 5) { nodes { date } pageInfo { endCursor } } } } }`,
    );
    const [{ validator, history }] = first.networkValidators.nodes;
    const next = await ask(
      `{ validatorRewards(network: SOLANA, validatorId: "${validator}", ${order}, first: 3, after: "${history.pageInfo.endCursor}") { nodes { date } } }`,
    );
    const whole = await ask(
      `{ validatorRewards(network: SOLANA, validatorId: "${validator}", ${order}, first: 8) { nodes { date } } }`,
    );
    expect([...history.nodes, ...next.validatorRewards.nodes]).toEqual(whole.validatorRewards.nodes);
    const none = await ask(
      '{ networkValidators(network: SOLANA) { nodes { history(fromDate: "2100-01-01", toDate: "2100-02-01") { totalCount nodes { date } } } } }',
    );
    expect(gateway.statements).toEqual(['rankedRewards', 'rewardPages']);
    expect(none.networkValidators.nodes).toEqual(Array(12).fill({ history: { totalCount: 0, nodes: [] } }));
  });

  it.each(rewardsNetworks)(
    'of %s takes all arguments on the type of its network, forward and backward',
    async (network) => {
      const type = `${network[0]?.toUpperCase()}${network.slice(1)}ValidatorReward`;
      const range = 'fromDate: "2025-09-01", toDate: "2025-09-20", orderBy: { field: DATE, direction: ASC }';
      const page = async (args: string) => {
        const data =
          await ask(`{ networkValidators(network: ${network.toUpperCase()}, first: 1) { nodes { ... on ${type} {
        history(${range}, ${args}) { totalCount nodes { date } pageInfo { startCursor endCursor } } } } } }`);
        const { history } = data.networkValidators.nodes[0];
        expect(history.totalCount).toBe(20);
        return { ...history.pageInfo, dates: history.nodes.map((row: any) => row.date) };
      };
      const days = (from: number, to: number) =>
        Array.from({ length: to - from + 1 }, (_, at) => `2025-09-${String(from + at).padStart(2, '0')}`);
      const first = await page('first: 12');
      const last = await page('last: 5');
      expect([first.dates, last.dates]).toEqual([days(1, 12), days(16, 20)]);
      expect((await page(`first: 12, after: "${first.endCursor}"`)).dates).toEqual(days(13, 20));
      expect((await page(`last: 12, before: "${last.startCursor}"`)).dates).toEqual(days(4, 15));
    },
  );
});

describe('the validator of a delegation', () => {
  it('is its newest day, in one statement for all delegations of a page; null without rewards', async () => {
    const data =
      await ask(`{ stakeAuthorities(window: SEVEN_DAYS, first: 20) { nodes { summary(window: SEVEN_DAYS) { delegations {
      validatorVoteAccount ratio validator { voteAccount date displayName validatorRewards history(first: 2) { nodes { date } } }
    } } } } }`);
    expect(gateway.statements).toEqual(['stakeAuthorityPages', 'rewardPages', 'rewardPages']);
    const delegations = data.stakeAuthorities.nodes.flatMap((node: any) => node.summary.delegations);
    const linked = delegations.filter((one: any) => one.validator);
    const known = new Set(
      (await query('select distinct vote_account as id from solana_validator_rewards')).map(({ id }) => id),
    );
    expect(linked.length).toBeGreaterThan(0);
    for (const { validatorVoteAccount, validator } of delegations)
      expect(validator !== null).toBe(known.has(validatorVoteAccount));
    for (const { validatorVoteAccount, validator } of linked)
      expect(validator).toMatchObject({
        voteAccount: validatorVoteAccount,
        date: NEWEST,
        history: { nodes: [{}, {}] },
      });
  });
});
