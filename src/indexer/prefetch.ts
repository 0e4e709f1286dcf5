/** Fetches `width` epochs in parallel. `take` repeats a failed fetch. */
export function prefetcher<T>(fetch: (epoch: number, avoid?: string) => Promise<T>, width: number) {
  const flights = new Map<number, Promise<T>>();
  const start = (epoch: number) => {
    const flight = fetch(epoch);
    flights.set(epoch, flight);
    flight.catch(() => flights.get(epoch) === flight && flights.delete(epoch));
    return flight;
  };
  return {
    /** Epochs after `last` are not fetched. `avoid` names a node whose response was invalid. */
    async take(epoch: number, last: number, avoid?: string): Promise<T> {
      const flight = avoid === undefined ? (flights.get(epoch) ?? start(epoch)) : fetch(epoch, avoid);
      for (let ahead = epoch + 1; ahead <= Math.min(last, epoch + width - 1); ahead += 1)
        if (!flights.has(ahead)) start(ahead);
      try {
        return await flight;
      } finally {
        flights.delete(epoch);
      }
    },
  };
}
