import { encodeCursor } from '../../kernel/cursor.ts';
import { badInput, type Fault, quoted } from '../../kernel/refusal.ts';
import { readGlobalId } from './builder.ts';
import { connection } from './connection.ts';

type Ids = readonly (string | number)[];
type Args = Readonly<object>;
type ByIds<Key, Row> = {
  type: string;
  maxSize: number;
  excluded: readonly string[];
  keyOf: (id: string) => Key | undefined;
  load: (key: Key) => Promise<Row | undefined>;
  nameOf: (row: Row) => string;
};

/** Keeps the order of `ids` and omits ids without a row. Throws BAD_INPUT for malformed ids. */
export async function connectionOfIds<Key extends object, Row>(ids: Ids, args: Args, of: ByIds<Key, Row>) {
  const found = await Promise.all(keysOf(ids, args, of).map(of.load));
  const rows = found.filter((row) => row !== undefined);
  return connection(
    { rows, hasNext: false, hasPrevious: false },
    (row) => encodeCursor(`${of.type}:ids`, [of.nameOf(row)]),
    () => rows.length,
  );
}

function keysOf<Key extends object, Row>(ids: Ids, args: Args, of: ByIds<Key, Row>): Key[] {
  const faults: Fault[] = [];
  const fault = (loc: (string | number)[], msg: string) =>
    faults.push({ loc: ['argument', ...loc], msg: `${loc.join('.')} ${msg}.`, type: 'value_error' });
  for (const name of ['first', 'last', 'after', 'before', 'orderBy', 'where', ...of.excluded])
    if ((args as Record<string, unknown>)[name] != null)
      fault([name], 'cannot be given together with ids, whose page is the whole list');
  if (ids.length < 1 || ids.length > of.maxSize)
    fault(['ids'], `has ${ids.length} entries; 1 to ${of.maxSize} are needed`);
  if (faults.length > 0) throw badInput(faults);
  const seen = new Set<string>();
  const keys = ids.map((given, index) => {
    const text = String(given);
    const read = readGlobalId(text);
    const key = read?.typename === of.type ? of.keyOf(read.id) : undefined;
    if (!key) fault(['ids', index], `is ${quoted(text)}; the id of a node of the type ${of.type} is needed`);
    else if (seen.has(JSON.stringify(key))) fault(['ids', index], 'repeats an earlier id');
    else seen.add(JSON.stringify(key));
    return key;
  });
  if (faults.length > 0) throw badInput(faults);
  return keys as Key[];
}
