import type { Failure } from '../../api/failure.ts';
import type { UserError } from '../../api/mutate.ts';
import type { Waits } from '../../api/patience.ts';
import { count } from '../../parts/format.ts';
import type { Entry, ValidatorBy } from './validator-lines.ts';

/** The most that a mutation takes. */
const BATCH = 1_000;

/** Sends a batch and returns what was wrong with it; nothing has been changed then. */
export type Send = (validators: ValidatorBy[], waits: Waits) => Promise<readonly UserError[]>;
/** Of all validators, so many are done; no answer came for so many others. */
export type Counts = { done: number; unknown: number; of: number };
export type Result = Counts & {
  /** Why it ended before all were done. */
  why?: string | undefined;
  /** What is wrong with single validators, by key. */
  refused: ReadonlyMap<string, string>;
};

/** Errors of single validators by key, and whatever else speaks against a batch. */
function sort(errors: readonly UserError[], batch: readonly Entry[]) {
  const refused = new Map<string, string>();
  const others: string[] = [];
  for (const { field, message } of errors) {
    const entry = field?.[0] === 'validators' && field[1] !== undefined ? batch[Number(field[1])] : undefined;
    if (entry) refused.set(entry.key, 'is no validator that the gateway knows here');
    else others.push(message);
  }
  return { refused, others };
}

/**
 * Sends validators in batches until one is refused or fails. Those in `sent` are left out, and those that are done are
 * added to it. An empty list is one batch.
 */
export async function sendBatches(
  entries: readonly Entry[],
  options: { sent: Set<string>; send: Send; waits: Waits; onProgress: (done: number) => void },
): Promise<Result> {
  const { sent, send, waits, onProgress } = options;
  const left = entries.filter(({ key }) => !sent.has(key));
  const result = (unknown: number, why?: string, refused = new Map<string, string>()): Result => ({
    done: entries.length - entries.filter(({ key }) => !sent.has(key)).length,
    unknown,
    of: entries.length,
    why,
    refused,
  });
  for (let at = 0; at < left.length || at === 0; at += BATCH) {
    const batch = left.slice(at, at + BATCH);
    onProgress(entries.length - left.length + at);
    try {
      const { refused, others } = sort(
        await send(
          batch.map(({ by }) => by),
          waits,
        ),
        batch,
      );
      if (others.length + refused.size > 0) return result(0, others.join(' '), refused);
    } catch (error) {
      const { kind = 'server', message } = error as Partial<Failure> & Error;
      // The gateway may have done what it was sent before the connection failed.
      const isUnknown = kind === 'connection' || kind === 'server';
      return result(isUnknown ? Math.max(1, batch.length) : 0, message);
    }
    for (const { key } of batch) sent.add(key);
  }
  return result(0);
}

const validators = (number: number) => `${count(number)} ${number === 1 ? 'validator' : 'validators'}`;

/** Tells what was done with a list, such as "added", and what was not. */
export function told({ done, unknown, of }: Counts, verb: string): string {
  const not = of - done - unknown;
  if (done === 0 && unknown === 0) return `None of ${validators(of)} ${of === 1 ? 'was' : 'were'} ${verb}.`;
  const sentences = [`${count(done)} of ${validators(of)} ${done === 1 ? 'was' : 'were'} ${verb}`];
  if (unknown > 0)
    sentences.push(`for ${count(unknown)} it is not known, and they can be sent again without harm`);
  if (not > 0) sentences.push(`${count(not)} ${not === 1 ? 'was' : 'were'} not`);
  return `${sentences.join('; ')}.`;
}
