const SECONDS_PER_EPOCH = 384;
const HOUR = 3_600;
const DAY = 86_400;

export type Calendar = 'chain' | 'utc';
export const calendars: Calendar[] = ['chain', 'utc'];

/** Days and hours of a chain, counted from genesis or from the midnight before it. */
export class Days {
  private readonly genesis: number;

  constructor(genesisTime: number) {
    this.genesis = genesisTime;
  }

  private seconds(calendar: Calendar, epoch: number): number {
    const sinceGenesis = epoch * SECONDS_PER_EPOCH;
    return calendar === 'chain' ? sinceGenesis : sinceGenesis + (this.genesis % DAY);
  }

  day(calendar: Calendar, epoch: number): number {
    return Math.floor(this.seconds(calendar, epoch) / DAY);
  }

  hour(calendar: Calendar, epoch: number): number {
    return Math.floor(this.seconds(calendar, epoch) / HOUR);
  }

  /** The UTC date on which a day of either calendar begins. */
  date(day: number): string {
    const midnight = this.genesis - (this.genesis % DAY);
    return new Date((midnight + day * DAY) * 1000).toISOString().slice(0, 10);
  }
}

/** Splits epochs, which are consecutive, by a number such as their day. */
export function split(epochs: readonly number[], by: (epoch: number) => number): Map<number, number[]> {
  const parts = new Map<number, number[]>();
  for (const epoch of epochs) {
    const key = by(epoch);
    parts.set(key, [...(parts.get(key) ?? []), epoch]);
  }
  return parts;
}
