import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { SpecError } from '../../../src/indexer/chain/spec.ts';
import { NodeError, type Nodes, type NodesOptions, openNodes } from '../../../src/indexer/node/index.ts';
import { type BeaconNode, type Misbehaviour, startBeaconNode } from '../../support/beacon-node.ts';
import { eventually } from '../../support/eventually.ts';
import { syntheticChain } from '../../support/synthetic-chain.ts';

const none = () => [];
const nameOf = ({ url }: { url: string }) => new URL(url).host;
const reasons: string[] = [];
const said: string[] = [];
afterEach(() => {
  reasons.length = said.length = 0;
});

async function aNode(options: Parameters<typeof startBeaconNode>[1] = {}): Promise<BeaconNode> {
  const node = await startBeaconNode(syntheticChain(), options);
  onTestFinished(() => node.close());
  return node;
}

async function open(all: readonly BeaconNode[], options: Partial<NodesOptions> = {}): Promise<Nodes> {
  const nodes = await openNodes({
    urls: all.map(({ url }) => url),
    ...{ firstBackoffMs: 2, timeoutMs: 20_000, signal: new AbortController().signal },
    onError({ reason, message }) {
      reasons.push(reason);
      said.push(message);
    },
    ...options,
  });
  return nodes;
}

const balances = /\/72096\/validator_balances/;
const block = /\/blocks\/72070$/;

describe('a node that fails once', () => {
  const kinds: [Misbehaviour, string][] = [
    [500, 'status'],
    [503, 'status'],
    [429, 'status'],
    ['destroyed', 'unreachable'],
    ['cut', 'cut'],
    ['shortened', 'cut'],
    ['html', 'nonsense'],
    ['nonsense', 'nonsense'],
    ['wrong types', 'nonsense'],
    ['trickling', 'slow'],
    ['silent', 'slow'],
    [{ lateMs: 600 }, 'slow'],
  ];
  for (const path of [balances, block, /finality_checkpoints/, /committees\?epoch/])
    it.each(kinds)(`is asked again, and the answer is the same (${path.source}: %j)`, async (how, reason) => {
      const [node, other] = [await aNode(), await aNode()];
      const expected = await (await open([other])).fetchEpoch(2252, none);
      const slow = reason === 'slow';
      const nodes = await open([node], slow ? { timeoutMs: 300, attempts: 10 } : {});
      await nodes.finality();
      reasons.length = 0;
      node.break(path, how, 1);
      expect((await nodes.fetchEpoch(2252, none)).input).toEqual(expected.input);
      // A busy machine may be slow more often.
      expect(slow ? [...new Set(reasons)] : reasons).toEqual([reason]);
    });
});

describe('a node whose first answers about its chain are malformed', () => {
  it.each<[string, RegExp, Misbehaviour]>([
    ['{} as genesis', /beacon\/genesis/, () => '{}'],
    ['a genesis of other types', /beacon\/genesis/, 'wrong types'],
    ['{} as constants', /config\/spec/, () => '{"data":{}}'],
    ['constants of other types', /config\/spec/, 'wrong types'],
  ])('is asked again, and not taken for one of another network (%s)', async (_what, path, how) => {
    const node = await aNode();
    node.break(path, how, 1);
    const nodes = await open([node]);
    expect(nodes.network).toBe('hoodi');
    expect(reasons).toEqual(['nonsense']);
    node.break(path, how);
    await expect(open([node])).rejects.toMatchObject({ name: 'NodeError', reason: 'nonsense' });
  });
});

