/** Rules of Citus 13.0.3 about statements, found in trials. */
type Rules = readonly (readonly [rule: string, broken: boolean])[];

const namesOf = (rules: Rules) => rules.filter(([, broken]) => broken).map(([rule]) => rule);

const bare = (text: string) => text.replace(/\/\*.*?\*\//g, '').replace(/'[^']*'/g, "''");
const changesRows = /^\s*(update|delete)\b/i;

/** Tables that a statement joins; `unnest` is a function. */
const joined = (code: string): string[] =>
  [...code.matchAll(/\b(?:(?<!distinct )from|using|join)\s+(?:only\s+)?([a-z_]\w*)(?!\w*\s*\()/gi)].map(
    ([, name]) => name as string,
  );

/** What Citus answers wrongly or refuses of statements on distributed days. */
export function brokenOnDays(text: string): string[] {
  const code = bare(text);
  return namesOf([
    ['a lateral subquery with a limit or count', /lateral\s*\((?=[\s\S]*\b(limit|count\s*\())/i.test(code)],
    ['a WITH query', /^\s*with\b|\bwith\s+\w+\s+as\b/i.test(code)],
    ['a cast to text in an update', /^\s*update\b[\s\S]*::text/i.test(code)],
    ['a function in RETURNING that may change', /\breturning\b[\s\S]*(::|\()/i.test(code)],
    [
      'an update or deletion by a join with a local table',
      changesRows.test(code) && joined(code).some((name) => !/^(staged_)?validator_days(_\d+)*$/.test(name)),
    ],
  ]);
}

const tables = 'validators|validator_clients|operator_validators|validator_entities';
export const namesReference = new RegExp(`\\b(from|join|into|update|only|using)\\s+(${tables})\\b`, 'i');
const writes = /^\s*(insert into|update|delete from|copy)\s+(only\s+)?(validators|validator_clients)\b/i;
export const writesReference = (text: string): boolean => writes.test(text.replace(/\/\*.*?\*\//g, ''));

/** What Citus refuses of statements on reference tables, or counts wrongly. */
export function brokenOnReference(text: string): string[] {
  const code = text.replace(/\/\*.*?\*\//g, '');
  const changes = /^\s*(insert into|update|delete from|with)\b/i.test(code);
  const isArrays = /\bunnest\(/i.test(code);
  return namesOf([
    [
      'an update or deletion by a join',
      changesRows.test(code) && (!writes.test(code) || /\b(staged|using|select)\b/i.test(code)),
    ],
    [
      'a WITH query that changes rows',
      /\bwith\b[\s\S]*\bas (materialized )?\(\s*(insert|update|delete)\b/i.test(code) ||
        (changes && /^\s*with\b[\s\S]*\)\s*(insert into|update|delete from)\b/i.test(code)),
    ],
    ['rows that are not counted', writes.test(code) && /do nothing|not exists/i.test(code)],
    ['a row in memory for each validator', writes.test(code) && /\breturning\b/i.test(code) && !isArrays],
    ['a lock of rows', /\bfor (no key update|update|share|key share)\b/i.test(code)],
    ['a cast to text in an upsert', writes.test(code) && /::text\b(?!\[)/i.test(code)],
  ]);
}
