import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Day, fifthOfDay, load, randomDay, validator, validatorDay } from '../refresh/facts.ts';
import { type Account, accountOf } from '../support/account.ts';
import { useGateway } from '../support/gateway.ts';
import { runs } from '../support/thorough.ts';

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
  it('have the same digits whatever the order of adding validators and of importing days', async () => {
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
