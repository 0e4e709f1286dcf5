import type { Network } from '../../chain/networks.ts';
import type { Pool } from '../../db/pool.ts';
import { type RewardsNetwork, rewardsNetworks } from '../../resources/network-rewards/record.ts';
import { normaliseId } from '../../resources/operators/record.ts';
import { isObject } from '../importer.ts';
import { readEnvelope } from './envelope.ts';
import { UpstreamError } from './failure.ts';
import type { MirrorList } from './list.ts';
import type { MirrorResource, MirrorScope } from './options.ts';
import { parentsOfShares } from './pool-shares.ts';
import type { StateKey } from './state.ts';
import type { Upstream } from './upstream.ts';
import { urlOf, walk } from './walk.ts';

export type Planning = {
  db: Pool;
  upstream: Upstream;
  scope: MirrorScope;
  /** How far a series is; undefined where it is to be read from its beginning. */
  position(list: StateKey): Promise<string | undefined>;
};

/** The lists of a resource, in the order in which they are mirrored; of a network where it is of Ethereum. */
type Plan<Where> = (planning: Planning, where: Where) => AsyncGenerator<MirrorList>;

/** Throws for rows that are of something else than was asked for, as from a service that does not know a parameter. */
function asAsked(asked: Record<string, string>) {
  return (row: unknown): unknown => {
    if (!isObject(row)) return row;
    for (const [name, value] of Object.entries(asked)) {
      const given = row[name] ?? value;
      if (normaliseId(String(given)) === normaliseId(value)) continue;
      throw new UpstreamError(
        `answers rows of ${name} ${String(given).slice(0, 80)} where ${value} was asked for; nothing loaded.`,
      );
    }
    return { ...row, ...Object.fromEntries(Object.entries(asked).filter(([name]) => row[name] == null)) };
  };
}

async function* operators({ db, upstream, scope }: Planning, network: Network): AsyncGenerator<MirrorList> {
  const path = '/v0/eth/operators';
  const size = String(scope.pageSize);
  for (const window of scope.windows) {
    for (const idType of scope.classes) {
      const list: MirrorList = {
        resource: 'operators',
        name: `${window} ${idType}`,
        network,
        forms: [{ path, query: { window, idType, size } }],
        rows: { network },
        key: 'id',
        ranked: true,
        replaces: { whole: { network, id_type: idType, time_window: window } },
        async completed(rows) {
          const check = asAsked({ idType, timeWindow: window });
          if (idType !== 'poolShare') return check;
          const withParents = await parentsOfShares(db, { network, window }, rows(), sharesOf);
          return (row) => withParents(check(row));
        },
      };
      const sharesOf = async function* (parentId: string) {
        const form = { path, query: { window, idType, parentId, size } };
        for await (const { rows } of walk(upstream, list, form)) {
          for (const row of rows) yield String(JSON.parse(row).id);
        }
      };
      yield list;
    }
  }
}

async function* slashings({ scope }: Planning, network: Network): AsyncGenerator<MirrorList> {
  yield {
    resource: 'slashings',
    name: 'all',
    network,
    forms: [{ path: '/v0/eth/slashings', query: { size: String(scope.pageSize) } }],
    rows: { network },
    key: 'validatorIndex',
    replaces: { whole: { network } },
  };
}

async function* chainDailyRewards(
  { scope, position }: Planning,
  network: Network,
): AsyncGenerator<MirrorList> {
  const key = { resource: 'chain-daily-rewards', name: 'days', network } as const;
  const floor = Number((await position(key)) ?? 0);
  yield {
    ...key,
    forms: [{ path: '/v0/eth/network/chainDailyRewards', query: { size: String(scope.pageSize) } }],
    rows: { network },
    key: 'day',
    down: { field: 'day', ceiling: Number.POSITIVE_INFINITY, floor },
    position: { field: 'day' },
  };
}

/** What a series is asked for beyond its parameters: the days from the last one stored, which may have been partial. */
const since = (parameter: string, position: string | undefined): Record<string, string> =>
  position === undefined ? {} : { [parameter]: position };

async function* consolidations({ scope, position }: Planning, network: Network): AsyncGenerator<MirrorList> {
  const key = { resource: 'consolidations', name: 'all', network } as const;
  const query = { limit: String(scope.pageSize), ...since('fromDay', await position(key)) };
  yield {
    ...key,
    forms: [{ path: '/v1/eth/validators/consolidations', query }],
    rows: { network },
    key: 'sourceValidatorIndex',
    position: { field: 'day' },
  };
}

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
  const size = String(Math.min(200, scope.pageSize)); // spec §8
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

