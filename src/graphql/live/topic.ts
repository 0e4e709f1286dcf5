import type { computeUnits } from '../../accounts/compute-units.ts';
import type { Context } from '../../context.ts';

export type Change<Event extends object> = {
  /** Where a stream is after the event. */
  position: string;
  /** Absent if nothing changed. */
  event?: Event;
  /** Rows that the event costs. */
  rows: number;
  /** Another event follows this one at once. */
  more?: boolean;
  /** Nothing can follow. */
  last?: boolean;
};

type Subject<Event extends object> = {
  operation: keyof typeof computeUnits;
  /** With `operation`, equal for streams with the same events. */
  key: readonly unknown[];
  datasets: readonly string[];
  setId?: string;
  /** Where the stream begins; undefined: now. */
  start?: string | undefined;
  read(ctx: Context, position: string | undefined): Promise<Change<Event>>;
};

/**
 * What a subscription is about. Streams ask it for the change after their position, so that nothing is buffered for them
 * and a slow one misses nothing.
 */
export class Topic<Event extends object> implements AsyncIterable<Event> {
  readonly subject: Subject<Event>;
  readonly key: string;

  constructor(subject: Subject<Event>) {
    this.subject = subject;
    this.key = JSON.stringify([subject.operation, ...subject.key]);
  }

  /** graphql-js requires it; streams call `read`. */
  [Symbol.asyncIterator](): AsyncIterator<Event> {
    throw new Error('A topic is read by position.');
  }
}
