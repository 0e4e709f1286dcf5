import type { compareQuery } from '../../__generated__/compareQuery.graphql';
import type { HistoryDay } from '../../figures/operator-days.tsx';
import type { AsOf } from '../../parts/heading.tsx';
import { longNameOf } from '../../parts/operators.tsx';
import { paths } from '../../url/links.ts';
import type { Network } from '../../url/network.ts';

type Node = NonNullable<NonNullable<compareQuery['response']['compared']>[number]>;
type PrivateSet = Extract<Node, { __typename: 'PrivateSet' }>;
type SetDays = NonNullable<PrivateSet['effectiveness']>;

/** An operator or a set. */
export type Compared = {
  id: string;
  name: string;
  title: string;
  path: string;
  network: Network;
  summary: NonNullable<PrivateSet['summary']>;
  asOf: AsOf;
  history: { readonly nodes: readonly HistoryDay[] } | null | undefined;
  /** What of the response the history is made of. */
  part: unknown;
};

const windowDays = { ONE_DAY: 1, SEVEN_DAYS: 7, THIRTY_DAYS: 30, ALL: 0 };
type Window = compareQuery['variables']['window'] & keyof typeof windowDays;

/** Days of a set that are needed for its figures in the window on each of so many days. */
export const daysOfSets = (window: Window, days: number) => days + Math.max(0, windowDays[window] - 1);

/**
 * The effectiveness of a set in the window as it was on each day, by the rule of its summary: the mean of the days, which
 * weigh by their validators. The share of stake and the APR of earlier days are not known of sets.
 */
function historyOf({ nodes }: SetDays, window: Window, days: number): readonly HistoryDay[] {
  const length = windowDays[window];
  const oldestFirst = nodes.toReversed();
  const first = nodes.length === daysOfSets(window, days) ? length - 1 : 0; // before it, days are missing
  let sum = 0;
  let validators = 0;
  return oldestFirst.flatMap(({ id, date, validatorCount, avgValidatorEffectiveness }, index) => {
    const gone = oldestFirst[index - length];
    sum += validatorCount * avgValidatorEffectiveness;
    validators += validatorCount;
    if (gone) {
      sum -= gone.validatorCount * gone.avgValidatorEffectiveness;
      validators -= gone.validatorCount;
    }
    if (index < first || !date) return [];
    const mean = validators === 0 ? 0 : sum / validators;
    return [
      {
        id,
        date,
        validatorCount,
        avgValidatorEffectiveness: mean,
        networkPenetration: null,
        aprPercentage: null,
      },
    ];
  });
}

function operatorOf(node: Extract<Node, { __typename: 'Operator' }>): Compared | undefined {
  const { id, network, idType, operatorId, summary, history } = node;
  if (!summary) return undefined;
  return {
    ...{ id, network, summary, history, part: history },
    name: longNameOf(node),
    title: operatorId,
    path: paths.operator(idType, operatorId),
    asOf: summary.asOf,
  };
}

function setOf(set: PrivateSet, window: Window, days: number): Compared | undefined {
  const { id, network, setId, name, summary, effectiveness } = set;
  if (!summary) return undefined;
  const newest = effectiveness?.nodes[0];
  return {
    ...{ id, network, summary, name, part: effectiveness },
    title: `Your set ${name}`,
    path: paths.set(setId),
    asOf: newest && { epoch: newest.endEpoch, time: newest.endTimestamp },
    history: effectiveness && { nodes: historyOf(effectiveness, window, days) },
  };
}

/**
 * In the order of the address, each with a name of its own; those that are not known, or have no figures in the window, are
 * left out.
 */
export function comparedOf(
  nodes: NonNullable<compareQuery['response']['compared']>,
  window: Window,
  days: number,
): Compared[] {
  const found = nodes.flatMap((node) => {
    if (node?.__typename === 'Operator') return operatorOf(node) ?? [];
    if (node?.__typename === 'PrivateSet') return setOf(node, window, days) ?? [];
    return [];
  });
  const times = new Map<string, number>();
  return found.map((one) => {
    const time = (times.get(one.name) ?? 0) + 1;
    times.set(one.name, time);
    return time === 1 ? one : { ...one, name: `${one.name} (${time})` };
  });
}
