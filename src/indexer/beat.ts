type Events = (signal: AbortSignal) => AsyncIterable<unknown>;

export function heartbeat(
  events: Events,
  pollMs: number,
  stop: AbortSignal,
  onError: (error: Error) => void,
) {
  const waiting = new Set<() => void>();
  const listen = async () => {
    for await (const _event of events(stop)) for (const resume of [...waiting]) resume();
  };
  // Without events, `wait` ends after `pollMs`.
  void listen().catch((error) => stop.aborted || onError(error));
  return {
    wait: () =>
      new Promise<void>((resolve) => {
        const done = () => {
          clearTimeout(timer);
          waiting.delete(done);
          stop.removeEventListener('abort', done);
          resolve();
        };
        const timer = setTimeout(done, pollMs);
        waiting.add(done);
        stop.addEventListener('abort', done);
        if (stop.aborted) done();
      }),
  };
}
export type Beat = ReturnType<typeof heartbeat>;
