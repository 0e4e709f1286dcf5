import type pg from 'pg';

/**
 * How rows get into the two ranked lists, operators and stake authorities. A summary that changes is superseded by a new
 * row, and a list that changes by a new list: whoever walks the old list goes on seeing what it ranked, with the figures
 * of then (decisions on pages).
 */
export type RankedTables = {
  summaries: string;
  lists: string;
  ranks: string;
  /** What tells one summary from another. */
  key: readonly string[];
  columns: readonly {
    name: string;
    type: string;
    /** How the column is made of the given one, where that is more than taking it. */
    from?: string;
    /** False for what is not the row's own: a difference there is none of the row. */
    compared?: boolean;
  }[];
};

/** Lists that were replaced are kept this long, and no more of each than so many. */
const KEPT_FOR = '1 hour';
const KEPT_MOST = 8;

const matches = (key: readonly string[]) => key.map((name) => `s.${name} = g.${name}`).join(' and ');

/** Writes a batch of rows, given by column name; rows that are stored already, digit for digit, are left alone. */
export async function writeSummaries(
  client: pg.ClientBase,
  { summaries, key, columns }: RankedTables,
  batch: readonly Record<string, unknown>[],
): Promise<{ inserted: number; updated: number }> {
  const names = columns.map(({ name }) => name);
  const compared = columns.filter((column) => column.compared !== false).map(({ name }) => name);
  // As text, because 1.50 and 1.5 are equal numbers and not the same digits.
  const rowText = (alias: string) => `row(${compared.map((name) => `${alias}.${name}`).join(', ')})::text`;
  const given = `given as materialized (
      select ${columns.map(({ name, from }) => (from ? `${from} as ${name}` : name)).join(', ')}
      from jsonb_to_recordset($1::jsonb) as r (${columns.map(({ name, type }) => `${name} ${type}`).join(', ')})
    )`;
  const values = [JSON.stringify(batch)];
  const { rowCount: updated } = await client.query(
    `/* supersedeSummaries */
    with ${given}
    update ${summaries} s set superseded = true from given g
    where not s.superseded and ${matches(key)} and ${rowText('s')} <> ${rowText('g')}`,
    values,
  );
  const { rowCount: written } = await client.query(
    `/* insertSummaries */
    with ${given}
    insert into ${summaries} (${names.join(', ')}) select ${names.map((name) => `g.${name}`).join(', ')} from given g
    where not exists (select from ${summaries} s where not s.superseded and ${matches(key)})`,
    values,
  );
  return { inserted: (written ?? 0) - (updated ?? 0), updated: updated ?? 0 };
}

/** Removes lists that were replaced long ago, or too often since, and the summaries that no list ranks any more. */
export async function forgetOldLists(
  client: pg.ClientBase,
  { summaries, lists, ranks }: RankedTables,
  listKey: readonly string[],
): Promise<void> {
  await client.query(
    `/* forgetLists */
    delete from ${lists} l using (
      select list_id, row_number() over (partition by ${listKey.join(', ')} order by revision desc) as age
      from ${lists} where superseded_at is not null
    ) as old
    where l.list_id = old.list_id
      and (l.superseded_at < now() - interval '${KEPT_FOR}' or old.age > ${KEPT_MOST})`,
  );
  await client.query(
    `/* forgetSummaries */
    delete from ${summaries} s
    where s.superseded and not exists (select from ${ranks} r where r.summary_id = s.summary_id)`,
  );
}
