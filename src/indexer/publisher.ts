import { setTimeout as sleep } from 'node:timers/promises';
import { calendars } from '../chain/calendar.ts';
import { errorText } from '../diagnostics/error-text.ts';
import { tracedAlone } from '../kernel/tracing.ts';
import type { Say } from './retry.ts';
import type { OpenDays, Store } from './store/index.ts';

/** If `open` is set, only its calendars are published. */
export type Publication = { epoch: number; open: OpenDays | undefined };

const HOUR_MS = 3_600_000;
const AGAIN_MS = 60_000;

type Options = {
  store: Pick<Store, 'publish' | 'writeOpenDays'>;
  once: boolean;
  say: Say;
  onPublished(epoch: number, failures: string[], ms: number): void;
  stop: AbortSignal;
  now?: () => number;
};

/** Runs one publication at a time, and merges requests that arrive meanwhile. */
export class Publisher {
  #waiting: Publication | undefined;
  #running: Promise<void> | undefined;
  #error: unknown;
  #epoch = 0;
  #beganAt = 0;
  #endedAt: number;
  #isTold = false;
  readonly #o: Options;
  readonly #now: () => number;

  constructor(options: Options) {
    this.#o = options;
    this.#now = options.now ?? (() => performance.now());
    this.#endedAt = this.#now();
  }

  get idleMs(): number {
    return this.#running ? 0 : this.#now() - this.#endedAt;
  }

  request(next: Publication): void {
    this.#waiting = this.#waiting ? joined(this.#waiting, next) : next;
    if (this.#running) this.#tellLate();
    else this.#running = this.#run();
  }

  async settled(): Promise<void> {
    await this.#running;
    const error = this.#error;
    this.#error = undefined;
    if (error !== undefined) throw error;
  }

  #tellLate(): void {
    const minutes = Math.round((this.#now() - this.#beganAt) / 60_000);
    if (this.#isTold || minutes * 60_000 < HOUR_MS) return;
    this.#isTold = true;
    this.#o.say(
      'warn',
      `Publishing up to epoch ${this.#epoch} has taken ${minutes} min so far. The next publication begins when it ends; blocks and epochs are stored meanwhile.`,
    );
  }

  async #run(): Promise<void> {
    const { once, say, stop } = this.#o;
    for (let next = this.#take(); next && !stop.aborted; next = this.#take()) {
      try {
        const at = next;
        await tracedAlone('index publish', { 'stakegraph.epoch': at.epoch }, () => this.#publish(at));
      } catch (error) {
        if (once) {
          this.#error = error;
          break;
        }
        say('warn', `Publishing failed and is retried in a minute: ${errorText(error)}`);
        this.#waiting = this.#waiting ? joined(next, this.#waiting) : next;
        await sleep(AGAIN_MS, undefined, { signal: stop }).catch(() => undefined);
      }
    }
    this.#running = undefined;
  }

  #take(): Publication | undefined {
    const next = this.#waiting;
    this.#waiting = undefined;
    return next;
  }

  async #publish({ epoch, open }: Publication): Promise<void> {
    const { store, stop, onPublished } = this.#o;
    const stopped = () => stop.aborted;
    this.#epoch = epoch;
    this.#beganAt = this.#now();
    this.#isTold = false;
    if (open) await store.writeOpenDays(open, stopped);
    const reports = await store.publish(stopped, open?.calendars);
    this.#endedAt = this.#now();
    const failed = reports.flatMap(({ part, error }) => (error === undefined ? [] : [`${part}: ${error}`]));
    onPublished(epoch, failed, this.#endedAt - this.#beganAt);
  }
}

function joined(older: Publication, newer: Publication): Publication {
  const [first, last] = [older.open?.calendars ?? calendars, newer.open?.calendars ?? calendars];
  const open = newer.open ?? older.open;
  return { epoch: newer.epoch, open: open && { ...open, calendars: new Set([...first, ...last]) } };
}
