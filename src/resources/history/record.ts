import { z } from 'zod';
import { SolanaAsOf } from '../../db/solana-as-of.ts';
import * as Leaf from '../../kernel/leaves.ts';
import { OperatorTrend } from '../operators/record.ts';
import { SolanaNetworkOverview } from '../solana-overview/record.ts';
import { StakeAuthorityTrend } from '../stake-authorities/record.ts';

const day = Leaf.date().describe(
  'Date of the figures: that of the last day that they cover, or the UTC date on which they were imported.',
);

export const OperatorHistory = z.object({
  date: day,
  ...OperatorTrend.shape,
  asOf: Leaf.count().nullable(),
});
export type OperatorHistory = z.infer<typeof OperatorHistory>;

export const StakeAuthorityHistory = z.object({
  date: day,
  ...StakeAuthorityTrend.shape,
  asOf: SolanaAsOf,
});
export type StakeAuthorityHistory = z.infer<typeof StakeAuthorityHistory>;

export const SolanaHistory = SolanaNetworkOverview.extend({ date: day, asOf: SolanaAsOf });
export type SolanaHistory = z.infer<typeof SolanaHistory>;
