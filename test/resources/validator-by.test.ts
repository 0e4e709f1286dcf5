import { describe, expect, it } from 'vitest';
import { useGateway } from '../support/gateway.ts';
import { sampleSlashings } from '../support/sample.ts';

const gateway = useGateway();

const slashed = [...sampleSlashings()].filter((row) => row.network === 'mainnet').slice(0, 4);
const [first] = slashed as [(typeof slashed)[number]];
const upper = (pubkey: string) => pubkey.toUpperCase().replace('0X', '0x');

describe.each(['validator', 'slashing'])('GraphQL %s(by:)', (field) => {
  const ask = async (args: string) => {
    const { data, errors } = await gateway.graphql(`{ ${field}(${args}) { id validatorPubkey } }`);
    expect(errors).toBeUndefined();
    return data[field];
  };

  it('finds a validator by its index and by its public key in any case', async () => {
    const { validatorIndex, validatorPubkey } = first;
    const found = await ask(`by: { index: ${validatorIndex} }`);
    expect(found).toMatchObject({ validatorPubkey });
    expect(await ask(`by: { pubkey: "${upper(validatorPubkey)}" }`)).toEqual(found);
    expect(await ask('by: { index: 2147483647 }')).toBeNull();
  });

  it('takes the validator as a variable, also when the query is compiled', async () => {
    const query = `query ($by: ValidatorBy!) { ${field}(by: $by) { validatorIndex } }`;
    for (let time = 0; time < 3; time += 1) {
      for (const by of [{ index: first.validatorIndex }, { pubkey: first.validatorPubkey }]) {
        const { data } = await gateway.graphql(query, { by });
        expect(data[field]).toEqual({ validatorIndex: first.validatorIndex });
      }
      for (const by of [{}, { index: null }, { index: 1, pubkey: 'x' }, { index: 1, pubkey: null }]) {
        const { data, errors } = await gateway.graphql(query, { by });
        expect(data ?? null).toBeNull();
        expect(errors?.[0].message).toMatch(/ValidatorBy|must be non-null/);
      }
    }
  });

  it.each([
    ['by: { index: -1 }', 'by.index is -1; an integer >= 0 is needed.'],
    ['by: { pubkey: "0x00" }', 'by.pubkey is "0x00"; 96 hex digits are needed, with or without 0x.'],
  ])('refuses %s', async (args, message) => {
    const { errors } = await gateway.graphql(`{ ${field}(${args}) { id } }`);
    expect(errors?.[0].extensions.code).toBe('BAD_INPUT');
    expect(errors?.[0].message).toContain(message);
  });

  it.each([
    ...['', 'by: null', 'by: {}', 'by: { index: 1, pubkey: "0x" }', 'by: { index: null }', 'by: 1'],
    'by: { index: "1" }',
  ])('refuses "%s" before anything runs', async (args) => {
    const { data, errors } = await gateway.graphql(`{ ${field}${args && `(${args})`} { id } }`);
    expect(data).toBeUndefined();
    expect(errors).toHaveLength(1);
  });

  it('reads many in one statement for each way to name them', async () => {
    const names = slashed.map((row, at) =>
      at % 2
        ? `v${at}: ${field}(by: { index: ${row.validatorIndex} }) { id }`
        : `v${at}: ${field}(by: { pubkey: "${row.validatorPubkey}" }) { id }`,
    );
    gateway.statements.length = 0;
    await gateway.graphql(`{ ${names.join(' ')} }`);
    expect(gateway.statements).toHaveLength(2);
  });
});
