import type { Order } from '../../kernel/page.ts';
import { badArgument } from '../../kernel/refusal.ts';

export function checkReplaced(args: object, name: string, deprecated: readonly string[]): void {
  const given = args as Record<string, unknown>;
  const old = deprecated.filter((one) => given[one] != null);
  if (given[name] == null || old.length === 0) return;
  throw badArgument(name, `${name} cannot be given together with the deprecated ${old.join(' and ')}.`);
}

type Asked<Field> = {
  orderBy?: { field: Field; direction?: 'asc' | 'desc' | null | undefined } | null | undefined;
  sortBy?: Field | null | undefined;
  sortOrder?: 'asc' | 'desc' | null | undefined;
};

export function orderOf<Field extends string>(
  args: Asked<Field>,
  fallback: Order<Field>,
  direction: 'asc' | 'desc' = 'desc',
): Order<Field> {
  checkReplaced(args, 'orderBy', ['sortBy', 'sortOrder']);
  const { orderBy } = args;
  if (orderBy) return { field: orderBy.field, direction: orderBy.direction ?? direction };
  return { field: args.sortBy ?? fallback.field, direction: args.sortOrder ?? fallback.direction };
}
