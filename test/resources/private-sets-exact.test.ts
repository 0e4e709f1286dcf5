import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  block,
  type Day,
  fifthOfDay,
  load,
  pubkeyOf,
  randomDay,
  refreshed,
  validator,
  validatorDay,
} from '../refresh/facts.ts';
import { type Account, accountOf } from '../support/account.ts';
import { useGateway } from '../support/gateway.ts';
import { runs, slow } from '../support/thorough.ts';

const gateway = useGateway({ template: 'empty' });
const DAY = 1_500;
const DAYS = 6;
const indices = [0, 1, 2, 3, 4, 5, 6, 7];

const facts = fc.tuple(
  ...Array.from({ length: DAYS }, (_, at) => DAY + at).flatMap((day) =>
    indices.map((index) => randomDay(index, day)),
  ),
);
const story = fc.record({
  facts,
  added: fc.shuffledSubarray(indices, { minLength: indices.length }),
  days: fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: DAYS }),
});

/** The bodies of all figures of a set, without its id and name. */
async function bodies(account: Account, id: string): Promise<string[]> {
  const paths = ['day', 'week', 'month', 'all'].flatMap((granularity) =>
    ['effectiveness', 'proposals', 'rewards', 'attestations'].map(
      (figure) => `/v1/eth/sets/${id}/${figure}?granularity=${granularity}&limit=100`,
    ),
  );
  const summaries = ['1d', '7d', 'all'].map(
    (window) => `/v0/eth/operators/${id}/summary?window=${window}&idType=privateSet`,
  );
  const found: string[] = [];
  for (const path of [...paths, ...summaries]) {
    const { status, text } = await account.get(path);
    expect(status, text).toBe(200);
    found.push(text.replaceAll(id, 'ID'));
  }
  return found;
}

describe('means of a private set', () => {
  slow('have the same digits whatever the order of adding validators and of importing days', async () => {
    const account = await accountOf(gateway);
    await load(
      gateway,
      'validators',
      indices.map((index) => validator(index)),
    );
    const query = (text: string) => gateway.database.pool.query({ text, values: [] });
    await fc.assert(
      fc.asyncProperty(story, async ({ facts, added, days }) => {
        await query('truncate validator_days, validator_day_dates, private_sets cascade');
        const make = async (validators: number[]) =>
          (await account.post('/v1/eth/tags', { name: 'x', validators })).json.id as string;
        const before = await make(added);
        for (const at of days)
          await load(
            gateway,
            'validator-days',
            facts.filter(({ day }) => day === DAY + at),
          );
        const after = await make([]);
        for (const index of added)
          await account.post(`/v1/eth/tags/${after}/validators`, { pubkeys: [index] });
        const whole = await make(indices);
        const wanted = await bodies(account, whole);
        expect(await bodies(account, before)).toEqual(wanted);
        expect(await bodies(account, after)).toEqual(wanted);
      }),
      { ...runs(4), endOnFailure: true },
    );
  });

  it('of one validator have the digits of that validator, from 1/16 on', async () => {
    const account = await accountOf(gateway);
    const own =
      'avgCorrectness avgInclusionDelay avgUptime avgAttesterEffectiveness avgProposerEffectiveness';
    const rows = `effectiveness(first: 100) { nodes { day ${own} avgValidatorEffectiveness } }`;
    await load(gateway, 'validators', [validator(0)]);
    const present = randomDay(0, DAY).filter((row) => row.totalUniqueAttestations > 60);
    await fc.assert(
      fc.asyncProperty(fc.array(present, { minLength: 30, maxLength: 30 }), async (told) => {
        await gateway.database.pool.query({
          text: 'truncate validator_days, validator_day_dates, private_sets cascade',
          values: [],
        });
        const moved = (row: Day, at: number) => {
          const [day, startEpoch] = [DAY + at, (DAY + at) * 225];
          return { ...row, day, startEpoch, endEpoch: startEpoch + 224 };
        };
        await load(gateway, 'validator-days', told.map(moved));
        const { json } = await account.post('/v1/eth/tags', { name: 'x', validators: [0] });
        const { data, errors } = await account.graphql(
          `{ validator(by: { index: 0 }) { ${rows} } privateSet(setId: "${json.id}") { ${rows} } }`,
        );
        expect(errors).toBeUndefined();
        expect(data.validator.effectiveness.nodes).toHaveLength(30);
        expect(data.privateSet).toEqual(data.validator);
      }),
      { ...runs(4), endOnFailure: true },
    );
  });
});

