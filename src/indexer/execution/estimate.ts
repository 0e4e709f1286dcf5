import type pg from 'pg';
import { SLOTS_PER_EPOCH } from '../../chain/calendar.ts';
import type { Network } from '../../chain/networks.ts';
import { raisedRevision } from '../../db/changes/revisions.ts';

const withPayload = `filter (where b.payload_status is distinct from 'empty')`;
const consensus = `case m.consensus_proposer_duty when 'missed' then e.consensus else m.missed_consensus_rewards end`;

/**
 * The estimate is the mean of the epoch's proposed blocks, of the execution layer those with a payload, rounded down to
 * Gwei (consensus) or wei (execution). It is null if one of these blocks lacks the reward. A proposer whose own payload is
 * not on the chain missed rewards of the execution layer alone. Idempotent.
 */
export async function estimateMissed(
  client: pg.ClientBase,
  network: Network,
  epochs: readonly number[],
): Promise<void> {
  const { rowCount } = await client.query(
    `/* estimateMissed */
    update blocks m set missed_consensus_rewards = ${consensus}, missed_execution_rewards = e.execution,
      total_rewards_missed = ${consensus} + e.execution
    from unnest($2::int[]) as wanted (epoch)
    cross join lateral (
      select case when count(*) = count(consensus_rewards) then div(sum(consensus_rewards), count(*))::bigint end as consensus,
        case when count(*) ${withPayload} = count(execution_rewards) ${withPayload} then trim_scale(
          div(sum(execution_rewards) ${withPayload} * 1000000000, nullif(count(*) ${withPayload}, 0)) * 0.000000001
        ) end as execution
      from blocks b
      where b.network = $1 and b.slot >= wanted.epoch * $3::int and b.slot < (wanted.epoch + 1) * $3::int
        and b.consensus_proposer_duty = 'proposed'
      having count(*) > 0
    ) e
    where m.network = $1 and m.slot >= wanted.epoch * $3::int and m.slot < (wanted.epoch + 1) * $3::int
      and (m.consensus_proposer_duty = 'missed' or m.payload_status = 'empty' and m.bid_builder_index is null)
      and (m.missed_consensus_rewards, m.missed_execution_rewards) is distinct from (${consensus}, e.execution)`,
    [network, epochs, SLOTS_PER_EPOCH],
  );
  if (rowCount) await raisedRevision(client, 'blocks')();
}
