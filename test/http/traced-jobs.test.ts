import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openNodes } from '../../src/indexer/node/index.ts';
import { slashing } from '../ingest/rows.ts';
import { load, refreshed, validator, validatorDay } from '../refresh/facts.ts';
import { hasRecordings, recordedChain, startBeaconNode } from '../support/beacon-node.ts';
import {
  attributesOf,
  type Collector,
  type Exported,
  startCollector,
  type Tree,
} from '../support/collector.ts';
import { eventually } from '../support/eventually.ts';
import { type Gateway, gatewayForTest, startGateway } from '../support/gateway.ts';
import { importText } from '../support/import.ts';
import { indexed } from '../support/indexed.ts';
import { mirrorFrom, serviceForTest } from '../support/mirror.ts';
import { syntheticChain } from '../support/synthetic-chain.ts';
import { slow } from '../support/thorough.ts';

let collector: Collector;
let gateway: Gateway;
let stop: () => Promise<void>;
beforeAll(async () => {
  collector = await startCollector();
  stop = await collector.trace();
  gateway = await startGateway({ template: 'empty' });
});
afterAll(async () => {
  await gateway.close();
  await stop();
  collector.close();
});

const rootOf = (name: string) =>
  eventually(() => {
    const [root] = collector.roots(name);
    expect(root).toBeDefined();
    return root as Exported;
  });
const namesIn = ([name, ...below]: Tree): string[] => [name, ...below.flatMap(namesIn)];