describe('a node that fails for good', () => {
  it('is replaced by the next one, which answers the whole epoch', async () => {
    const [first, second] = [await aNode(), await aNode()];
    const nodes = await open([first, second]);
    first.break(balances, 500);
    second.asked.length = 0;
    expect((await nodes.fetchEpoch(2252, none)).node).toBe(nameOf(second));
    expect(second.asked.filter((path) => path.includes('/blocks/')).length).toBeGreaterThanOrEqual(33);
    expect(said[0]).toMatch(/validator_balances: answers 500/);
    expect(reasons).toEqual(['status', 'status', 'status', 'status']);
  });

  it('by sending byte after byte is given up after seconds, and the next one is asked', async () => {
    const [first, second] = [await aNode(), await aNode()];
    first.break(/./, 'trickling');
    const nodes = await open([first, second], { timeoutMs: 600_000 });
    expect((await nodes.fetchEpoch(2252, none)).node).toBe(nameOf(second));
    expect(new Set(reasons)).toEqual(new Set(['slow']));
    expect(said[0]).toMatch(/(config\/spec|beacon\/genesis): only \d+ bytes came in \d+ s/);
  }, 60_000);

  it.each<[string, number, Record<string, string>, RegExp]>([
    [
      'a redirect',
      301,
      { location: 'https://other.test/eth' },
      /answers 301, a redirect to "https:\/\/other.test\/eth", which is not followed\. Give the address/,
    ],
    [
      'compression that was not asked for',
      200,
      { 'content-encoding': 'gzip' },
      /the answer is compressed \(content-encoding: gzip\), which was not asked for; turn compression off/,
    ],
  ])('with %s says so', async (_what, status, headers, message) => {
    const body = status === 200 ? gzipSync('{"data":{}}') : '';
    const server = createServer((_request, response) => response.writeHead(status, headers).end(body));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await expect(open([], { urls: [url] })).rejects.toThrow(message);
  });

  it('is asked first again once it answers', async () => {
    const [first, second] = [await aNode(), await aNode()];
    const nodes = await open([first, second]);
    first.break(/./, 'destroyed');
    expect((await nodes.fetchEpoch(2252, none)).node).toBe(nameOf(second));
    first.mend();
    expect((await nodes.fetchEpoch(2252, none)).node).toBe(nameOf(second));
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect((await nodes.fetchEpoch(2252, none)).node).toBe(nameOf(first));
  });

  it('gives an error that names all nodes where no other answers', async () => {
    const [first, second] = [await aNode(), await aNode()];
    const nodes = await open([first, second]);
    first.break(balances, 500);
    second.break(balances, 'html');
    const failed = nodes.fetchEpoch(2252, none);
    await expect(failed).rejects.toThrow(NodeError);
    await expect(failed).rejects.toThrow(
      new RegExp(`${nameOf(first)}.*answers 500.*${nameOf(second)}.*<html>`),
    );
  });

  it('that is not there at the start is an error that says what to look at', async () => {
    const node = await aNode();
    await node.close();
    node.close = async () => {};
    await expect(open([node])).rejects.toThrow(/refuses the connection; is it running/);
  });

  it('that wants a password gets the one of its URL, and no message has it', async () => {
    const node = await aNode();
    const url = node.url.replace('//', '//user:se%20cret@');
    const nodes = await open([], { urls: [url] });
    expect((await nodes.fetchEpoch(2251, none)).node).toBe(nameOf(node));
    node.break(/balances/, 401);
    const failed = await nodes.fetchEpoch(2252, none).catch((error) => error);
    expect(failed.message).toMatch(/Give the node's user and password in its URL/);
    expect(JSON.stringify([said, failed, failed.message])).not.toMatch(/cret/);
  });

  it.each(['/v2/s3cr3t-0123', '/node/?apikey=s3cr3t-0123&v=2', '/s3cr3t-0123/?v=2'])(
    'that is hosted may have a key in its URL, which no message has (%s)',
    async (key) => {
      const node = await aNode();
      let refusal: ((asked: string) => [status: number, body: string]) | undefined;
      const gateway = createServer(async ({ url = '' }, response) => {
        const own = new URL(url.slice(url.indexOf('/eth/')), node.url);
        const [status, body] = url.includes('s3cr3t-0123') ? (refusal?.(url) ?? [200]) : [401, ''];
        for (const name of ['apikey', 'v']) own.searchParams.delete(name);
        response.writeHead(status).end(body ?? (await (await fetch(own)).text()));
      });
      await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve));
      onTestFinished(() => void gateway.close());
      const url = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}${key}`;
      const messages: string[] = [];
      const onError = (error: NodeError) => messages.push(JSON.stringify([error, error.message]));
      const nodes = await open([], { urls: [url, url], onError });
      expect((await nodes.fetchEpoch(2252, () => [4])).node).toBe(new URL(url).host);
      for (const how of [
        (asked: string) => [500, `Cannot GET ${asked}`],
        () => [403, '{"message":"The key \\"s3cr3t-0123\\" is used up"}'],
        () => [200, `<html><title>${'Sorry '.repeat(10)} s3cr3t-0123</title></html>`],
      ] as const) {
        refusal = how as typeof refusal;
        messages.length = 0;
        await expect(nodes.head()).rejects.toThrow(`${new URL(url).host} #2: /eth/v1/`);
        expect(messages.length).toBeGreaterThan(1);
        expect(messages.join()).not.toMatch(/s3cr3t|http:/);
      }
    },
  );
});

