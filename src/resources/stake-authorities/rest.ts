import { z } from 'zod';
import { param } from '../../chain/params.ts';
import type { Context } from '../../context.ts';
import { bodyOf, wholeRecord } from '../../fast-rows/index.ts';
import { envelopeV0, envelopeV1, linksV1 } from '../../kernel/envelopes.ts';
import { walkOf } from '../../kernel/page.ts';
import { relativeUrl, route } from '../../kernel/route.ts';
import { StakeAuthoritySummary, StakeAuthoritySummaryV1, stakeAuthorityTypes } from './record.ts';
import { STAKE_AUTHORITIES_SIZES, type StakeAuthorityList, stakeAuthorities } from './resolve.ts';

const V1 = '/v1/solana/delegators/stakeAuthorities';

const common = {
  tag: 'Solana',
  summary: 'Stake authorities',
  networkHeader: false,
};
const description =
  'Summary statistics of all Solana stake authorities, by network penetration, largest first. Yields of the 1d window are computed over the rewards of the last 3 days, because staking rewards are paid about every 2 days.';

const typeParam = () =>
  param.choice(stakeAuthorityTypes, {
    description: 'Kind of authority: `pool` has a poolName, `individual` has none; both when absent.',
    nullable: true,
  });

async function rowsFrom(
  ctx: Context,
  record: typeof StakeAuthoritySummary,
  { revision, ...list }: StakeAuthorityList & { revision: number | null },
  from: number,
  limit: number,
) {
  const range = { ...(from > 0 ? { after: from - 1 } : {}), limit };
  const ranked = { range, walk: walkOf(revision) };
  const page = await stakeAuthorities(ctx, list, ranked, wholeRecord(record));
  return { ...page, to: from + page.rows.length, rows: bodyOf<StakeAuthoritySummary>(page.rows) };
}

const list = route({
  ...common,
  path: '/v0/solana/delegators/stakeAuthorities',
  operationId: 'listStakeAuthorities',
  description: `${description} \`from\` is the 0-based rank. Decimals are text.`,
  example: '/v0/solana/delegators/stakeAuthorities?window=7d',
  successor: V1,
  query: z.object({
    window: param.window(),
    type: typeParam(),
    from: param.int({ description: 'Rank of the first row, 0-based.', min: 0, nullable: true, default: 0 }),
    size: param.size(STAKE_AUTHORITIES_SIZES),
    revision: param.revision(),
  }),
  reply: envelopeV0(StakeAuthoritySummary),
  async handle(ctx: Context, { query: { from, size, revision, ...others } }, call) {
    const page = await rowsFrom(ctx, StakeAuthoritySummary, { ...others, revision }, from, size);
    return {
      body: {
        page: { from, to: page.to, size },
        total: page.total,
        data: page.rows,
        next: page.hasNext
          ? relativeUrl(call.path, { ...others, from: page.to, size, revision: page.revision })
          : null,
      },
    };
  },
});

const listV1 = route({
  ...common,
  path: V1,
  operationId: 'listStakeAuthoritiesV1',
  description: `${description} Decimals are exact JSON numbers.`,
  example: `${V1}?window=7d`,
  query: z.object({
    window: param.window(),
    type: typeParam(),
    limit: param.size(STAKE_AUTHORITIES_SIZES),
    offset: param.int({
      description: 'Rows to skip: the rank of the first row, 0-based.',
      min: 0,
      default: 0,
    }),
    revision: param.revision(),
  }),
  reply: envelopeV1(StakeAuthoritySummaryV1),
  async handle(ctx: Context, { query: { limit, offset, ...others } }, call) {
    const page = await rowsFrom(ctx, StakeAuthoritySummaryV1, others, offset, limit);
    const { total, revision, rows: results } = page;
    return { body: { ...linksV1(call, { limit, offset, count: total, revision }), results } };
  },
});

export const stakeAuthorityRoutes = [list, listV1];
