import type pg from 'pg';

/**
 * The revision that a change of a dataset gets, raised when first asked for: once in the transaction of the client,
 * which other writers of the dataset wait for from then on.
 */
export function raisedRevision(client: pg.ClientBase, dataset: string): () => Promise<number> {
  let raised: Promise<number> | undefined;
  const raise = async () => {
    const { rows } = await client.query(`/* raiseRevision */ select raise_revision($1) as revision`, [
      dataset,
    ]);
    return rows[0].revision as number;
  };
  return () => (raised ??= raise());
}
