import { Counter, Gauge, type Registry } from 'prom-client';
import { behindSeconds, type IndexStatus } from './status.ts';

export function registerIndexMetrics(registry: Registry, status: IndexStatus, now = () => new Date()): void {
  const gauge = (name: string, help: string, value: () => number | undefined) =>
    new Gauge({
      name: `stakegraph_index_${name}`,
      help,
      registers: [registry],
      collect() {
        const known = value();
        if (known === undefined) this.remove();
        else this.set(known);
      },
    });
  gauge('head_epoch', 'Epoch of the head of the beacon node.', () => status.headEpoch);
  gauge('finalized_epoch', 'Epoch that the beacon node has finalized.', () => status.finalizedEpoch);
  gauge('indexed_epoch', 'Last epoch whose figures are stored.', () => status.indexedEpoch);
  gauge('behind_seconds', 'Time since the end of the last epoch whose figures are stored.', () =>
    status.network && status.indexedEpoch !== undefined
      ? behindSeconds(status.network, status.indexedEpoch, now())
      : undefined,
  );
  const counter = (name: string, help: string, collect: (counter: Counter<'reason'>) => void) =>
    new Counter({
      name: `stakegraph_index_${name}_total`,
      help,
      labelNames: name === 'node_errors' ? ['reason'] : [],
      registers: [registry],
      collect() {
        this.reset();
        collect(this as Counter<'reason'>);
      },
    });
  counter('node_errors', 'Failed answers of beacon nodes, by reason.', (errors) => {
    for (const [reason, count] of status.nodeErrors) errors.inc({ reason }, count);
  });
  counter('reconcile_failures', 'Epochs whose balance changes an answer did not explain.', (failures) =>
    failures.inc(status.reconcileFailures),
  );
}