it.each(['1d', '7d', 'all'])(
  'the APR of %s is of what is stored of a day that is not over',
  async (window) => {
    const account = await accountOf(gateway);
    const days = [
      validatorDay(0, DAY, { sumAttestationRewards: 1_000_000 }),
      fifthOfDay(0, DAY + 1, { sumAttestationRewards: 200_000 }),
    ];
    await gateway.database.pool.query({ text: 'truncate validator_days, validator_day_dates', values: [] });
    await load(gateway, 'validators', [validator(0)]);
    await load(gateway, 'validator-days', days);
    const { id } = (await account.post('/v1/eth/tags', { name: 'open day', validators: [0] })).json;
    const { json } = await account.get(`/v0/eth/operators/${id}/summary?window=${window}&idType=privateSet`);
    expect(json.aprPercentage).toBeCloseTo((36_500 * 1_000_000) / 32_000_000_000, 9);
  },
);

describe('share of the network, clients and relays of a private set', () => {
  const fields = 'avgUptime clientPercentages networkPenetration relayerPercentages sumEndEpochBalance'.split(
    ' ',
  );
  const summary = async (account: Account, id: string, idType: string, window: string) => {
    const { json } = await account.get(`/v0/eth/operators/${id}/summary?window=${window}&idType=${idType}`);
    return Object.fromEntries(fields.map((name) => [name, json[name]]));
  };
  const SLOTS = 7_200;
  const relays = [['flashbots'], [], ['flashbots', 'ultra sound'], ['ultra sound']];
  let account: Account;
  let set: string;

  beforeAll(async () => {
    account = await accountOf(gateway);
    const query = (text: string) => gateway.database.pool.query({ text, values: [] });
    await query('truncate validator_days, validator_day_dates, private_sets, validators, blocks cascade');
    await load(
      gateway,
      'validators',
      indices.map((index) => validator(index, { nodeOperator: index < 5 ? 'N' : 'M' })),
    );
    await load(
      gateway,
      'validator-clients',
      indices
        .slice(0, 7)
        .map((validatorIndex) => ({ validatorIndex, client: `client ${validatorIndex % 3}` })),
    );
    for (const day of [DAY, DAY + 1, DAY + 2]) {
      await load(
        gateway,
        'validator-days',
        indices.map((index) => validatorDay(index, day, { endEpochEffectiveBalance: 32e9 + index * 1e9 })),
      );
      await load(
        gateway,
        'blocks',
        relays.map((names, at) =>
          block({
            consensusSlot: day * SLOTS + at * 1_801,
            validatorIndex: (day + at * 2) % 8,
            relays: names,
          }),
        ),
      );
    }
    await refreshed(gateway);
    set = (await account.post('/v1/eth/tags', { name: 'N', validators: [0, 1, 2, 3, 4] })).json.id;
  });

  it.each(['1d', '7d', 'all'])(
    'are those of the operator with the same validators, of %s',
    async (window) => {
      const wanted = await summary(account, 'N', 'nodeOperator', window);
      expect(await summary(account, set, 'privateSet', window)).toEqual(wanted);
      expect(wanted.networkPenetration).toBe((5 * 32e9 + 10e9) / (8 * 32e9 + 28e9));
      expect(wanted.clientPercentages.length).toBe(3);
      expect(wanted.relayerPercentages.length).toBeGreaterThan(1);
    },
  );

  it('is a share of the balance that the network says to be active, and never above 1', async () => {
    const epoch = (DAY + 3) * 225 - 1;
    await load(gateway, 'chain-balances', [{ epoch, totalActiveBalance: '400000000000' }]);
    const { networkPenetration } = await summary(account, set, 'privateSet', '1d');
    expect(networkPenetration).toBe((5 * 32e9 + 10e9) / 400e9);
    await gateway.database.pool.query({ text: 'truncate attestation_days', values: [] });
    await load(gateway, 'chain-balances', [{ epoch, totalActiveBalance: '100000000000' }]);
    expect((await summary(account, set, 'privateSet', '1d')).networkPenetration).toBe(1);
  });

  it('are without the client of a validator that was removed, but with its earlier blocks', async () => {
    const before = await summary(account, set, 'privateSet', 'all');
    expect((await account.call('DELETE', `/v1/eth/tags/${set}/validators/${pubkeyOf(4)}`)).status).toBe(204);
    const after = await summary(account, set, 'privateSet', 'all');
    expect(after.clientPercentages).toEqual([
      { client: 'client 0', percentage: 0.5 },
      { client: 'client 1', percentage: 0.25 },
      { client: 'client 2', percentage: 0.25 },
    ]);
    expect(after.relayerPercentages).toEqual(before.relayerPercentages);
  });
});