const BLOCKS = '/v0/eth/blocks';
const SLOTS_AT_ONCE = 5_000;
/** Two epochs: the blocks of newer slots may still change. */
const NOT_FINAL = 64;

/** The newest slot of the service; undefined when it has none. */
async function headOf({ upstream }: Planning, network: Network): Promise<number | undefined> {
  const url = urlOf(upstream.from, { path: BLOCKS, query: { size: '1' } });
  const [row] = readEnvelope(await upstream.get(url, network), url).rows;
  return isObject(row) ? Number(String(row.consensusSlot)) : undefined;
}

/** Slots from the lowest to the newest, some thousands in a transaction: a walk that broke off goes on after them. */
async function* blocks(planning: Planning, network: Network): AsyncGenerator<MirrorList> {
  const { scope, position } = planning;
  const key = { resource: 'blocks', name: 'slots', network } as const;
  const head = await headOf(planning, network);
  if (head === undefined) return;
  const stored = await position(key);
  const first = stored === undefined ? head + 1 - scope.blockSlots : Number(stored) + 1 - NOT_FINAL;
  for (let floor = Math.max(0, first); floor <= head; floor += SLOTS_AT_ONCE) {
    const ceiling = Math.min(head, floor + SLOTS_AT_ONCE - 1);
    yield {
      ...key,
      forms: [{ path: BLOCKS, query: { from: String(ceiling), size: String(scope.pageSize) } }],
      rows: { network },
      key: 'consensusSlot',
      down: { field: 'consensusSlot', ceiling, floor },
      position: { at: String(ceiling) },
      part: true,
    };
  }
}

async function* committeeRewards(planning: Planning, network: Network): AsyncGenerator<MirrorList> {
  const { scope, position } = planning;
  const key = { resource: 'sync-committee-rewards', name: 'slots', network } as const;
  const head = await headOf(planning, network);
  if (head === undefined) return;
  const stored = Number((await position(key)) ?? -1);
  for (let slot = Math.max(0, stored + 1, head + 1 - scope.committeeSlots); slot <= head; slot += 1) {
    yield {
      ...key,
      forms: [{ path: `${BLOCKS}/${slot}/syncCommitteeRewards`, query: {} }],
      rows: { network },
      replaces: {},
      position: { at: String(slot) },
      part: true,
      mayBeAbsent: true,
      completed: async () => asAsked({ consensusSlot: String(slot) }),
    };
  }
}

/** The operators of a class that are stored, in any window. */
async function* storedOperators(db: Pool, network: Network, idType: string): AsyncGenerator<string> {
  for (let after = ''; ; ) {
    const { rows } = await db.query({
      text: `/* mirrorEntities */
        select distinct operator_id from operator_summaries
        where network = $1 and id_type = $2 and not superseded and operator_id > $3
        order by operator_id limit 1000`,
      values: [network, idType, after],
    });
    for (const row of rows) yield row.operator_id as string;
    if (rows.length === 0) return;
    after = rows.at(-1)?.operator_id as string;
  }
}

async function* attestations(
  { db, scope, position }: Planning,
  network: Network,
): AsyncGenerator<MirrorList> {
  for (const idType of scope.attestationsOf) {
    for await (const id of storedOperators(db, network, idType)) {
      for (const calendar of scope.calendars) {
        const key = { resource: 'attestations', name: `${calendar} ${idType} ${id}`, network } as const;
        const query = {
          ...{ entityType: idType, granularity: 'day', limit: String(scope.pageSize) },
          ...(calendar === 'utc' ? { utc: 'true' } : {}),
          ...since('fromDay', await position(key)),
        };
        yield {
          ...key,
          forms: [{ path: `/v1/eth/entities/${encodeURIComponent(id)}/attestations`, query }],
          rows: { network, idType, utc: calendar === 'utc' },
          key: 'day',
          position: { field: 'day' },
          mayBeAbsent: true,
          completed: async () => asAsked({ id }),
        };
      }
    }
  }
}

/** Days of a network and of the validators that were named. */
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
      const query = { limit: String(scope.pageSize), ...since('fromDate', await position(key)) };
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

/** The lists of a resource: with those of each network where it is of Ethereum. */
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
