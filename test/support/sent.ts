import pg from 'pg';

/** Hands each text that a client of pg sends to `record`, until the returned function is called. */
export function recordQueries(record: (text: string) => void): () => void {
  const { query } = pg.Client.prototype;
  const recorded = function (this: pg.Client, ...args: [statement: unknown, ...rest: unknown[]]) {
    const [statement] = args;
    const text = typeof statement === 'string' ? statement : (statement as { text?: unknown } | null)?.text;
    if (typeof text === 'string') record(text);
    return Reflect.apply(query, this, args);
  };
  pg.Client.prototype.query = recorded as typeof query;
  return () => {
    pg.Client.prototype.query = query;
  };
}
