import { expect } from 'vitest';
import type { Gateway } from './gateway.ts';

/** A list of the sample data that has an order by `field`, of which `time` of its rows rises. */
export type Series = { within?: string; list: string; args?: string; time: string; field: string };

export const SAMPLE_SET = '5a3f1c52-0d9e-4b8a-9d53-6f2f6f0c1e01';
export const networks = ['AVALANCHE', 'BABYLON', 'CARDANO', 'CELESTIA', 'POLKADOT', 'POLYGON', 'SOLANA'];

const operator = 'operator(operatorId: $pool, idType: POOL)';
const validator = 'validator(by: { index: $proposer })';
const set = `privateSet(setId: "${SAMPLE_SET}")`;
const figures = ['attestations', 'effectiveness', 'proposals', 'rewards'];
const owned = (within: string): Series[] =>
  figures.map((list) => ({ within, list, time: 'startEpoch', field: 'PERIOD' }));

const history = { list: 'history', args: 'window: SEVEN_DAYS', time: 'date', field: 'DATE' };
const slashings = { list: 'slashings', time: 'slashingEpoch', field: 'EPOCH' };
const consolidations = { list: 'consolidations', time: 'epoch', field: 'EPOCH' };
const period = { time: 'startEpoch', field: 'PERIOD' };
const slots = { time: 'consensusSlot', field: 'SLOT' };

/** Time series and lists of the chain, which are newest first without `orderBy`. */
export const newestFirst: Series[] = [
  { within: operator, ...history },
  { within: set, ...history },
  { within: 'stakeAuthority(stakeAuthority: $authority)', ...history },
  { within: 'solanaNetworkOverview(window: SEVEN_DAYS)', list: 'history', time: 'date', field: 'DATE' },
  { within: 'networkOverview', list: 'history', ...period },
  ...[operator, set, validator].flatMap(owned),
  { list: 'attestations', args: 'operatorId: $pool, idType: POOL', ...period },
  { within: operator, list: 'attestations', args: 'granularity: WEEK', ...period },
  { list: 'blocks', ...slots },
  { within: validator, list: 'proposedBlocks', ...slots },
  { within: 'validator(by: { index: $seat })', list: 'syncCommitteeRewards', ...slots },
  slashings,
  { within: 'operator(operatorId: $slashed, idType: POOL)', ...slashings },
  { within: set, ...slashings },
  { list: 'slashingHistory', ...period },
  consolidations,
  { within: 'operator(operatorId: $consolidated, idType: POOL)', ...consolidations },
  { within: 'validator(by: { index: $target })', ...consolidations },
  { list: 'consolidationHistory', ...period },
  { list: 'chainDailyRewards', time: 'day', field: 'DAY' },
  ...networks.flatMap((network): Series[] => {
    const reward = { time: 'date', field: 'DATE' };
    return [
      { list: 'networkRewards', args: `network: ${network}`, ...reward },
      { list: 'validatorRewards', args: `network: ${network}, validatorId: $${network}`, ...reward },
      { within: `networkValidators(network: ${network}, first: 1)`, list: 'history', ...reward },
    ];
  }),
  { list: 'privateSets', time: 'createdAt', field: 'CREATED_AT' },
];

/** Lists without a time, which rise without `orderBy`. */
export const rising: Series[] = [
  { list: 'validators', time: 'validatorIndex', field: 'INDEX' },
  { within: operator, list: 'validators', time: 'validatorIndex', field: 'INDEX' },
  { within: set, list: 'validators', time: 'validatorIndex', field: 'INDEX' },
  { list: 'pendingConsolidations', time: 'position', field: 'POSITION' },
];

export const named = (all: readonly Series[]) =>
  all.map((one) => [`${one.within ?? ''} ${one.list} ${one.args ?? ''}`.trim(), one] as const);

