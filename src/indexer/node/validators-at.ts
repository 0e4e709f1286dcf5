import { AnswerError } from '../answers/error.ts';
import type { ValidatorRecord } from '../chain/types.ts';
import { type Asking, pruned } from './asking.ts';
import { NodeError } from './errors.ts';
import { decimal, listAt, objectAt } from './scan/bytes.ts';
import { readRecord } from './scan/registry.ts';

export type ValidatorAt = { record: ValidatorRecord; balance: number };

/** The standard sets no limit; a response has half a megabyte. */
const IDS_PER_POST = 1_000;
/** The limit of the standard. */
const IDS_PER_GET = 64;

type Read<T> = (entries: readonly unknown[], batch: readonly number[]) => T[];

/** Undefined if the answer to a batch is. */
async function inBatches<T>(
  indices: readonly number[],
  size: number,
  ask: (batch: readonly number[]) => Promise<T[] | undefined>,
): Promise<T[] | undefined> {
  const batches: (readonly number[])[] = [];
  for (let at = 0; at < indices.length; at += size) batches.push(indices.slice(at, at + size));
  const found = await Promise.all(batches.map(ask));
  return found.every((rows) => rows !== undefined) ? found.flat() : undefined;
}

/** Asks for each index once, by POST, or by GET if the node does not take POST. Throws NodeError `pruned`. */
async function entriesAt<T>(
  asking: Asking,
  state: 'head' | number,
  indices: readonly number[],
  read: Read<T>,
  urgent = false,
): Promise<T[]> {
  const { endpoint, signal } = asking;
  const once = [...new Set(indices)];
  if (once.length === 0) return [];
  const path = `/eth/v1/beacon/states/${state}/validators`;
  const ask = (request: { path: string; body?: unknown }, batch: readonly number[]) =>
    endpoint.client.json({ ...request, signal, urgent }, ({ data }) => read(listAt(data, 'data'), batch));
  const { takesPosts } = endpoint;
  if (takesPosts !== false) {
    const found = await inBatches(once, IDS_PER_POST, (batch) =>
      ask({ path, body: { ids: batch.map(String) } }, batch),
    ).catch((error) => {
      // Some servers answer 500 to a method that they do not know.
      if (takesPosts || !(error instanceof NodeError) || error.reason !== 'status') throw error;
      return undefined;
    });
    if (found) {
      endpoint.takesPosts = true;
      return found;
    }
  }
  const found = await inBatches(once, IDS_PER_GET, (batch) =>
    ask({ path: `${path}?id=${batch.join(',')}` }, batch),
  );
  if (!found) throw pruned(asking, path);
  endpoint.takesPosts = false;
  return found;
}

/** Throws NodeError `pruned` if the node lacks the state. */
export const validatorsAt = (
  asking: Asking,
  state: 'head' | number,
  indices: readonly number[],
): Promise<ValidatorAt[]> =>
  entriesAt(
    asking,
    state,
    indices,
    (entries) =>
      entries.map((entry) => ({
        record: readRecord(entry),
        balance: decimal(objectAt(entry, 'an entry').balance, 'balance'),
      })),
    true,
  );

/** In the order of `indices`. Throws NodeError `nonsense` if one is missing, and `pruned` if the node lacks the state. */
export const recordsAt = (
  asking: Asking,
  slot: number,
  indices: readonly number[],
): Promise<ValidatorRecord[]> =>
  entriesAt(asking, slot, indices, (entries, batch) => {
    const records = new Map(entries.map(readRecord).map((record) => [record.index, record]));
    return batch.map((index) => {
      const record = records.get(index);
      if (!record) throw new AnswerError(`validator ${index} is missing`);
      return record;
    });
  });
