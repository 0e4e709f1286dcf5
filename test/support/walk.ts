import type { Gateway } from './gateway.ts';

/** Every row of a REST list, by following `next` until it is null. */
export async function walkNext(
  gateway: Gateway,
  path: string,
  headers: Record<string, string> = {},
): Promise<any[]> {
  const rows: any[] = [];
  let next: string | null = path;
  while (next) {
    const { status, json, text } = await gateway.get(next.replace(gateway.url, ''), headers);
    if (status !== 200) throw new Error(`${next}: ${status} ${text}`);
    rows.push(...(json.data ?? json.results));
    next = json.next;
  }
  return rows;
}

/** Every node of the connection `field`, by cursor; `query` takes $cursor. Fails if a selected `totalCount` differs. */
export async function walkCursor(
  gateway: Gateway,
  field: string,
  query: string,
  direction: 'forward' | 'backward',
  variables: object,
): Promise<any[]> {
  const nodes: any[] = [];
  let cursor: string | null = null;
  for (;;) {
    const { data, errors } = await gateway.graphql(query, { ...variables, cursor });
    if (errors) throw new Error(JSON.stringify(errors));
    const page = data[field];
    const found = page.edges.map((edge: any) => edge.node);
    if (direction === 'forward') nodes.push(...found);
    else nodes.unshift(...found);
    const { hasNextPage, hasPreviousPage, startCursor, endCursor } = page.pageInfo;
    if (!(direction === 'forward' ? hasNextPage : hasPreviousPage)) {
      if ((page.totalCount ?? nodes.length) !== nodes.length)
        throw new Error(`totalCount ${page.totalCount}, ${nodes.length} rows`);
      return nodes;
    }
    cursor = direction === 'forward' ? endCursor : startCursor;
  }
}

/** The values of `key` in every row of the connection `field`, by cursor. */
export async function walkKeys(
  gateway: Gateway,
  [field, key]: readonly [field: string, key: string],
  args: string,
  size: number,
  direction: 'forward' | 'backward' = 'forward',
): Promise<any[]> {
  const page = direction === 'forward' ? `first: ${size}, after: $cursor` : `last: ${size}, before: $cursor`;
  const query = `query ($cursor: String) { ${field}(${args} ${page}) { edges { node { ${key} } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;
  return (await walkCursor(gateway, field, query, direction, {})).map((node) => node[key]);
}
