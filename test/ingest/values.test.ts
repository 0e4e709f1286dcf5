import { describe, expect, it } from 'vitest';
import { importFile } from '../../src/ingest/import-file.ts';
import type { ImportResource } from '../../src/ingest/importers/index.ts';
import { useGateway } from '../support/gateway.ts';
import { operator, slashing, useFiles } from './rows.ts';

const write = useFiles();
const gateway = useGateway({ template: 'empty' });

const load = async (resource: ImportResource, content: unknown) =>
  importFile(gateway.database.pool, resource, await write(content), { network: 'mainnet' });
/** What makes a pool share of a row, with this path in the tag of its node operator. */
const shareTo = (path: string) => ({
  idType: 'poolShare',
  operatorTags: [{ name: 'operator', path, idType: 'nodeOperator' }],
});
/** The text of a row with one value put in digit for digit. */
const withDigits = (row: object, digits: Record<string, string>) =>
  Object.entries(digits).reduce(
    (text, [name, value]) => text.replace(new RegExp(`"${name}":[^,}]+`), `"${name}":${value}`),
    JSON.stringify(row),
  );
const summary = (id: string) =>
  gateway.get(`/v0/eth/operators/${encodeURIComponent(id)}/summary?window=7d&idType=pool`);
const slashingText = async (index: number) =>
  (await gateway.get(`/v0/eth/slashings?size=200`)).text
    .split('{')
    .find((text) => text.includes(`"validatorIndex":${index},`));

describe('numbers', () => {
  it.each([
    ['sumEndEpochBalance', '9007199254740993'],
    ['sumEndEpochBalance', '9223372036854775807'],
    ['sumEndEpochEffectiveBalance', '0'],
    ['avgUptime', '0.30000000000000004'],
    ['networkPenetration', '1e-07'], // as many services write it: two digits at the least
    ['networkPenetration', '5e-324'],
    ['avgCorrectness', '0.9999999999999999'],
    ['aprPercentage', '-1.7976931348623157e+308'],
  ])('%s %s comes back digit for digit', async (name, digits) => {
    const text = withDigits(operator('A'), { [name]: digits });
    expect(await load('operators', text)).toMatchObject({ faults: [] });
    expect((await summary('A')).text).toContain(`"${name}":${digits}`);
  });

  it.each([
    ['sumEndEpochBalance', '32014860472.0', '32014860472'],
    ['sumEndEpochBalance', '3.2014860472e10', '32014860472'],
    ['sumEndEpochBalance', '320148604720E-1', '32014860472'],
    ['networkPenetration', '1.0E-7', '1e-07'],
    ['networkPenetration', '0.00001', '1e-05'],
    ['validatorCount', '12.0', '12'],
  ])('%s written as %s is %s', async (name, written, digits) => {
    await load('operators', withDigits(operator('A'), { [name]: written }));
    expect((await summary('A')).text).toContain(`"${name}":${digits}`);
  });
});

describe('an operator', () => {
  it('of an older service without the two balance fields has null there', async () => {
    const { sumEndEpochBalance, sumEndEpochEffectiveBalance, ...older } = operator('older');
    expect(await load('operators', [older])).toMatchObject({ faults: [] });
    expect((await summary('older')).json).toEqual({
      ...older,
      sumEndEpochBalance: null,
      sumEndEpochEffectiveBalance: null,
    });
  });

  it('answers name, path and idType of its tags in this order, null where they are not told', async () => {
    const operatorTags = [
      { idType: 'tag', path: '/x', name: 'exchange', further: 1 },
      { name: 'legendary', path: null, idType: null },
      { name: 'bare' },
    ];
    await load('operators', [operator('tags', { operatorTags })]);
    const shown =
      '[{"name":"exchange","path":"/x","idType":"tag"},{"name":"legendary","path":null,"idType":null},{"name":"bare","path":null,"idType":null}]';
    expect((await summary('tags')).text).toContain(`"operatorTags":${shown}`);
    const query = '{ operator(operatorId: "tags", idType: POOL) { operatorTags { name path idType } } }';
    expect((await gateway.graphql(query)).data.operator.operatorTags).toEqual(JSON.parse(shown));
  });

  it.each([
    [{ operatorTags: [{ name: 'x', path: null, idType: 7 }] }, 'operatorTags.0.idType'],
    [{ poolType: 'dex' }, 'poolType'],
    [{ idType: 'nodeOperator', poolType: 'lst' }, 'poolType'],
    [shareTo('/o/%00'), 'operatorTags'],
    [shareTo(`/o/${'x'.repeat(257)}`), 'operatorTags'],
  ])('with %j is refused naming %s', async (change, field) => {
    const { faults } = await load('operators', [operator('refused', change)]);
    expect(faults.map((fault) => fault.field)).toEqual([field]);
  });

  it('with an id in the form \\x… of a database dump has it as 0x… in lower case', async () => {
    await load('operators', [operator(`\\x${'Ab'.repeat(20)}`)]);
    expect((await summary(`0x${'ab'.repeat(20)}`)).status).toBe(200);
  });

  it('of more than 100 percent effectiveness is refused, which is told', async () => {
    await load('operators', [operator('full', { avgValidatorEffectiveness: 100 })]);
    const { faults } = await load('operators', [operator('over', { avgValidatorEffectiveness: 100.0001 })]);
    expect(faults.map(({ field, msg }) => [field, msg])).toEqual([
      ['avgValidatorEffectiveness', 'is 100.0001; a percentage of at most 100 is needed'],
    ]);
  });

  it('keeps a name in any script as it is', async () => {
    const id = 'Стейкинг 🥩 «é»/%2F';
    await load('operators', [operator(id, { displayName: id })]);
    expect((await summary(id)).json).toMatchObject({ id, displayName: id });
  });
});

