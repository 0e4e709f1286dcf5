import { count, decimal, eth, percentage, plotted, ratio, shortCount, shortEth } from '../../parts/format.ts';
import { sumOfDecimals } from '../../parts/sums.ts';
import type { Day, Spans } from './overview-days.ts';

export type OverviewFigure = {
  label: string;
  value: string;
  unit?: string;
  exact?: string;
  note?: string;
  /** `text` is without its sign. */
  change?: { by: number; text: string; good?: 'up' | 'down'; since: string } | undefined;
  /** Values of days or weeks, oldest first. */
  trend: Numbers;
};

type Numbers = readonly (number | null | undefined)[];

export function meanOf(values: Numbers): number | undefined {
  const known = values.filter((value) => value != null);
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0) / known.length;
}

/** Undefined if no day has the figure. */
function sumOf(rows: readonly Day[], of: (row: Day) => string | null | undefined) {
  const known = rows.map(of).filter((value) => value != null);
  return known.length === 0 ? undefined : sumOfDecimals(known);
}

function missedRatio(rows: readonly Day[]) {
  const missed = sumOf(rows, (row) => row.missedProposalCount);
  const proposed = sumOf(rows, (row) => row.proposedCount);
  if (missed === undefined || proposed === undefined) return {};
  const due = Number(missed) + Number(proposed);
  return { missed, due, share: due === 0 ? undefined : Number(missed) / due };
}

/** A stock, such as stake: what it was at the end, and how it changed since the last day before the range. */
function stock(rows: Spans, of: (row: Day) => string | number | null | undefined) {
  const { shown, before } = rows;
  const start = (before ?? []).at(-1) ?? shown[0];
  const [first, last] = [start && of(start), shown.at(-1) && of(shown.at(-1) as Day)];
  const by = first == null || last == null ? undefined : BigInt(last) - BigInt(first);
  return { last, by };
}

const absolute = (value: bigint) => String(value < 0n ? -value : value);
const points = (by: number) => `${decimal(Math.abs(by))} points`;

/** A mean of days in percent, against that of the days before. */
function mean({ shown, before, than }: Spans, of: (row: Day) => number | null | undefined, scale = 1) {
  const [now, then] = [meanOf(shown.map(of)), before && meanOf(before.map(of))];
  const by = now === undefined || then === undefined ? undefined : scale * (now - then);
  const change =
    by === undefined ? undefined : { by, text: points(by), good: 'up' as const, since: `on ${than}` };
  return { now, rest: { trend: shown.map(of), change } };
}

/** A sum of the range, against that of the days before. */
function sum({ shown, before, than }: Spans, of: (row: Day) => string | null | undefined) {
  const [now, then] = [sumOf(shown, of), before && sumOf(before, of)];
  const by = now === undefined || !Number(then) ? undefined : Number(now) / Number(then) - 1;
  const change =
    by === undefined
      ? undefined
      : { by, text: ratio(Math.abs(by)), good: 'up' as const, since: `on ${than}` };
  return {
    value: shortEth(now),
    unit: 'ETH',
    exact: eth(now),
    trend: shown.map((row) => plotted(of(row))),
    change,
  };
}

/** The tiles: each is of the whole range; those in percent are means of its days or weeks. */
export function figuresOf(spans: Spans): OverviewFigure[] {
  const { shown, before, than, isByDay } = spans;
  if (shown.length === 0) return [];
  const note = `mean of ${count(shown.length)} ${isByDay ? 'days' : 'weeks'}`;
  const since = 'in the range';
  const staked = stock(spans, (row) => row.sumEndEpochEffectiveBalance);
  const stake = staked.last == null ? undefined : String(staked.last);
  const validators = stock(spans, (row) => row.validatorCount);
  const apr = mean(spans, (row) => row.aprPercentage);
  const participation = mean(spans, (row) => row.participationRatio, 100);
  const effectiveness = mean(spans, (row) => row.avgValidatorEffectiveness);
  const [missed, missedBefore] = [missedRatio(shown), before && missedRatio(before)];
  const missedBy =
    missed.share === undefined || missedBefore?.share === undefined
      ? undefined
      : 100 * (missed.share - missedBefore.share);
  return [
    {
      label: 'Staked',
      unit: 'ETH',
      exact: eth(stake),
      value: shortEth(stake),
      trend: shown.map((row) => plotted(row.sumEndEpochEffectiveBalance)),
      change:
        staked.by === undefined
          ? undefined
          : { by: Number(staked.by), text: `${shortEth(absolute(staked.by))} ETH`, since },
    },
    {
      label: 'Active validators',
      value: count(validators.last),
      trend: shown.map((row) => row.validatorCount),
      change:
        validators.by === undefined
          ? undefined
          : { by: Number(validators.by), text: count(absolute(validators.by)), since },
    },
    { label: 'APR, both layers', note, value: percentage(apr.now), ...apr.rest },
    { label: 'Participation', note, value: ratio(participation.now), ...participation.rest },
    { label: 'Effectiveness', note, value: percentage(effectiveness.now), ...effectiveness.rest },
    {
      label: 'Missed blocks',
      value: ratio(missed.share),
      ...(missed.due !== undefined && { note: `${count(missed.missed)} of ${shortCount(missed.due)}` }),
      trend: shown.map((row) => row.missedProposalRatio),
      change:
        missedBy === undefined
          ? undefined
          : { by: missedBy, text: points(missedBy), good: 'down', since: `on ${than}` },
    },
    { label: 'Consensus rewards', ...sum(spans, (row) => row.sumConsensusRewards) },
    { label: 'Fees and MEV', ...sum(spans, (row) => row.sumExecutionRewards) },
  ];
}
