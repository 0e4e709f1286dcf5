import type { Network } from '../../chain/networks.ts';
import type { Pool } from '../../db/pool.ts';
import type { MirrorList } from './list.ts';
import { type Planning, pageSize, since, withRequested } from './planning.ts';
import { parentsOfShares } from './pool-shares.ts';
import { poolTypesOf } from './pool-types.ts';
import { walk } from './walk.ts';

export async function* operators(
  { db, source, upstream, scope }: Planning,
  network: Network,
): AsyncGenerator<MirrorList> {
  const path = '/v0/eth/operators';
  const size = pageSize(scope);
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
          const check = withRequested({ idType, timeWindow: window });
          if (idType === 'pool') {
            const withTypes = await poolTypesOf(narrowed({ poolType: 'lst' }));
            return (row) => withTypes(check(row));
          }
          if (idType !== 'poolShare') return check;
          const shares = { source, network, window, full: scope.full };
          const withParents = await parentsOfShares(db, shares, rows(), (parentId) => narrowed({ parentId }));
          return (row) => withParents(check(row));
        },
      };
      const narrowed = async function* (by: Record<string, string>): AsyncGenerator<unknown> {
        const form = { path, query: { window, idType, ...by, size } };
        for await (const { rows } of walk(upstream, list, form)) {
          for (const row of rows) yield JSON.parse(row);
        }
      };
      yield list;
    }
  }
}

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

export async function* attestations(
  { db, scope, position }: Planning,
  network: Network,
): AsyncGenerator<MirrorList> {
  for (const idType of scope.attestationsOf) {
    for await (const id of storedOperators(db, network, idType)) {
      for (const calendar of scope.calendars) {
        const key = { resource: 'attestations', name: `${calendar} ${idType} ${id}`, network } as const;
        const query = {
          ...{ entityType: idType, granularity: 'day', limit: pageSize(scope, 1_000) },
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
          completed: async () => withRequested({ id }),
        };
      }
    }
  }
}