describe('a slashing', () => {
  it.each([
    ['no loss', { balanceBeforeSlashing: '32', balanceBeforeWithdrawal: '32', slashingPenalties: '0' }],
    [
      'a gain, as a negative penalty',
      { balanceBeforeSlashing: '31', balanceBeforeWithdrawal: '32', slashingPenalties: '-1' },
    ],
    [
      'balances past 2^53',
      {
        balanceBeforeSlashing: '9223372036854775807',
        balanceBeforeWithdrawal: '9007199254740993',
        slashingPenalties: '9214364837600034814',
      },
    ],
    [
      'the largest loss',
      {
        balanceBeforeSlashing: '9223372036854775807',
        balanceBeforeWithdrawal: '0',
        slashingPenalties: '9223372036854775807',
      },
    ],
  ])('with %s comes back digit for digit', async (_name, digits) => {
    expect(await load('slashings', withDigits(slashing(1), digits))).toMatchObject({ faults: [] });
    const text = await slashingText(1);
    for (const [name, value] of Object.entries(digits))
      expect(text).toMatch(new RegExp(`"${name}":${value}[,}]`));
  });

  it('whose penalty is not the difference of its balances is refused with both numbers', async () => {
    const digits = {
      balanceBeforeSlashing: '9007199254740993',
      balanceBeforeWithdrawal: '1',
      slashingPenalties: '9007199254740993',
    };
    const { faults } = await load('slashings', withDigits(slashing(2), digits));
    expect(faults).toMatchObject([
      {
        field: 'slashingPenalties',
        msg: 'is 9007199254740993; balanceBeforeSlashing − balanceBeforeWithdrawal is 9007199254740992',
      },
    ]);
  });

  it('withdrawable before it was slashed is refused', async () => {
    const { faults } = await load('slashings', [slashing(3, { withdrawableEpoch: 1 })]);
    expect(faults).toMatchObject([{ field: 'withdrawableEpoch', msg: 'is 1, before slashingEpoch 1003' }]);
  });

  it('with a balance that is a long fraction is refused', async () => {
    const digits = { balanceBeforeSlashing: '1.50000000000000000001' };
    const { faults } = await load('slashings', withDigits(slashing(4), digits));
    expect(faults).toContainEqual(
      expect.objectContaining({ field: 'balanceBeforeSlashing', msg: 'must be a whole number >= 0' }),
    );
  });

  it('past 2^63 is refused', async () => {
    const { faults } = await load(
      'slashings',
      withDigits(slashing(4), { balanceBeforeSlashing: '9223372036854775808' }),
    );
    expect(faults).toContainEqual(
      expect.objectContaining({ field: 'balanceBeforeSlashing', msg: 'must be below 2^63' }),
    );
  });

  it('with a public key in the form \\x… has it as 0x… in lower case', async () => {
    await load('slashings', [slashing(5, { validatorPubkey: `\\x${'Ab'.repeat(48)}` })]);
    expect(await slashingText(5)).toContain(`"validatorPubkey":"0x${'ab'.repeat(48)}"`);
  });
});
