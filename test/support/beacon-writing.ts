/** Writes the JSON of an answer of a path. */
export type Writing = (path: string, body: string) => string;

export const standard: Writing = (_, body) => body;

const isSafe = (text: string): boolean =>
  /^(?:0|[1-9]\d{0,15})$/.test(text) && Number.isSafeInteger(Number(text));

/** The same JSON with decimals below 2^53 as numbers, and null in place of empty lists, wherever `chosen` says so. */
export function rewritten(value: unknown, chosen: () => boolean = () => true): unknown {
  if (typeof value === 'string') return isSafe(value) && chosen() ? Number(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (!Array.isArray(value))
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, rewritten(item, chosen)]));
  return value.length === 0 && chosen() ? null : value.map((item) => rewritten(item, chosen));
}

/** Caplin, the beacon node of Erigon, writes the numbers of deposits and of execution requests so. */
export const caplin: Writing = (path, body) => {
  const value = JSON.parse(body);
  if (path.endsWith('/pending_deposits')) value.data = rewritten(value.data);
  const block = value.data?.message?.body;
  if (block) block.execution_requests = rewritten(block.execution_requests);
  return JSON.stringify(value);
};
