/** The type of what `snake` gives. */
export type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : '';

const snakes = new Map<string, string>();

/** The name of a field as one of SQL: `validatorIndex` is `validator_index`. Fields are finitely many, so each is made once. */
export function snake(name: string): string {
  let known = snakes.get(name);
  if (known === undefined) snakes.set(name, (known = name.replace(/[A-Z]/g, '_$&').toLowerCase()));
  return known;
}
