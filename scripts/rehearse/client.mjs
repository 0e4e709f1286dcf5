// Clients that repeat what failed, as documented, and remember what was acknowledged.
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const RETRIED = [502, 503, 504];
const HEALS_WITHIN_MS = 90_000;
const REQUEST_MS = 20_000;

/** Counts of a phase, and what must not happen. */
export const newCounts = () => ({ requests: 0, writes: 0, walks: 0, failures: {}, slowestMs: 0 });

export function makeClient(url, token, state) {
  /** Repeats a request until it succeeds. */
  async function send(path, { method = 'GET', body, key } = {}) {
    const { counts } = state;
    counts.requests += 1;
    const headers = { authorization: `Bearer ${token}` };
    if (body) headers['content-type'] = 'application/json';
    if (key) headers['idempotency-key'] = key;
    const began = performance.now();
    for (;;) {
      const answer = await fetch(url + path, {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(REQUEST_MS),
      }).then(
        async (response) => ({
          status: response.status,
          headers: response.headers,
          text: await response.text(),
        }),
        (error) => ({
          status: error.name === 'TimeoutError' ? 'timeout' : 'connection',
          text: String(error.cause ?? error),
        }),
      );
      const passed = performance.now() - began;
      counts.slowestMs = Math.max(counts.slowestMs, passed);
      if (answer.status === 200 || answer.status === 201) return answer;
      counts.failures[answer.status] = (counts.failures[answer.status] ?? 0) + 1;
      // 409: the first request with this key is in progress.
      const heals =
        typeof answer.status === 'string' ||
        RETRIED.includes(answer.status) ||
        (key && answer.status === 409);
      if (!heals || passed > HEALS_WITHIN_MS) {
        state.faults.push(`${method} ${path}: ${answer.status} ${answer.text.slice(0, 200)}`);
        return answer;
      }
      await sleep(1_000 * Number(answer.headers?.get('retry-after') ?? 0.2));
    }
  }

  const graphql = (query, variables) =>
    send('/graphql', { method: 'POST', body: { query, variables } }).then(({ text }) => JSON.parse(text));

  /** A page of each list again and again, which must stay the same. */
  async function reader(paths) {
    const first = new Map();
    for (let turn = 0; !state.stopped; turn += 1) {
      const path = paths[turn % paths.length];
      const { status, text } = await send(path);
      if (status !== 200) continue;
      if (!first.has(path)) first.set(path, text);
      else if (first.get(path) !== text) state.faults.push(`${path} has another body than before`);
      await sleep(5);
    }
  }

  async function restWalk(path) {
    const ids = [];
    for (let next = path; next; ) {
      const { status, text } = await send(next);
      if (status !== 200) return undefined;
      const page = JSON.parse(text);
      ids.push(...page.data.map((row) => row.id));
      next = page.next?.replace(/^https?:\/\/[^/]+/, '');
      await sleep(20);
    }
    return ids;
  }

  async function graphqlWalk(query) {
    const ids = [];
    for (let after = null; ; ) {
      const { data, errors } = await graphql(query, { after });
      if (errors?.some(({ extensions }) => extensions?.code === 'UNAVAILABLE')) {
        state.counts.failures.UNAVAILABLE = (state.counts.failures.UNAVAILABLE ?? 0) + 1;
        await sleep(1_000);
        continue;
      }
      if (errors) return void state.faults.push(`GraphQL: ${JSON.stringify(errors).slice(0, 200)}`);
      ids.push(...data.operators.nodes.map(({ id }) => id));
      if (!data.operators.pageInfo.hasNextPage) return ids;
      after = data.operators.pageInfo.endCursor;
      await sleep(20);
    }
  }

  /** Walks a list from its first page to its last; each walk must have the same rows. */
  async function walker(walk) {
    let whole;
    while (!state.stopped) {
      const ids = await walk();
      if (!ids) continue;
      whole ??= ids;
      if (ids.length !== new Set(ids).size || ids.join() !== whole.join())
        state.faults.push(`a walk has ${ids.length} rows, and not the ${whole.length} of the first`);
      state.counts.walks += 1;
      state.rowsOfWalk = whole.length;
    }
  }

  /** Makes sets and adds validators to them, and remembers what was acknowledged. */
  async function writer(validators) {
    while (!state.stopped) {
      const name = randomUUID();
      const made = await send('/v1/eth/tags', { method: 'POST', key: randomUUID(), body: { name } });
      if (made.status !== 201) continue;
      const { id } = JSON.parse(made.text);
      const added = [];
      state.acknowledged.set(id, { name, added });
      state.counts.writes += 1;
      for (const validator of validators) {
        if (state.stopped) return;
        const path = `/v1/eth/tags/${id}/validators`;
        const { status } = await send(path, {
          method: 'POST',
          key: randomUUID(),
          body: { pubkeys: [validator] },
        });
        if (status >= 300 || typeof status === 'string') continue;
        added.push(validator);
        state.counts.writes += 1;
        await sleep(10);
      }
    }
  }
  return { send, reader, writer, walker, restWalk, graphqlWalk };
}
