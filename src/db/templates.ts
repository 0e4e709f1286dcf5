import type { Sql } from './rows.ts';

/** Stands in a statement for a value that each call has of its own. */
type ValueOf<Call> = (of: (call: Call) => unknown) => unknown;
type Template<Call> = { text: string; values: ((call: Call) => unknown)[] };

/**
 * Statements that are put together once and not at every call, which took 6 of the 130 µs of a page of operators with four
 * fields. `of` is what is kept for what is asked, and goes with it; `shape` tells apart what else changes the text, of which
 * there are few. `make` writes `value` where a statement has a value.
 */
export function templates<Call>() {
  const known = new WeakMap<object, Map<string, Template<Call>>>();
  return (of: object, shape: string, call: Call, make: (value: ValueOf<Call>) => Sql) => {
    let shapes = known.get(of);
    if (!shapes) known.set(of, (shapes = new Map()));
    let template = shapes.get(shape);
    if (!template) {
      const { text, values } = make((value) => value);
      shapes.set(shape, (template = { text, values: values as Template<Call>['values'] }));
    }
    return { text: template.text, values: template.values.map((value) => value(call)) };
  };
}
