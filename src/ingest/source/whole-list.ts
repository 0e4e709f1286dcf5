export type Envelope = Record<string, unknown>;

function linkOf(link: unknown): { position: number; list: string } | undefined {
  if (typeof link !== 'string' || !URL.canParse(link, 'http://localhost')) return undefined;
  const { pathname, searchParams } = new URL(link, 'http://localhost');
  const position = Number(searchParams.get('from') ?? searchParams.get('offset') ?? Number.NaN);
  if (!searchParams.has('revision')) return undefined;
  for (const name of ['from', 'size', 'offset', 'limit']) searchParams.delete(name);
  searchParams.sort();
  return { position, list: `${pathname}?${searchParams}` };
}

export type WholeList = ReturnType<typeof wholeList>;

/** Checks that bodies form a whole list of one revision. Bodies of different revisions may lack a row that moved. */
export function wholeList() {
  let rows = 0;
  let first: Envelope | undefined;
  let list: string | undefined;
  let state: 'begun' | 'ended' | 'unknown' = 'begun';

  const follows = (body: Envelope): boolean => {
    if ('results' in body) {
      const previous = body.previous ?? null;
      return rows === 0 ? previous === null : list !== undefined && linkOf(previous)?.list === list;
    }
    const from = (body.page as Envelope | undefined)?.from ?? 0;
    return (body.previous ?? null) === null && String(from) === String(rows);
  };
  const stateAfter = (body: Envelope, count: number): typeof state => {
    first ??= body;
    const alike = ['total', 'pages'].every((name) => String(body[name]) === String(first?.[name]));
    if (state !== 'begun' || !alike || !follows(body)) return 'unknown';
    rows += count;
    if ((body.next ?? null) === null) {
      return 'results' in body || String(body.total) === String(rows) ? 'ended' : 'unknown';
    }
    const next = linkOf(body.next);
    list ??= next?.list;
    return next?.position === rows && next.list === list ? 'begun' : 'unknown';
  };
  return {
    body(body: Envelope, count: number) {
      state = stateAfter(body, count);
    },
    stray() {
      state = 'unknown';
    },
    complete: () => state === 'ended',
  };
}
