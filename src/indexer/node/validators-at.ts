import type { ValidatorRecord } from '../types.ts';
import { type Asking, inBatches, pruned } from './epoch.ts';
import { decimal, listAt, objectAt } from './scan/bytes.ts';
import { recordOf } from './scan/registry.ts';

export type ValidatorAt = { record: ValidatorRecord; balance: number };

/** Throws NodeError `pruned` if the node lacks the state. */
export async function validatorsAt(
  asking: Asking,
  state: 'head' | number,
  indices: readonly number[],
): Promise<ValidatorAt[]> {
  const { endpoint, signal } = asking;
  return inBatches(indices, async (batch) => {
    const path = `/eth/v1/beacon/states/${state}/validators?id=${batch.join(',')}`;
    const found = await endpoint.client.json({ path, signal, urgent: true }, ({ data }) =>
      listAt(data, 'data').map((entry) => ({
        record: recordOf(entry),
        balance: decimal(objectAt(entry, 'an entry').balance, 'balance'),
      })),
    );
    if (!found) throw pruned(asking, path);
    return found;
  });
}
