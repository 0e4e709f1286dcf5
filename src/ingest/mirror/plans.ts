import type { Network } from '../../chain/networks.ts';
import { type RewardsNetwork, rewardsNetworks } from '../../resources/network-rewards/record.ts';
import type { MirrorList } from './list.ts';
import type { MirrorResource } from './options.ts';
import { type Plan, type Planning, pageSize, since } from './planning.ts';
import { blocks, chainDailyRewards, committeeRewards, consolidations, slashings } from './plans-chain.ts';
import { attestations, operators } from './plans-operators.ts';

async function* solanaOverview(): AsyncGenerator<MirrorList> {
  const path = 'solana/network/overview';
  yield {
    resource: 'solana-overview',
    name: 'all',
    forms: [
      { path: `/v0/${path}`, query: {} },
      { path: `/v1/${path}`, query: {} },
    ],
    rows: {},
    key: 'timeWindow',
    replaces: {},
  };
}

async function* stakeAuthorities({ scope }: Planning): AsyncGenerator<MirrorList> {
  const size = pageSize(scope);
  const path = 'solana/delegators/stakeAuthorities';
  for (const window of scope.windows) {
    yield {
      resource: 'stake-authorities',
      name: window,
      forms: [
        { path: `/v0/${path}`, query: { window, size } },
        { path: `/v1/${path}`, query: { window, limit: size } },
      ],
      rows: { window },
      key: 'stakeAuthority',
      ranked: true,
      replaces: { whole: { time_window: window } },
    };
  }
}

const rewardsOf = (rewards: RewardsNetwork) =>
  async function* ({ scope, position }: Planning): AsyncGenerator<MirrorList> {
    const validators = scope.validators.filter(({ network }) => network === rewards);
    const lists = [
      { name: 'network', path: `/v1/${rewards}/network/rewards` },
      ...validators.map(({ id }) => ({
        name: `validator ${id}`,
        path: `/v1/${rewards}/validators/${encodeURIComponent(id)}/rewards`,
      })),
    ];
    for (const { name, path } of lists) {
      const key = { resource: `${rewards}-rewards`, name } as const;
      const query = { limit: pageSize(scope), ...since('fromDate', await position(key)) };
      yield { ...key, forms: [{ path, query }], rows: {}, key: 'day', position: { field: 'day' } };
    }
  };

const ofEthereum = {
  operators,
  slashings,
  'chain-daily-rewards': chainDailyRewards,
  consolidations,
  blocks,
  'sync-committee-rewards': committeeRewards,
  attestations,
} satisfies Partial<Record<MirrorResource, Plan<Network>>>;

const others: Partial<Record<MirrorResource, Plan<undefined>>> = {
  'solana-overview': solanaOverview,
  'stake-authorities': stakeAuthorities,
  ...Object.fromEntries(rewardsNetworks.map((network) => [`${network}-rewards`, rewardsOf(network)])),
};

export function plansOf(
  planning: Planning,
  resource: MirrorResource,
): [Network | undefined, AsyncGenerator<MirrorList>][] {
  if (resource in ofEthereum) {
    const plan = ofEthereum[resource as keyof typeof ofEthereum];
    return planning.scope.networks.map((network) => [network, plan(planning, network)]);
  }
  return [[undefined, (others[resource] as Plan<undefined>)(planning, undefined)]];
}
