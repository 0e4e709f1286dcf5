import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { doubleText } from '../../src/kernel/json-text.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { runs, slow } from '../support/thorough.ts';

let gateway: Gateway;
let keeping: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
  keeping = await startGateway({ settings: { CACHE: true } });
});
afterAll(() => Promise.all([gateway.close(), keeping.close()]));

const finite = { noNaN: true, noDefaultInfinity: true } as const;
// Doubles with a special text come often: whole numbers, small shares, and numbers near the first exponents.
const anyDouble = fc.oneof(
  fc.double(finite),
  fc.double({ ...finite, min: -2e-4, max: 2e-4 }),
  fc.double({ ...finite, min: 9e14, max: 2e16 }),
  fc.integer(),
  fc.constantFrom(0, -0, 1, -1, 100, 1e15, 1e16, 1e21, 1e22, 1e-4, 1e-5, 1e-6, 1e-7, 0.000014172675517684229),
);
const share = fc.oneof(
  fc.double({ noNaN: true, min: 0, max: 1 }),
  fc.double({ noNaN: true, min: 0, max: 1e-3 }),
  fc.constantFrom(0, 1),
);

const ID = 'Alder Liquid';

/** Stores these figures of one pool, as an import does; the driver would send -0 as 0. */
async function store({ database }: Gateway, apr: number, part: number) {
  const list = (name: string) => `[{"${name}":"x","percentage":${doubleText(part)}}]`;
  await database.pool.query({
    text: `update operator_summaries set apr_percentage = $2, network_penetration = $3, avg_uptime = $3,
        client_percentages = $4, relayer_percentages = $5
      where operator_id = $1 and id_type = 'pool' and time_window = '7d' and network = 'mainnet'`,
    values: [ID, doubleText(apr), part, list('client'), list('relayer')],
  });
  await database.pool.query({
    text: `update solana_overviews set validator_apy = $1, network_vote_success_rate = $2`,
    values: [doubleText(apr), part],
  });
}

const summary = 'summary(window: SEVEN_DAYS)';
const figures = 'aprPercentage networkPenetration avgUptime';
const lists = 'clientPercentages { client ratio } relayerPercentages { relayer ratio }';
const one = `operator(operatorId: "${ID}", idType: POOL)`;
// Rows that PostgreSQL writes, rows of columns, and both in one answer.
const queries = [
  `{ ${one} { ${summary} { ${figures} ${lists} } } }`,
  `{ ${one} { ${summary} { ${figures} clientPercentages { ratio } relayerPercentages { ratio } } } }`,
  `{ operators(window: SEVEN_DAYS, idType: POOL, first: 200) { nodes { operatorId ${summary} { ${figures} ${lists} } } } }`,
  `{ operators(window: SEVEN_DAYS, idType: POOL, first: 200) { nodes { operatorId ${summary} { ${figures} } attestations(first: 1) { nodes { avgAttesterEffectiveness } } } } }`,
];
const paths = [
  `/v0/eth/operators/${encodeURIComponent(ID)}/summary?window=7d&idType=pool`,
  '/v0/eth/operators?window=7d&idType=pool&size=200',
];

/** The texts of a field in an answer, of that pool alone where it is a list of several. */
function textsOf(answer: string, field: string): string[] {
  const at = Math.max(0, answer.search(new RegExp(`"(id|operatorId)":"${ID}"`)));
  const end = answer.indexOf('"operatorId"', at + 20);
  const own = answer.slice(at, end < 0 ? undefined : end);
  return [...own.matchAll(new RegExp(`"${field}":(-?[^,}\\]]+)`, 'g'))].map(([, text = '']) => text);
}

let asked = 0;
async function answersOf(from: Gateway): Promise<string[]> {
  asked += 1; // new URLs and query names, so that a cached answer has these figures
  const answers: string[] = [];
  for (const path of paths)
    for (let time = 0; time < 3; time += 1) answers.push((await from.get(`${path}&asked=${asked}`)).text);
  for (const query of queries)
    for (let time = 0; time < 4; time += 1)
      answers.push((await from.graphql(`query Q${asked} ${query}`)).text);
  return answers;
}

describe('a double', () => {
  slow(
    'has one text in every answer: of a list, of one, by REST and GraphQL, first and again, kept or not',
    async () => {
      await fc.assert(
        fc.asyncProperty(anyDouble, share, async (apr, part) => {
          for (const from of [gateway, keeping]) {
            await store(from, apr, part);
            for (const answer of await answersOf(from)) {
              expect(textsOf(answer, 'aprPercentage')[0]).toBe(doubleText(apr));
              expect(textsOf(answer, 'networkPenetration')[0]).toBe(doubleText(part));
              expect(textsOf(answer, 'avgUptime')[0]).toBe(doubleText(part));
              for (const name of ['percentage', 'ratio'])
                for (const text of textsOf(answer, name).slice(0, 2)) expect(text).toBe(doubleText(part));
            }
          }
        }),
        { ...runs(12), endOnFailure: true },
      );
    },
  );

  it('of a record that is read as columns has the same text', async () => {
    await fc.assert(
      fc.asyncProperty(anyDouble, share, async (apr, part) => {
        await store(gateway, apr, part);
        const rest = await gateway.get('/v1/solana/network/overview?window=7d');
        const graph = await gateway.graphql(
          '{ solanaNetworkOverviews { validatorApy networkVoteSuccessRate } }',
        );
        for (const { text } of [rest, graph]) {
          expect(textsOf(text, 'validatorApy')[0]).toBe(doubleText(apr));
          expect(textsOf(text, 'networkVoteSuccessRate')[0]).toBe(doubleText(part));
        }
      }),
      { ...runs(20), endOnFailure: true },
    );
  });

  it('is written the same in the first answer to a query and in the later ones, byte for byte', async () => {
    const query = `query Same ${queries[2]}`;
    const texts = [];
    for (let time = 0; time < 4; time += 1) texts.push((await gateway.graphql(query)).text);
    for (const text of texts) expect(text).toBe(texts[0]);
  });
});
