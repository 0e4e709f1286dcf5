import fc from 'fast-check';
import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLObjectType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/graphql/run/schema.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { slow } from '../support/thorough.ts';

let gateway: Gateway;
/** Values that find something, by the name of the argument. */
const known: Record<string, string[]> = {};
let ids: string[] = [];
beforeAll(async () => {
  gateway = await startGateway();
  const { data } = await gateway.graphql(`{
    operators(window: ALL, idType: POOL, first: 3) { nodes { id operatorId validators(first: 2) { nodes { id validatorIndex } } } }
    slashings(first: 3) { nodes { id validatorIndex } }
    stakeAuthorities(window: ALL, first: 3) { nodes { id stakeAuthority } }
  }`);
  const pools = data.operators.nodes;
  const slashed = data.slashings.nodes;
  const authorities = data.stakeAuthorities.nodes;
  const { rows } = await gateway.database.pool.query({
    text: `select distinct slot from sync_committee_rewards where network = 'mainnet' limit 3`,
    values: [],
  });
  const text = (values: unknown[]) => values.map((value) => JSON.stringify(value));
  known.operatorId = known.parentId = text(pools.map((row: any) => row.operatorId));
  known.slot = rows.map((row) => String(row.slot));
  known.validatorIndex = text(slashed.map((row: any) => row.validatorIndex));
  known.index = text(
    pools.flatMap((row: any) => row.validators.nodes.map((node: any) => node.validatorIndex)),
  );
  known.stakeAuthority = text(authorities.map((row: any) => row.stakeAuthority));
  ids = [...pools, ...slashed, ...authorities].map((row: any) => row.id);
});
afterAll(() => gateway.close());

const DEPTH = 5;

type Draw = fc.GeneratorValue;
type Field = GraphQLField<unknown, unknown>;

/** Writes random valid queries: sizes as literals and variables, or none; aliases, fragments, directives, ids. */
function writer(draw: Draw) {
  const variables: Record<string, unknown> = {};
  const declared: string[] = [];
  const fragments: string[] = [];
  let aliases = 0;
  const oneOf = <T>(values: readonly T[]): T => values[draw(fc.nat, { max: values.length - 1 })] as T;
  const chance = (percent: number) => draw(fc.integer, { min: 1, max: 100 }) <= percent;

  const nextId = () => ids[draw(fc.nat, { max: 8 }) % ids.length] ?? 'eA';

  function variable(type: string, value: unknown): string {
    const name = `v${declared.length}`;
    const asDefault = chance(20) && !type.endsWith('!');
    declared.push(`$${name}: ${type}${asDefault ? ` = ${JSON.stringify(value)}` : ''}`);
    if (!asDefault) variables[name] = value;
    return `$${name}`;
  }

  function argument({ name, type }: GraphQLArgument): string {
    const named = getNamedType(type);
    if (name === 'ids') {
      const list = Array.from({ length: draw(fc.integer, { min: 0, max: 4 }) }, () =>
        chance(15) ? 'eA' : nextId(),
      );
      // A list of one may be given without its brackets.
      if (list.length === 1 && chance(30)) return `ids: ${JSON.stringify(list[0])}`;
      return `ids: ${chance(50) ? variable('[ID!]!', list) : JSON.stringify(list)}`;
    }
    if (name === 'id') return `id: ${JSON.stringify(nextId())}`;
    if (isEnumType(named)) return `${name}: ${oneOf(named.getValues()).name}`;
    if (known[name] && chance(85)) return `${name}: ${oneOf(known[name])}`;
    if (isInputObjectType(named)) {
      const parts = Object.values(named.getFields());
      const given = named.isOneOf ? parts.slice(0, 1) : parts.filter((part) => isRequiredInputField(part));
      return `${name}: { ${given.map((part) => argument(part as GraphQLArgument)).join(', ')} }`;
    }
    const other: Record<string, string> = { Int: '1', Boolean: 'true', String: '"x"', Date: '"2026-01-01"' };
    return `${name}: ${other[named.name] ?? '"2026-01-01T00:00:00Z"'}`;
  }

  function sizeArgument(names: string[]): string[] {
    if (chance(30)) return chance(30) ? [`first: ${variable('Int', null)}`] : [];
    const size = draw(fc.integer, { min: chance(5) ? -1 : 1, max: 6 });
    return [`${oneOf(names)}: ${chance(40) ? variable('Int', size) : size}`];
  }

  function field(node: Field, depth: number): string {
    const sizes = node.args.flatMap(({ name }) => (name === 'first' || name === 'last' ? [name] : []));
    const given = node.args.filter(
      (arg) =>
        !['first', 'last', 'after', 'before'].includes(arg.name) && (isRequiredArgument(arg) || chance(15)),
    );
    const args = [...given.map(argument), ...(sizes.length > 0 ? sizeArgument(sizes) : [])];
    // One of two arguments is required, which the schema cannot express.
    const key = { validator: 'index', slashing: 'validatorIndex' }[node.name];
    const own = node.args.find(({ name }) => name === key);
    if (own && !given.some(({ name }) => name === key || name === 'by')) args.push(argument(own));
    const alias = depth === DEPTH || (aliases < 8 && chance(20)) ? `a${aliases++}: ` : '';
    const directive = chance(10) ? ` @skip(if: ${chance(50)})` : '';
    const inner = isLeafType(getNamedType(node.type)) ? '' : ` ${selection(node.type, depth - 1)}`;
    return `${alias}${node.name}${args.length > 0 ? `(${args.join(', ')})` : ''}${directive}${inner}`;
  }

  function selection(type: Field['type'], depth: number): string {
    const named = getNamedType(type);
    if (isInterfaceType(named)) {
      const type = oneOf(schema.getPossibleTypes(named));
      const own = 'id' in named.getFields() ? 'id ' : '';
      return `{ ${own}... on ${type.name} ${selection(type, depth)} }`;
    }
    if (!isObjectType(named)) return '';
    const body = fieldsOf(named, depth);
    if (chance(20)) {
      const name = `F${fragments.length}`;
      fragments.push(''); // its own may come before it
      fragments[Number(name.slice(1))] = `fragment ${name} on ${named.name} { ${body} }`;
      return chance(30) ? `{ ...${name} ... { ...${name} } }` : `{ ...${name} }`;
    }
    return `{ ${body} }`;
  }

  function fieldsOf(type: GraphQLObjectType, depth: number): string {
    const all = Object.values(type.getFields()).filter(({ name }) => name !== 'pageInfo');
    const leaf = all.find((one) => isLeafType(getNamedType(one.type)));
    const deep = all.filter((one) => !isLeafType(getNamedType(one.type)));
    const chosen = depth > 0 && deep.length > 0 ? [oneOf(deep), ...(chance(30) ? [oneOf(deep)] : [])] : [];
    // Each field once: two fields of one name would need the same arguments.
    const texts = [...new Set(chosen)].map((one) => field(one, depth));
    return [leaf?.name ?? (texts.length === 0 ? '__typename' : ''), ...texts].join(' ');
  }

  const root = schema.getQueryType() as GraphQLObjectType;
  const count = draw(fc.integer, { min: 1, max: 3 });
  const fields = Array.from({ length: count }, () => field(oneOf(Object.values(root.getFields())), DEPTH));
  const head = declared.length > 0 ? `query (${declared.join(', ')})` : 'query';
  return { query: `${head} { ${fields.join(' ')} } ${fragments.join(' ')}`, variables };
}

