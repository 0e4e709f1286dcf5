import { isObject } from '../../kernel/json.ts';
import { poolTypeByTags } from '../importers/operator-tags.ts';
import { UpstreamError } from './failure.ts';
import { idOf } from './pool-shares.ts';

const REFUSED = [400, 404, 422];

const isExchange = (row: unknown): boolean => {
  const tags = isObject(row) && Array.isArray(row.operatorTags) ? row.operatorTags : [];
  return poolTypeByTags(tags.filter((tag) => isObject(tag) && typeof tag.name === 'string')) === 'cex';
};

/**
 * `liquid` contains the rows for `poolType=lst`. Adds no types if `liquid` is empty or contains exchanges, because the
 * service may have ignored the parameter.
 */
export async function poolTypesOf(liquid: AsyncIterable<unknown>): Promise<(row: unknown) => unknown> {
  const ids = new Set<string>();
  try {
    for await (const row of liquid) {
      if (isExchange(row)) return (row) => row;
      ids.add(idOf(row));
    }
  } catch (error) {
    if (error instanceof UpstreamError && REFUSED.includes(error.status ?? 0)) return (row) => row;
    throw error;
  }
  return (row) => {
    if (ids.size === 0 || !isObject(row) || isExchange(row)) return row;
    return { ...row, poolType: ids.has(idOf(row)) ? 'lst' : 'none' };
  };
}
