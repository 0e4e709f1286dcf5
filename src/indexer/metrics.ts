import type { Registry } from 'prom-client';
import { labelled, metersIn } from '../kernel/metrics.ts';
import { behindSeconds, type IndexStatus } from './status.ts';

export function registerIndexMetrics(registry: Registry, status: IndexStatus, now = () => new Date()): void {
  const { gauge, counter } = metersIn(registry, 'stakegraph_index');
  gauge('head_epoch', 'Epoch of the head of the beacon node.', () => status.headEpoch);
  gauge('finalized_epoch', 'Epoch that the beacon node has finalized.', () => status.finalizedEpoch);
  gauge('indexed_epoch', 'Last epoch whose figures are stored.', () => status.indexedEpoch);
  gauge('behind_seconds', 'Time since the end of the last epoch whose figures are stored.', () =>
    status.network && status.indexedEpoch !== undefined
      ? behindSeconds(status.network, status.indexedEpoch, now())
      : undefined,
  );
  gauge('missing_epochs', 'Epochs that were left out between stored ones.', () => status.missingEpochs);
  gauge(
    'unknown_fork_epoch',
    'Epoch of the first scheduled fork that this version does not know. Figures end three epochs before it.',
    () => status.unknownFork?.epoch,
  );
  const reasons = () => labelled('reason', status.nodeErrors);
  counter('node_errors', 'Failed answers of beacon nodes, by reason.', reasons, ['reason']);
  counter(
    'reconcile_failures',
    'Epochs whose balance changes an answer did not explain.',
    () => status.reconcileFailures,
  );
}
