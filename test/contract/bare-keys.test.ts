import { beforeAll, describe, expect, it } from 'vitest';
import { decode } from '../../src/kernel/decode.ts';
import { hex } from '../../src/kernel/leaves.ts';
import { normaliseId } from '../../src/resources/operators/record.ts';
import { useGateway } from '../support/gateway.ts';

const gateway = useGateway();

let pubkey: string;
let forms: string[];
beforeAll(async () => {
  const { data } = await gateway.graphql('{ slashings(first: 1) { nodes { validatorPubkey } } }');
  pubkey = data.slashings.nodes[0].validatorPubkey;
  const bare = pubkey.slice(2);
  forms = [pubkey, bare, bare.toUpperCase(), `0X${bare.toUpperCase()}`];
});

describe('a public key without 0x', () => {
  it('is that of the validator in every parameter of REST', async () => {
    for (const pathOf of [
      (key: string) => `/v0/eth/operators/${key}/summary?window=all&idType=validator`,
      (key: string) => `/v1/eth/validators/consolidations?validator=${key}`,
      (key: string) => `/v1/eth/entities/${key}/attestations?entityType=validator`,
    ]) {
      const known = await gateway.get(pathOf(pubkey));
      for (const form of forms.slice(0, 3)) {
        const { status, json } = await gateway.get(pathOf(form));
        expect([form, status, json.results ?? json]).toEqual([
          form,
          known.status,
          known.json.results ?? known.json,
        ]);
      }
    }
  });

  it('is that of the validator in GraphQL, in tags and in the search, and is answered with 0x', async () => {
    for (const form of forms.slice(0, 3)) {
      const { data } = await gateway.graphql(
        'query ($key: String!) { validator(by: { pubkey: $key }) { validatorPubkey } search(query: $key) { text } }',
        { key: form },
      );
      expect([form, data.validator]).toEqual([form, { validatorPubkey: pubkey }]);
      expect(data.search).toHaveLength(1);
      const headers = { authorization: `Bearer ${gateway.token}`, 'content-type': 'application/json' };
      const body = JSON.stringify({ name: `Of ${form.slice(0, 60)}`, validators: [form] });
      const made = await gateway.fetch('/v1/eth/tags', { method: 'POST', headers, body });
      expect(made.status).toBe(201);
      const { json } = await gateway.get(`/v1/eth/tags/${made.json.id}/validators`);
      expect(json.results.map((row: any) => row.validatorPubkey)).toEqual([pubkey]);
    }
  });

  it('is taken in imports and mirrors, as are addresses and roots, by the length of the field', () => {
    const bare = 'AB'.repeat(20);
    for (const form of [bare, `0x${bare}`, `0X${bare}`, `\\x${bare}`])
      expect(decode(hex(20), form)).toBe(`0x${bare.toLowerCase()}`);
    for (const wrong of [bare.slice(1), `${bare}0`, 'xy'.repeat(20), ''])
      expect(decode(hex(20), wrong)).toBe(wrong);
  });

  it('is told from an id of 40 hex digits, which may be the name of a pool', () => {
    const name = 'ab'.repeat(20);
    expect(normaliseId(name)).toBe(name);
    expect(normaliseId('AB'.repeat(48))).toBe(`0x${'ab'.repeat(48)}`);
    expect(normaliseId(`0X${'AB'.repeat(20)}`)).toBe(`0x${name}`);
  });
});
