import type { computeUnits } from '../../accounts/compute-units.ts';
import type { Context } from '../../context.ts';

export type Change<Event extends object> = {
  position: string;
  event?: Event;
  rows: number;
  /** Whether another event follows at once. */
  more?: boolean;
  last?: boolean;
};

type Subject<Event extends object> = {
  operation: keyof typeof computeUnits;
  /** The most rows of an event, if it has a list of them. */
  listSize?: number;
  /** Streams with the same `operation` and `key` have the same events. */
  key: readonly unknown[];
  datasets: readonly string[];
  setId?: string;
  /** Undefined means now. */
  start?: string | undefined;
  read(ctx: Context, position: string | undefined): Promise<Change<Event>>;
};

/** Each stream reads the change after its own position, so events are not buffered and a slow stream misses none. */
export class Topic<Event extends object> implements AsyncIterable<Event> {
  readonly subject: Subject<Event>;
  readonly key: string;

  constructor(subject: Subject<Event>) {
    this.subject = subject;
    this.key = JSON.stringify([subject.operation, ...subject.key]);
  }

  /** graphql-js requires this method, but streams call `read`. */
  [Symbol.asyncIterator](): AsyncIterator<Event> {
    throw new Error('A topic is read by position.');
  }
}
