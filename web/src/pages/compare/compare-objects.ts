import type { compareQuery } from '../../__generated__/compareQuery.graphql';
import type { HistoryDay } from '../../figures/operator-days.tsx';
import type { AsOf } from '../../parts/heading.tsx';
import { longNameOf } from '../../parts/operators.tsx';
import { paths } from '../../url/links.ts';
import type { Network } from '../../url/network.ts';

type Node = NonNullable<NonNullable<compareQuery['response']['compared']>[number]>;
type PrivateSet = Extract<Node, { __typename: 'PrivateSet' }>;

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
};

function operatorOf(node: Extract<Node, { __typename: 'Operator' }>): Compared | undefined {
  const { id, network, idType, operatorId, summary, history } = node;
  if (!summary) return undefined;
  return {
    ...{ id, network, summary, history },
    name: longNameOf(node),
    title: operatorId,
    path: paths.operator(idType, operatorId),
    asOf: summary.asOf,
  };
}

function setOf(set: PrivateSet): Compared | undefined {
  const { id, network, setId, name, summary, history } = set;
  if (!summary) return undefined;
  return {
    ...{ id, network, summary, name, history },
    title: `Your set ${name}`,
    path: paths.set(setId),
    asOf: history?.nodes.at(-1)?.asOf,
  };
}

/**
 * In the order of the address, each with a name of its own; those that are not known, or have no figures in the window, are
 * left out.
 */
export function comparedOf(nodes: NonNullable<compareQuery['response']['compared']>): Compared[] {
  const found = nodes.flatMap((node) => {
    if (node?.__typename === 'Operator') return operatorOf(node) ?? [];
    if (node?.__typename === 'PrivateSet') return setOf(node) ?? [];
    return [];
  });
  const times = new Map<string, number>();
  return found.map((one) => {
    const time = (times.get(one.name) ?? 0) + 1;
    times.set(one.name, time);
    return time === 1 ? one : { ...one, name: `${one.name} (${time})` };
  });
}
