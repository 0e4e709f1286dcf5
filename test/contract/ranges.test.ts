import { type GraphQLField, getNamedType, isInterfaceType, isObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../src/graphql/run/schema.ts';

type Field = GraphQLField<unknown, unknown> & { of: string };
const kindOf = ({ type }: Field) => getNamedType(type).name;

const fields: Field[] = Object.values(schema.getTypeMap()).flatMap((type) =>
  (isObjectType(type) || isInterfaceType(type)) && !type.name.startsWith('__')
    ? Object.values(type.getFields()).map((field) => Object.assign(Object.create(field), { of: type.name }))
    : [],
);

/** An amount of money names its unit; its sign and size are those of the unit. */
const amount = /\b(Gwei|wei|ETH|AVAX|BABY|ADA|TIA|DOT|POL|SOL)\b|in the token of the network/;
/** A number that names a place in an order, not how many. */
const ordinal = /(index|epoch|slot|day|hour|era|revision|number|checkpoint|validatorId|stored(From|To))$/i;
/** How small and how large a value can be. */
const range = /\bat least -?\d|>= \d|\d\.\.\d|\bnegative\b/i;

describe('the description of each', () => {
  const numbers = fields.filter((field) => ['Int', 'BigInt'].includes(kindOf(field)));
  const counts = numbers.filter(
    ({ name, description }) =>
      !ordinal.test(name) && !amount.test(description ?? '') && !/^The same as /.test(description ?? ''),
  );
  const ratios = fields.filter(
    (field) => ['Float', 'Decimal'].includes(kindOf(field)) && !amount.test(field.description ?? ''),
  );

  it('count says what it counts, and its range', () => {
    expect(counts.length).toBeGreaterThan(80);
    const silent = counts.filter(({ description }) => !range.test(description ?? ''));
    expect(silent.map(({ of, name, description }) => `${of}.${name}: ${description}`)).toEqual([]);
  });

  it('ratio says its range, so that 0.05 and 5 % are not confused', () => {
    expect(ratios.length).toBeGreaterThan(60);
    const silent = ratios.filter(({ description }) => !range.test(description ?? ''));
    expect(silent.map(({ of, name, description }) => `${of}.${name}: ${description}`)).toEqual([]);
  });

  it('field named a ratio is one, and a field named a percentage is in percent', () => {
    for (const { of, name, description } of fields) {
      if (/percentage$/i.test(name)) expect(description, `${of}.${name}`).toMatch(/percent|in its unit/);
      else if (/ratio$/i.test(name)) expect(description, `${of}.${name}`).not.toMatch(/percent/);
    }
  });

  it('ratio is a Float, with the same name where it is the same share', () => {
    const texts = ratios.filter((field) => kindOf(field) === 'Decimal');
    const named = texts.map(({ of, name }) => `${of}.${name}`);
    expect(named).toEqual(['StakeAuthorityChange.delegatedStake']); // an amount
    const shares = ['ClientPercentage', 'RelayerPercentage', 'StakeDelegation', 'NetworkClientShare'];
    for (const type of shares) {
      const own = fields.filter(({ of }) => of === type);
      expect(own.find(({ name }) => name === 'ratio')?.description).toMatch(/0\.\.1/);
    }
  });
});