describe('404', () => {
  it('for a block that exists is asked again, and is never a missed slot', async () => {
    const node = await aNode();
    const nodes = await open([node]);
    node.break(block, 404, 1);
    const { input } = await nodes.fetchEpoch(2252, none);
    expect(input.blocks[6]?.slot).toBe(72_070);
    expect(reasons).toEqual(['missing-block']);
    node.break(/\/blocks\/7210[01]$/, 404);
    await expect(nodes.fetchEpoch(2253, none)).rejects.toMatchObject({ reason: 'missing-block' });
  });

  it.each([72_096, 72_095, 72_064])('for a block at the edge of an epoch, too (%i)', async (slot) => {
    const node = await aNode();
    const nodes = await open([node]);
    node.break(new RegExp(`/blocks/${slot}$`), 404);
    await expect(nodes.fetchEpoch(2252, none)).rejects.toThrow(`answers 404 for slot ${slot}`);
  });

  it('for a state says that an archive node or a later start is needed', async () => {
    const node = await aNode({ prune: 2 });
    const nodes = await open([node]);
    const failed = nodes.fetchEpoch(2251, none);
    await expect(failed).rejects.toMatchObject({ reason: 'pruned' });
    await expect(failed).rejects.toThrow(/archive node, or begin later with --from/);
    expect((await nodes.fetchEpoch(2253, none)).node).toBe(nameOf(node));
  });

  it('for a state of one node is answered by the next', async () => {
    const [pruned, archive] = [await aNode({ prune: 2 }), await aNode()];
    const nodes = await open([pruned, archive]);
    expect((await nodes.fetchEpoch(2251, none)).node).toBe(nameOf(archive));
    pruned.asked.length = 0;
    expect((await nodes.fetchEpoch(2250, none)).node).toBe(nameOf(archive));
    expect(pruned.asked.filter((path) => path.includes('/states/7'))).toEqual([]);
    expect((await nodes.fetchEpoch(2253, none)).node).toBe(nameOf(pruned));
    expect(reasons).toEqual(['pruned']);
  });
});

describe('proposers of an old epoch', () => {
  it("come from the state's lookahead where duties are refused", async () => {
    const node = await aNode({ recentDuties: true });
    const nodes = await open([node]);
    const { input } = await nodes.fetchEpoch(2251, none);
    expect([...input.proposers]).toEqual(node.chain.epoch(2251)?.proposers);
  });

  it('are refused where nobody tells them and a slot was missed, never guessed', async () => {
    const node = await aNode({ recentDuties: true, lookahead: false });
    const nodes = await open([node]);
    await expect(nodes.fetchEpoch(2251, none)).rejects.toMatchObject({ reason: 'unknown-proposer' });
    const { input } = await nodes.fetchEpoch(2252, none);
    expect([...input.proposers]).toEqual(node.chain.epoch(2252)?.proposers);
  });

  it('must be those of the blocks', async () => {
    const node = await aNode();
    const nodes = await open([node]);
    node.break(/duties/, (body) =>
      body.replace(/"validator_index":"\d+"(?=,"slot":"72040")/, '"validator_index":"1"'),
    );
    await expect(nodes.fetchEpoch(2251, none)).rejects.toThrow(
      /slot 72040 has a block of validator 88, but the duty is that of 1/,
    );
  });
});