/** Adds validators that were slashed, and such that were consolidated, to the set of the sample, which has none. */
export const addSlashedAndConsolidated = (gateway: Gateway) =>
  gateway.database.pool.query({
    text: `insert into private_set_members (set_id, validator_index, validator_pubkey, added_at, counts_from)
      select set_id, validator_index, validator_pubkey, now(), '-infinity' from private_sets s cross join lateral (
        (select validator_index, validator_pubkey from slashings where network = s.network order by slashing_epoch desc limit 5)
        union
        (select source_index, source_pubkey from consolidations where network = s.network order by epoch desc limit 5)
      ) v
      where set_id = $1`,
    values: [SAMPLE_SET],
  });

/** The values of the variables above: owners with rows enough. Also creates private sets. */
export async function variablesOf(gateway: Gateway): Promise<Record<string, string | number>> {
  const one = async (text: string) => {
    const { rows } = await gateway.database.pool.query({ text, values: [] });
    return Object.values(rows[0] as object)[0] as string | number;
  };
  const poolOf = (table: string, index: string) =>
    one(`select v.pool from ${table} t join validators v on v.network = t.network and v.validator_index = t.${index}
      where t.network = 'mainnet' and v.pool is not null group by 1 order by count(*) desc, 1 limit 1`);
  const variables: Record<string, string | number> = {
    pool: await one(`select entity_id from attestation_entities where id_type = 'pool' order by 1 limit 1`),
    authority:
      await one(`select s.stake_authority from stake_authority_series s join stake_authority_history using (series)
      where s.time_window = '7d' group by 1 order by count(*) desc, 1 limit 1`),
    proposer: await one(`select b.validator_index from blocks b
      join (select distinct network, validator_index from validator_days) d using (network, validator_index)
      where b.network = 'mainnet' group by 1 order by count(*) desc, 1 limit 1`),
    seat: await one(
      `select validator_index from sync_committee_seats where network = 'mainnet' order by 1 limit 1`,
    ),
    slashed: await poolOf('slashings', 'validator_index'),
    consolidated: await poolOf('consolidations', 'source_index'),
    target: await one(`select target_index from consolidations where network = 'mainnet'
      group by 1 order by count(*) desc, 1 limit 1`),
  };
  for (const network of networks) {
    const { data } = await gateway.graphql(
      `{ networkValidators(network: ${network}, first: 1) { nodes { validator } } }`,
    );
    variables[network] = data.networkValidators.nodes[0].validator;
  }
  await addSlashedAndConsolidated(gateway);
  for (const name of ['first', 'second', 'third'])
    await gateway.graphql(
      `mutation { createPrivateSet(input: { name: "${name}" }) { privateSet { setId } } }`,
    );
  return variables;
}

/** The connection that `page` asks for, with `fields`; its errors, if any, are in `errors`. */
export async function connectionOf(
  gateway: Gateway,
  variables: Record<string, string | number>,
  { within, list, args = '' }: Series,
  page: string,
  fields: string,
): Promise<{ found: any; errors: any }> {
  const isMany = within?.startsWith('networkValidators');
  const given = `${args} ${page}`.trim();
  const field = `${list}${given ? `(${given})` : ''} { ${fields} }`;
  const body = within ? `${within} { ${isMany ? `nodes { ${field} }` : field} }` : field;
  const used = Object.keys(variables).filter((name) => new RegExp(`\\$${name}\\b`).test(body));
  const types = used.map((name) => `$${name}: ${typeof variables[name] === 'number' ? 'Int' : 'String'}!`);
  const { data, errors } = await gateway.graphql(
    `query ${types.length > 0 ? `(${types.join(', ')})` : ''} { ${body} }`,
    Object.fromEntries(used.map((name) => [name, variables[name]])),
  );
  const owner = within ? data?.[/^\w+/.exec(within)?.[0] as string] : data;
  return { found: (isMany ? owner?.nodes[0] : owner)?.[list], errors };
}

export async function rowsOf(
  gateway: Gateway,
  variables: Record<string, string | number>,
  one: Series,
  page: string,
): Promise<any[]> {
  const { found, errors } = await connectionOf(gateway, variables, one, page, `nodes { ${one.time} }`);
  expect(errors).toBeUndefined();
  return found.nodes.map((node: any) => node[one.time]);
}
