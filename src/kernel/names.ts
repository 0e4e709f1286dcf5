export type Snake<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${Snake<Rest>}`
  : '';

const snakes = new Map<string, string>();

export function snake(name: string): string {
  let known = snakes.get(name);
  if (known === undefined) snakes.set(name, (known = name.replace(/[A-Z]/g, '_$&').toLowerCase()));
  return known;
}

export const camel = (name: string) => name.replace(/_[a-z]/g, (part) => part.charAt(1).toUpperCase());

export const capitalized = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
