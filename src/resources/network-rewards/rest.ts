import { z } from 'zod';
import { boundFaults } from '../../chain/bounds.ts';
import { param } from '../../chain/params.ts';
import type { Context } from '../../context.ts';
import { envelopeV1, linksV1 } from '../../kernel/envelopes.ts';
import { route } from '../../kernel/route.ts';
import {
  definitions,
  fieldsOf,
  type RewardKind,
  type RewardsNetwork,
  recordV1Of,
  rewardsNetworks,
  sortFieldsOf,
} from './record.ts';
import { REWARDS_SIZES, rangeOf, rewards } from './resolve.ts';

const queryParams = (network: RewardsNetwork, kind: RewardKind) =>
  z.object({
    ...param.page(REWARDS_SIZES),
    fromDate: param.date('First day, inclusive.'),
    toDate: param.date('Last day, inclusive.'),
    fromDay: param.date('The same as fromDate: a `day` here is a UTC date. The narrower of both counts.'),
    toDay: param.date('The same as toDate: a `day` here is a UTC date. The narrower of both counts.'),
    utc: param.bool({
      description: 'No effect: a day here is always a UTC date. Accepted because other lists have it.',
      default: true,
      nullable: true,
    }),
    sortBy: param.choice(sortFieldsOf(network, kind), {
      description: 'Field to sort by, ties by day, null last.',
      default: 'day',
    }),
    sortOrder: param.sortOrder(),
  });

const readerOf = (network: RewardsNetwork, kind: RewardKind) => {
  const fieldNames = fieldsOf(network, kind);
  return async (
    ctx: Context,
    validatorId: string | null,
    query: z.output<ReturnType<typeof queryParams>>,
  ) => {
    const { limit, offset, sortBy, sortOrder, ...bounds } = query;
    const { rows: results, total } = await rewards(
      ctx,
      { network, validatorId },
      { ...rangeOf(bounds), sortBy, sortOrder },
      { limit, offset, counted: true, rowsOnly: true },
      fieldNames,
    );
    return { results, place: { limit, offset, count: total ?? 0 } };
  };
};

const days =
  'One row a day, oldest first; a day is a UTC date. Amounts are exact JSON numbers, in the token of the network. The network header, which is for Ethereum, is ignored.';

function validatorRewards(network: RewardsNetwork) {
  const { title, id, exampleId } = definitions[network];
  const read = readerOf(network, 'validator');
  const path = `/v1/${network}/validators`;
  return route({
    path: `${path}/:validator_id/rewards`,
    operationId: `list${title}ValidatorRewards`,
    units: 'listValidatorRewards',
    tag: title,
    summary: `Rewards of one validator of ${title} by day`,
    description: `What one validator of ${title} and its delegators earned. ${days} An unknown validator is 404; one without rows in the range has no results.`,
    example: `${path}/${exampleId}/rewards`,
    networkHeader: false,
    params: z.object({
      validator_id: param.form<string, { form: string; description: string }>(
        { description: `The validator: ${id.form}.`, form: id.form },
        id.schema,
        id.read,
      ),
    }),
    query: queryParams(network, 'validator'),
    crossFieldFaults: (query) => boundFaults(query, 'query'),
    reply: envelopeV1(recordV1Of(network, 'validator')),
    async handle(ctx: Context, { params, query }, call) {
      const { place, results } = await read(ctx, params.validator_id, query);
      return { body: { ...linksV1(call, place), results } };
    },
  });
}

function networkRewards(network: RewardsNetwork) {
  const { title } = definitions[network];
  const read = readerOf(network, 'network');
  const path = `/v1/${network}/network/rewards`;
  return route({
    path,
    operationId: `list${title}NetworkRewards`,
    units: 'listNetworkRewards',
    tag: title,
    summary: `Rewards of ${title} by day`,
    description: `What all ${title} validators and their delegators earned. ${days}`,
    example: path,
    networkHeader: false,
    query: queryParams(network, 'network'),
    crossFieldFaults: (query) => boundFaults(query, 'query'),
    reply: envelopeV1(recordV1Of(network, 'network')),
    async handle(ctx: Context, { query }, call) {
      const { place, results } = await read(ctx, null, query);
      return { body: { ...linksV1(call, place), results } };
    },
  });
}

export const networkRewardRoutes = rewardsNetworks.flatMap((network) => [
  validatorRewards(network),
  networkRewards(network),
]);
