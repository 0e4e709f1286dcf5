import type { solanaQuery } from '../../__generated__/solanaQuery.graphql';
import { Change } from '../../parts/change.tsx';
import { amount, count, decimal, ratio, shortCount } from '../../parts/format.ts';
import type { TileProps } from '../../parts/tiles.tsx';

type Overview = NonNullable<solanaQuery['response']['solanaNetworkOverview']>;
type Day = NonNullable<Overview['history']>['nodes'][number];

const inPoints = (value: number) => `${decimal(Math.abs(100 * value))} points`;

/** Figures of the newest day, and how they changed over the days that are shown, oldest first. */
export function tilesOf(of: Overview, days: readonly Day[]): TileProps[] {
  const first = days.length > 1 ? days[0] : undefined;
  const inRange = (by: number, text: string, good?: 'up' | 'down') => (
    <>
      <Change value={by} text={text} {...(good && { good })} /> in the range
    </>
  );
  const by = (value: number, read: (day: Day) => number, good?: 'up' | 'down') =>
    first && inRange(value - read(first), inPoints(value - read(first)), good);
  const trend = (read: (day: Day) => number) => days.map(read);
  const stakeBy = first && Number(of.totalDelegatedStake) - Number(first.totalDelegatedStake);
  const validatorsBy = first && of.activeValidatorCount - first.activeValidatorCount;
  const giniBy = first && of.giniCoefficient - first.giniCoefficient;
  return [
    {
      label: 'Delegated stake',
      unit: 'SOL',
      exact: amount(of.totalDelegatedStake, 'SOL'),
      trend: trend((day) => Number(day.totalDelegatedStake)),
      change: stakeBy !== undefined && inRange(stakeBy, `${shortCount(Math.abs(stakeBy))} SOL`),
      children: shortCount(of.totalDelegatedStake),
    },
    {
      label: 'Active validators',
      trend: trend((day) => day.activeValidatorCount),
      change: validatorsBy !== undefined && inRange(validatorsBy, count(Math.abs(validatorsBy))),
      children: count(of.activeValidatorCount),
    },
    {
      label: 'Gini coefficient',
      note: '0 is equal, 1 is all with one',
      trend: trend((day) => day.giniCoefficient),
      change: giniBy !== undefined && inRange(giniBy, decimal(Math.abs(giniBy), 4), 'down'),
      children: decimal(of.giniCoefficient, 3),
    },
    {
      label: 'Delegator APY',
      trend: trend((day) => day.delegatorApy),
      change: by(of.delegatorApy, (day) => day.delegatorApy, 'up'),
      children: ratio(of.delegatorApy),
    },
    {
      label: 'Validator APY',
      trend: trend((day) => day.validatorApy),
      change: by(of.validatorApy, (day) => day.validatorApy, 'up'),
      children: ratio(of.validatorApy),
    },
    {
      label: 'Missed blocks',
      note: 'of leader slots',
      trend: trend((day) => day.networkMissedBlocksRate),
      change: by(of.networkMissedBlocksRate, (day) => day.networkMissedBlocksRate, 'down'),
      children: ratio(of.networkMissedBlocksRate),
    },
    {
      label: 'Votes',
      note: `slots with a successful vote; effectiveness ${ratio(of.networkEffectiveness)}`,
      children: ratio(of.networkVoteSuccessRate),
    },
    authoritiesOf(of),
  ];
}

/** The share of all stake that the ten largest stake authorities have together, where there are so many. */
function authoritiesOf(of: Overview): TileProps {
  const authorities = count(of.activeDelegatorStakeAuthorityCount);
  const accounts = `${count(of.activeDelegatorStakeAccountCount)} accounts`;
  const ten = of.stakeConcentration.find(({ rank }) => rank === 10);
  return ten
    ? {
        label: 'With the ten largest',
        exact: amount(ten.delegatedStake, 'SOL'),
        note: `of all delegated stake: ${shortCount(ten.delegatedStake)} SOL, of ${authorities} stake authorities with ${accounts}`,
        children: ratio(Number(ten.delegatedStake) / Number(of.totalDelegatedStake)),
      }
    : { label: 'Stake authorities', note: accounts, children: authorities };
}
