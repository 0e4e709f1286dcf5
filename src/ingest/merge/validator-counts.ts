import type pg from 'pg';
import { isDistributed } from '../../db/distributed/layout.ts';

/** Counts all validators of the networks anew. Plain databases have triggers for this. */
export async function countValidators(client: pg.ClientBase, networks: readonly string[]): Promise<void> {
  if (!isDistributed()) return;
  await client.query('/* dropCounts */ delete from validator_counts where network = any($1::text[])', [
    networks,
  ]);
  await client.query(
    `/* countValidators */
    insert into validator_counts
    select network, activation_epoch is not null, exit_epoch is not null, slashed, count(*) from validators
    where network = any($1::text[]) group by 1, 2, 3, 4`,
    [networks],
  );
}

type Counted = { activated: boolean; leaving: boolean; slashed: boolean; count: number };

/** Adds to the counts of a network, so that not all of its validators are counted again. */
export async function addToCounts(
  client: pg.ClientBase,
  network: string,
  added: readonly Counted[],
): Promise<void> {
  if (!isDistributed()) return;
  await client.query(
    `/* addToCounts */
    insert into validator_counts as c
    select $1, activated, leaving, slashed, sum(count) from unnest($2::boolean[], $3::boolean[], $4::boolean[], $5::int[])
      as g (activated, leaving, slashed, count)
    group by activated, leaving, slashed having sum(count) <> 0 order by activated, leaving, slashed
    on conflict (network, activated, leaving, slashed) do update set validators = c.validators + excluded.validators`,
    [
      ...[network, added.map(({ activated }) => activated), added.map(({ leaving }) => leaving)],
      ...[added.map(({ slashed }) => slashed), added.map(({ count }) => count)],
    ],
  );
}
