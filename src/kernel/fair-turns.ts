import { type Refusal, unavailable } from './refusal.ts';

/** For each account. */
const MAX_WAITING = 2_000;
const SWEEP_MS = 250;
/** After a longer use of a place, its account gets none of the kept places for this many times as long. */
const SLOW_MS = 250;
const BARRED_TIMES = 10;
const MOST_BARRED_MS = 600_000;

type Waiting = { since: number; use: Use };
type Line = { account: string; running: number; waiting: Set<Waiting>; barredUntil: number };
/** The use of one place. Without an account, it counts but waits for nobody. */
export type Turn = { line: Line | undefined; since: number };
type Use = (refusal: Refusal | undefined, turn?: Turn) => void;

export type FairTurns = {
  /** Calls `use` when the account may use a place, or with UNAVAILABLE. Call `leave` afterwards. */
  enter(account: string | undefined, use: Use): void;
  /** Like `enter`, for work that awaits its turn. */
  turn(account: string | undefined): Promise<Turn>;
  leave(turn: Turn): void;
  /** How many wait because their account uses all that it may (`own`), and because places are scarce. */
  waiting(): { own: number; scarce: number };
  stop(): void;
};

type Options = {
  places: number;
  /** The most places that one account uses at a time. */
  most: number;
  waitTimeoutMs: number;
  /** Replaces UNAVAILABLE for work that waited for places of its own account. */
  ofOwn?: () => Refusal;
};

const busy = (reason: string) => unavailable(undefined, new Error(`no turn was given: ${reason}`));

/**
 * Shares places, such as connections, among accounts. An account uses at most `most`. A third of the places is kept for
 * accounts whose uses are short, and an account takes one of these only while it uses fewer places than are free. When a
 * place is free, the account that uses the fewest gets it; of several, the one whose turn is longest ago.
 */
export function fairTurns({ places, most, waitTimeoutMs, ofOwn }: Options): FairTurns {
  const kept = Math.max(0, Math.min(Math.floor(places / 3), places - most));
  /** In the order in which accounts take turns. */
  const lines = new Map<string, Line>();
  let free = places;
  let waiting = 0;
  let starting = false;

  const may = ({ running, barredUntil }: Line, now: number) =>
    running < most && (free > kept || (running < free && barredUntil <= now));

  function begin(line: Line, use: Use, since: number) {
    free -= 1;
    line.running += 1;
    use(undefined, { line, since });
  }

  function nextLine(now: number): Line | undefined {
    let found: Line | undefined;
    for (const line of lines.values())
      if (line.waiting.size > 0 && line.running < (found?.running ?? most) && may(line, now)) found = line;
    return found;
  }

  function startWaiting() {
    if (starting) return;
    starting = true; // `use` may leave at once
    const now = performance.now();
    for (let line = nextLine(now); line; line = nextLine(now)) {
      const [next] = line.waiting as Iterable<Waiting>;
      line.waiting.delete(next as Waiting);
      waiting -= 1;
      lines.delete(line.account);
      lines.set(line.account, line);
      begin(line, (next as Waiting).use, now);
    }
    starting = false;
  }

  function forget({ account, running, waiting, barredUntil }: Line, now: number) {
    if (running === 0 && waiting.size === 0 && barredUntil <= now) lines.delete(account);
  }

  function sweep() {
    const now = performance.now();
    for (const line of lines.values()) {
      for (const one of line.waiting) {
        if (one.since > now - waitTimeoutMs) break;
        line.waiting.delete(one);
        waiting -= 1;
        one.use((line.running >= most && ofOwn?.()) || busy(`others had all for ${waitTimeoutMs} ms`));
      }
      forget(line, now);
    }
    startWaiting(); // accounts may no longer be barred
  }

  const timer = setInterval(sweep, SWEEP_MS).unref();
  const turns: FairTurns = {
    enter(account, use) {
      const now = performance.now();
      if (account === undefined) {
        free -= 1;
        return use(undefined, { line: undefined, since: now });
      }
      let line = lines.get(account);
      if (!line) lines.set(account, (line = { account, running: 0, waiting: new Set(), barredUntil: 0 }));
      if (line.waiting.size === 0 && may(line, now)) return begin(line, use, now);
      if (line.waiting.size >= MAX_WAITING)
        return use(busy(`${MAX_WAITING} of its account are already waiting`));
      waiting += 1;
      line.waiting.add({ since: now, use });
    },
    turn: (account) =>
      new Promise((resolve, reject) =>
        turns.enter(account, (refusal, given) => (given ? resolve(given) : reject(refusal))),
      ),
    leave({ line, since }) {
      free += 1;
      if (line) {
        const now = performance.now();
        line.running -= 1;
        if (now - since > SLOW_MS)
          line.barredUntil = Math.min(
            now + MOST_BARRED_MS,
            Math.max(now, line.barredUntil) + BARRED_TIMES * (now - since),
          );
        forget(line, now);
      }
      if (waiting > 0) startWaiting();
    },
    waiting() {
      const found = { own: 0, scarce: 0 };
      for (const { running, waiting } of lines.values())
        found[running < most ? 'scarce' : 'own'] += waiting.size;
      return found;
    },
    stop: () => clearInterval(timer),
  };
  return turns;
}
