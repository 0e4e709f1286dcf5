import type pg from 'pg';

const token = /'(?:[^']|'')*'|"[^"]*"|\$(?:[a-z_]\w*)?\$|--[^\n]*|\/\*|;/giy;

/** Does not know strings with escapes, `E'…'`. */
export function statementsOf(text: string): string[] {
  const statements: string[] = [];
  let start = 0;
  let at = 0;
  const end = (to: number) => {
    const statement = text.slice(start, to).trim();
    if (statement !== '') statements.push(statement);
    start = at;
  };
  while (at < text.length) {
    token.lastIndex = at;
    const found = token.exec(text)?.[0];
    at += found?.length ?? 1;
    if (found === ';') end(at - 1);
    else if (found === '/*') at = afterComment(text, at);
    else if (found?.startsWith('$')) {
      const close = text.indexOf(found, at);
      at = close < 0 ? text.length : close + found.length;
    }
  }
  end(text.length);
  return statements.filter((statement) => !/^(--[^\n]*\s*|\/\*[^*]*\*\/\s*)*$/.test(statement));
}

function afterComment(text: string, from: number): number {
  const bracket = /\/\*|\*\//g;
  bracket.lastIndex = from;
  for (let depth = 1; depth > 0; ) {
    const found = bracket.exec(text);
    if (!found) return text.length;
    depth += found[0] === '/*' ? 1 : -1;
  }
  return bracket.lastIndex;
}

/** Citus refuses several statements in one message if one of them is about a distributed table. */
export function oneByOne<Client extends pg.ClientBase>(client: Client): Client {
  const query = async (text: unknown, ...rest: unknown[]) => {
    const send = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
    if (typeof text !== 'string' || rest.some((value) => value !== undefined)) return send(text, ...rest);
    let result: unknown;
    for (const statement of statementsOf(text)) result = await send(statement);
    return result;
  };
  return Object.create(client, { query: { value: query } });
}
