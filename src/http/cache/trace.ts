import type { Trace } from '../../context.ts';
import { readsOf } from '../../db/changes/datasets.ts';

/** Accessing the returned proxy marks the answer as private (not cached). */
export const privateAccess = <T extends object>(trace: Trace, target: T): T =>
  new Proxy(target, {
    get(of, name, receiver) {
      trace.isPrivate = true;
      return Reflect.get(of, name, receiver);
    },
  });

export function noteStatement(trace: Trace, text: string): void {
  const { datasets, isPrivate } = readsOf(text);
  for (const name of datasets) trace.datasets.add(name);
  trace.isPrivate ||= isPrivate;
}
