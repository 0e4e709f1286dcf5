import { badInput, type Fault, quoted } from '../../kernel/refusal.ts';
import { readGlobalId } from './builder.ts';

/** Reads `ids` of a list by global ids; throws BAD_INPUT naming each that is of another type, twice there, or too many. */
export function keysOfIds<Key extends object>(
  ids: readonly (string | number)[],
  of: { type: string; maxSize: number; keyOf: (id: string) => Key | undefined },
  args: Readonly<Record<string, unknown>>,
  others: readonly string[],
): Key[] {
  const faults: Fault[] = [];
  const fault = (loc: (string | number)[], msg: string) =>
    faults.push({ loc: ['argument', ...loc], msg: `${loc.join('.')} ${msg}.`, type: 'value_error' });
  for (const name of ['first', 'last', 'after', 'before', 'orderBy', 'where', ...others])
    if (args[name] != null) fault([name], 'cannot be given together with ids, whose page is the whole list');
  if (ids.length < 1 || ids.length > of.maxSize)
    fault(['ids'], `has ${ids.length} entries; 1 to ${of.maxSize} are needed`);
  const seen = new Set<string>();
  const keys = ids.map((given, index) => {
    const text = String(given);
    const read = readGlobalId(text);
    const key = read?.typename === of.type ? of.keyOf(read.id) : undefined;
    if (!key) fault(['ids', index], `is ${quoted(text)}; the id of ${of.type} is needed`);
    else if (seen.has(JSON.stringify(key))) fault(['ids', index], 'is there before');
    else seen.add(JSON.stringify(key));
    return key;
  });
  if (faults.length > 0) throw badInput(faults);
  return keys as Key[];
}