describe('a node that is not usable', () => {
  it('because it is syncing is left until it is in sync', async () => {
    const [syncing, other] = [await aNode(), await aNode()];
    syncing.syncing = true;
    const nodes = await open([syncing, other]);
    expect((await nodes.fetchEpoch(2252, none)).node).toBe(nameOf(other));
    expect(reasons).toContain('syncing');
    expect(said[0]).toMatch(/is syncing, 1000 slots behind. The index continues when it is in sync/);
  });

  it('because it is optimistic is refused, also by what a single answer says', async () => {
    const node = await aNode();
    const nodes = await open([node]);
    node.break(balances, (body) =>
      body.replace('"execution_optimistic":false', '"execution_optimistic":true'),
    );
    await expect(nodes.fetchEpoch(2252, none)).rejects.toMatchObject({ reason: 'optimistic' });
    node.mend();
    node.optimistic = true;
    await expect(nodes.finality()).rejects.toMatchObject({ reason: 'optimistic' });
  });

  it('because it is of another network than asked for is an error with both', async () => {
    const node = await aNode();
    const failed = open([node], { network: 'mainnet' });
    await expect(failed).rejects.toThrow(SpecError);
    await expect(failed).rejects.toThrow(/node is of hoodi .*--network is mainnet/);
  });

  it('because it is of another chain than the first is never asked', async () => {
    const [first, second] = [await aNode(), await aNode()];
    second.genesis = { genesis_validators_root: `0x${'77'.repeat(32)}` };
    const nodes = await open([first, second]);
    first.break(/./, 500);
    await expect(nodes.fetchEpoch(2252, none)).rejects.toThrow(/of another chain than the other nodes/);
    expect(second.asked.some((path) => path.includes('balances'))).toBe(false);
    expect(reasons).toContain('other-network');
  });

  it('because its config/spec differs is told with the constant', async () => {
    const [first, second] = [await aNode(), await aNode()];
    second.spec = { BASE_REWARD_FACTOR: '65' };
    const nodes = await open([first, second]);
    first.break(/./, 500);
    await expect(nodes.finality()).rejects.toThrow(/differs .* in baseRewardFactor: 65 in place of 64/);
  });

  it('because it has gone back in time is left until it is there again', async () => {
    const [first, second] = [await aNode(), await aNode()];
    const nodes = await open([first, second]);
    expect((await nodes.finality()).epoch).toBe(2254);
    first.setHead(first.head - 96);
    expect((await nodes.finality()).epoch).toBe(2254);
    expect(reasons).toEqual(['back-in-time']);
  });

  it('because it is behind the others is left for epochs that it has not finalized', async () => {
    const [behind, ahead] = [await aNode({ head: 72_000 + 4 * 32 }), await aNode()];
    const nodes = await open([behind, ahead]);
    expect((await nodes.fetchEpoch(2253, none)).node).toBe(nameOf(ahead));
    expect(reasons).toEqual(['behind']);
  });

  it('because its finalized root is another one is told with both roots', async () => {
    const [first, second] = [await aNode(), await aNode()];
    const nodes = await open([first, second]);
    const { root } = await nodes.finality();
    second.break(/head\/finality/, (body) => body.replace(root, `0x${'99'.repeat(32)}`));
    first.break(/./, 500);
    await expect(nodes.finality()).rejects.toThrow(
      new RegExp(`0x${'99'.repeat(32)}, but ${nameOf(first)} with ${root}`),
    );
  });

  it('because it disagrees with the preferred one about what is final stops all, until they agree', async () => {
    const [first, second] = [await aNode(), await aNode()];
    const nodes = await open([first, second]);
    second.break(/head\/finality/, (body) => body.replaceAll(/"root":"0x\w{4}/g, '"root":"0xffff'));
    for (let i = 0; i < 2; i += 1) {
      const failed = nodes.finality();
      await expect(failed).rejects.toMatchObject({ reason: 'disagree', node: nameOf(second) });
      await expect(failed).rejects.toThrow(/find out which, and remove it from --beacon/);
    }
    second.mend();
    expect((await nodes.finality()).epoch).toBe(2254);
  });

  it('because it has a block of an unknown fork is told with the name', async () => {
    const node = await aNode();
    const nodes = await open([node]);
    node.break(block, (body) => body.replace('"version":"fulu"', '"version":"heze"'));
    await expect(nodes.fetchEpoch(2252, none)).rejects.toThrow(
      /fork "heze", which this version does not know/,
    );
  });

  it('because a fork that is not known has begun is told with its epoch', async () => {
    const node = await aNode();
    node.spec = { HEZE_FORK_EPOCH: '2253' };
    const nodes = await open([node]);
    await expect(nodes.fetchEpoch(2252, none)).rejects.toThrow(/fork heze \(from epoch 2253\)/);
  });
});

describe('a node that is to be avoided', () => {
  it('is asked only if there is no other, and then anew', async () => {
    const [first, second] = [await aNode(), await aNode()];
    const nodes = await open([first, second]);
    const { signal } = new AbortController();
    expect((await nodes.fetchEpoch(2252, none, { signal, avoid: nameOf(first) })).node).toBe(nameOf(second));
    const alone = await open([first]);
    await alone.fetchEpoch(2252, none);
    first.asked.length = 0;
    await alone.fetchEpoch(2252, none, { signal, avoid: nameOf(first) });
    expect(first.asked.filter((path) => path.includes('/v2/beacon/blocks/')).length).toBe(33);
  });
});

describe('what is asked', () => {
  it('is no more than --rate requests per second', async () => {
    const node = await aNode();
    const nodes = await open([node], { rate: 100 });
    const start = performance.now();
    await nodes.fetchEpoch(2252, none);
    expect(performance.now() - start).toBeGreaterThan(370);
  });

  it('about the head does not wait for epochs, however long they take', async () => {
    const node = await aNode();
    const stop = new AbortController();
    const nodes = await open([node], { timeoutMs: 60_000, signal: stop.signal });
    node.asked.length = 0;
    const long = /balances|committees|\/blocks\/\d+$/;
    node.break(long, 'silent');
    const epochs = [2250, 2251, 2252, 2253].map((epoch) =>
      nodes.fetchEpoch(epoch, none, { signal: stop.signal }).catch((error) => error),
    );
    await eventually(() => expect(node.asked.filter((path) => long.test(path)).length).toBeGreaterThan(6));
    const { root, slot } = await nodes.head();
    expect((await nodes.blockAt(root))?.slot).toBe(slot);
    expect((await nodes.finality()).epoch).toBe(2254);
    expect(await nodes.validatorsAt('head', [1, 2])).toHaveLength(2);
    expect(await nodes.proposers(2254)).toHaveLength(32);
    stop.abort(new Error('stopped'));
    await Promise.all(epochs);
  }, 20_000);

  it('ends when it is stopped', async () => {
    const node = await aNode();
    const nodes = await open([node], { timeoutMs: 60_000 });
    node.break(balances, 'silent');
    const stop = new AbortController();
    const asked = nodes.fetchEpoch(2252, none, { signal: stop.signal });
    setTimeout(() => stop.abort(new Error('stopped')), 50);
    await expect(asked).rejects.toThrow('stopped');
  });

  it('is answered in spite of 20 % faults', async () => {
    const node = await aNode({ faults: 0.2, lateMs: 30 });
    const nodes = await open([node], { attempts: 8 });
    for (const epoch of [2251, 2252, 2253]) {
      const { input } = await nodes.fetchEpoch(epoch, none);
      expect([...input.next.balances]).toEqual(node.chain.state((epoch + 1) * 32)?.balances);
    }
    expect(reasons.length).toBeGreaterThan(5);
  });
});
