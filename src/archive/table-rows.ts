import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { numberColumnNames, numberColumns } from './columns.ts';
import { NumberRows } from './number-rows.ts';
import type { Rows } from './row-hash.ts';

export type MonthOfTable = { part: string; network: string; month: string };

const VALIDATORS_AT_ONCE = 4_096;
/** Places of a validator's days of both calendars in the order of a month. */
const PLACES = 64;

const DAY_MS = 86_400_000;

/** COPY writes whole numbers fastest. */
const asNumbers = numberColumns
  .map(({ name, type }) => {
    if (type === 'date') return `${name} - date '1970-01-01'`;
    return type === 'boolean' ? `${name}::int` : name;
  })
  .join(', ');

const [VALIDATOR, UTC, DATE] = ['validator_index', 'utc', 'date'].map((name) =>
  numberColumnNames.indexOf(name),
) as [number, number, number];

async function highestValidator(
  client: pg.ClientBase,
  { part, network }: MonthOfTable,
): Promise<number | undefined> {
  const { rows } = await client.query<{ last: number | null }>(
    `/* highestValidator */ select greatest(
      (select max(validator_index) from ${pg.escapeIdentifier(part)} where network = $1 and not utc),
      (select max(validator_index) from ${pg.escapeIdentifier(part)} where network = $1 and utc)
    ) as last`,
    [network],
  );
  return rows[0]?.last ?? undefined;
}

/** A network's rows of a part of `validator_days`, in the order of the archive: by validator, date and calendar. */
export async function* rowsOfTable(client: pg.ClientBase, source: MonthOfTable): AsyncGenerator<Rows> {
  const { part, network, month } = source;
  const last = await highestValidator(client, source);
  const firstDay = Date.parse(month) / DAY_MS;
  const found = new NumberRows((VALIDATORS_AT_ONCE * PLACES * 31) / 32);
  for (let first = 0; last !== undefined && first <= last; first += VALIDATORS_AT_ONCE) {
    found.clear();
    // Sorted here: PostgreSQL would compare rows, whose places are known.
    const copy = `/* readMonth */ copy (
      select ${asNumbers} from ${pg.escapeIdentifier(part)}
      where network = ${pg.escapeLiteral(network)} and utc = any('{f,t}')
        and validator_index >= ${first} and validator_index < ${first + VALIDATORS_AT_ONCE}
    ) to stdout`;
    await pipeline(
      client.query(copyTo(copy)),
      new Writable({
        write(text: Buffer, _encoding, done) {
          found.add(text);
          done();
        },
      }),
    );
    const order = orderOf(found, first, firstDay);
    yield { count: order.length, columns: numberColumns.map((_, column) => found.ordered(column, order)) };
  }
}

function orderOf(found: NumberRows, first: number, firstDay: number): Uint32Array {
  const places = new Uint32Array(VALIDATORS_AT_ONCE * PLACES);
  for (let row = 0; row < found.count; row += 1) {
    const day = found.at(DATE, row) - firstDay;
    const place = (found.at(VALIDATOR, row) - first) * PLACES + day * 2 + found.at(UTC, row);
    if (!(day >= 0 && day < 31) || places[place] !== 0)
      throw new Error(
        `a validator has a day twice, or a day of another month, on date ${found.at(DATE, row)}`,
      );
    places[place] = row + 1;
  }
  const order = new Uint32Array(found.count);
  let count = 0;
  for (let place = 0; place < places.length; place += 1) {
    const row = places[place] as number;
    if (row === 0) continue;
    order[count] = row - 1;
    count += 1;
  }
  return order;
}