describe('the estimate of a query', () => {
  slow('is never below what is charged', async () => {
    let [charged, exact, asked] = [0, 0, 0];
    await fc.assert(
      fc.asyncProperty(fc.gen(), async (draw) => {
        const { query, variables } = writer(draw);
        const { json, headers } = await gateway.graphql(query, variables);
        const { cost } = json.extensions;
        expect(cost.estimated).toBeGreaterThanOrEqual(cost.charged);
        expect(Number(headers.get('x-service-compute-units'))).toBe(cost.charged);
        for (const { extensions, message } of json.errors ?? []) {
          if (extensions.code === 'BAD_QUERY') throw new Error(`${message}: ${query}`); // the writer is at fault
        }
        asked += 1;
        if (cost.charged > 1) charged += 1;
        if (cost.charged > 1 && cost.charged === cost.estimated) exact += 1;
      }),
      { numRuns: 250, endOnFailure: true }, // with fewer queries, the shares below vary too much
    );
    // Not because nothing was asked.
    expect(charged / asked).toBeGreaterThan(0.6);
    expect(exact / asked).toBeGreaterThan(0.04);
  });

  it.each([
    ['{ operators(window: SEVEN_DAYS) { nodes { id } } }'],
    ['{ operators(window: SEVEN_DAYS, idType: POOL, first: 20) { edges { node { id } } } }'],
    ['{ slashings(first: 7) { nodes { validator { validatorPubkey } } } }'],
    ['{ solanaNetworkOverviews { window } }'],
    ['{ stakeAuthorities(window: ALL, last: 9) { nodes { summary(window: ONE_DAY) { id } } } }'],
    ['{ operators(window: ALL, first: 9) { nodes { ... { summary(window: ALL) { id } } } } }'],
    ['{ operator(operatorId: "Alder Liquid", idType: POOL) { summary(window: ALL) { id } } }'],
    ['{ viewer { account } }'],
  ])('is what is charged where all pages are full: %s', async (query) => {
    const { cost } = (await gateway.graphql(query)).json.extensions;
    expect(cost.estimated).toBe(cost.charged);
  });
});