describe('the spans of a job', () => {
  it('of an import are its file, the transaction, and each statement and copy', async () => {
    const report = await importText(gateway, 'slashings', JSON.stringify([slashing(1), slashing(2)]));
    expect(report).toMatchObject({ loaded: true });
    const root = await rootOf('import slashings');
    expect(attributesOf(root)).toMatchObject({
      'stakegraph.dataset': 'slashings',
      'stakegraph.loaded': true,
    });
    expect(Number(attributesOf(root)['stakegraph.rows'])).toBe(2);
    const [, ...below] = collector.treeOf(root);
    const transaction = below.find(([name]) => name === 'transaction') as Tree;
    expect(namesIn(transaction)).toEqual(expect.arrayContaining(['begin', 'fillStaging', 'commit']));
    expect(JSON.stringify(collector.bodies)).not.toMatch(/insert into|0x0000/);
  });

  slow('of a refresh are its parts, one for all windows of a network, with their statements', async () => {
    await load(gateway, 'validators', [validator(1)]);
    await load(gateway, 'validator-days', [validatorDay(1, 1_500)]);
    await refreshed(gateway, { only: ['operators'], networks: ['mainnet'], windows: ['1d', '7d'] });
    const root = await rootOf('refresh');
    const parts = collector.spans.filter(({ parentSpanId }) => parentSpanId === root.spanId);
    expect(parts.map(({ name }) => name)).toEqual(['refresh operators']);
    expect(parts.map(attributesOf)).toEqual([{ 'stakegraph.network': 'mainnet' }]);
    expect(namesIn(collector.treeOf(root))).toEqual(
      expect.arrayContaining(['transaction', 'lockRefresh', 'refreshMemory', 'commit']),
    );
  });

  slow('of a mirror are its lists and requests, whose trace the other service continues', async () => {
    const original = await gatewayForTest();
    const report = await mirrorFrom(gateway.database.pool, original.url, {
      token: original.token,
      resources: ['consolidations'],
      pageSize: 3,
    });
    expect(report).toMatchObject({ complete: true });
    const root = await rootOf('mirror');
    expect(attributesOf(root)).toEqual({ 'stakegraph.complete': true });
    const list = collector.treeOf(root).find(([name]) => name === 'mirror consolidations') as Tree;
    expect(namesIn(list)).toEqual(expect.arrayContaining(['GET', 'transaction', 'fillStaging']));
    const [, answered] = list.find(([name]) => name === 'GET') as Tree;
    expect(answered?.[0]).toMatch(/^GET \/v[01]\/eth\//);
    const request = collector.spans.find(
      ({ name, traceId }) => name === 'GET' && traceId === root.traceId,
    ) as Exported;
    const { 'http.response.status_code': status, ...rest } = attributesOf(request);
    expect(Number(status)).toBe(200);
    expect(rest).toEqual({
      'http.request.method': 'GET',
      'server.address': new URL(original.url).host,
      'url.path': expect.stringMatching(/^\/v[01]\/eth\/[^?]*$/),
    });
    expect(collector.bodies.join('\n')).not.toContain(original.token);
  });

  it('of a failed request have its reason', async () => {
    const service = await serviceForTest((_asked, response) => void response.destroy());
    await mirrorFrom(gateway.database.pool, service.url, { resources: ['slashings'], attempts: 1 });
    const failed = await eventually(() => {
      const { host } = new URL(service.url);
      const found = collector.spans.find((span) => attributesOf(span)['server.address'] === host);
      expect(found).toBeDefined();
      return found as Exported;
    });
    expect(attributesOf(failed)).toMatchObject({ 'error.type': expect.stringMatching(/./) });
    expect(service.asked[0]?.headers.traceparent).toBe(`00-${failed.traceId}-${failed.spanId}-01`);
  });

  it('of reading an epoch are requests, each with its traceparent, without keys or queries', async () => {
    const node = await startBeaconNode(syntheticChain());
    onTestFinished(() => node.close());
    const end = new AbortController();
    const nodes = await openNodes({ urls: [`${node.url}/?apikey=abcdefgh1234`], signal: end.signal });
    await nodes.fetchEpoch(2_251, () => [3]);
    end.abort();
    expect(node.traceparents.filter((text) => !/^00-[\da-f]{32}-[\da-f]{16}-01$/.test(text))).toEqual([]);
    const sent = node.traceparents.map((text) => text.split('-')[2]);
    await eventually(() => {
      const requests = collector.spans.filter(({ spanId }) => sent.includes(spanId));
      expect(requests).toHaveLength(new Set(sent).size);
      const paths = requests.map((span) => attributesOf(span)['url.path']);
      expect(paths.filter((path) => !/^\/eth\/v\d\/[^?]+$/.test(String(path)))).toEqual([]);
    });
    expect(collector.bodies.join('\n')).not.toContain('abcdefgh');
  });

  it.skipIf(!hasRecordings)('of an index are epochs, their fetches, and publications', async () => {
    const node = await startBeaconNode(recordedChain('days'), { head: 2_347 * 32 });
    onTestFinished(() => node.close());
    await indexed(gateway.database, [node.url], { from: 2_340 });
    const root = await eventually(() => {
      const found = collector
        .roots('index epoch')
        .find((span) => Number(attributesOf(span)['stakegraph.epoch']) === 2_340);
      expect(found).toBeDefined();
      return found as Exported;
    });
    expect(attributesOf(root)).toMatchObject({ 'stakegraph.network': 'hoodi' });
    const names = namesIn(collector.treeOf(root));
    expect(names).toEqual(expect.arrayContaining(['transaction', 'setMarker', 'commit']));
    expect(names).not.toContain('GET');
    expect(namesIn(collector.treeOf(await rootOf('index fetch')))).toContain('GET');
    expect(namesIn(collector.treeOf(await rootOf('index start')))).toContain('GET');
    expect(namesIn(collector.treeOf(await rootOf('index publish')))).toContain('refresh operators');
  });
});

it('without a collector, requests have no traceparent', async () => {
  await stop();
  const service = await serviceForTest((_asked, response) => void response.end('{}'));
  await mirrorFrom(gateway.database.pool, service.url, { resources: ['slashings'], attempts: 1 });
  const node = await startBeaconNode(syntheticChain());
  onTestFinished(() => node.close());
  const end = new AbortController();
  await openNodes({ urls: [node.url], signal: end.signal });
  end.abort();
  expect(service.asked.map(({ headers }) => headers.traceparent)).toEqual(service.asked.map(() => undefined));
  expect(service.asked).not.toEqual([]);
  expect(new Set(node.traceparents)).toEqual(new Set(['']));
});
