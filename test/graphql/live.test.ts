import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { gatewayForTest, useGateway } from '../support/gateway.ts';
import { BLOCKS, importBlocks, importSlashings, slotsOf } from '../support/live-rows.ts';
import { subscribe } from '../support/subscribe.ts';
import { slow } from '../support/thorough.ts';

const gateway = useGateway({ template: 'empty' });
const revisionOf = (name: string) => gateway.revisions.current.get(name)?.revision ?? 0;

describe('blockAdded', () => {
  it('begins with the present revision and no block, and sends what an import adds', async () => {
    await importBlocks(gateway, [100]);
    await eventually(() => expect(revisionOf('blocks')).toBe(1));
    const stream = await subscribe(gateway, BLOCKS);
    expect(stream.status).toBe(200);
    expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect((await stream.next()).data.blockAdded).toEqual({ revision: 1, omitted: 0, blocks: [] });
    await importBlocks(gateway, [103, 101, 102]);
    const { data, extensions } = await stream.next();
    expect(data.blockAdded).toEqual({
      revision: 2,
      omitted: 0,
      blocks: [101, 102, 103].map((consensusSlot) => ({ consensusSlot })),
    });
    expect(extensions).toEqual({ cost: { charged: 3, remaining: null } });
  });

  it('sends older slots too, and those of another network to others alone', async () => {
    const query = `subscription ($network: Network) { blockAdded(network: $network) { blocks { network consensusSlot } } }`;
    const mainnet = await subscribe(gateway, query);
    const hoodi = await subscribe(gateway, query, { network: 'HOODI' });
    const byHeader = await subscribe(gateway, query, {}, { headers: { 'x-service-network': 'hoodi' } });
    for (const stream of [mainnet, hoodi, byHeader]) await stream.next();
    await importBlocks(gateway, [5_000], { network: 'hoodi' });
    await importBlocks(gateway, [7]);
    const of = (result: any) => result.data.blockAdded.blocks;
    expect(of(await mainnet.next())).toEqual([{ network: 'MAINNET', consensusSlot: 7 }]);
    for (const stream of [hoodi, byHeader])
      expect(of(await stream.next())).toEqual([{ network: 'HOODI', consensusSlot: 5_000 }]);
  });

  it('sends a slot again whose block was replaced, and nothing for a row that only changed', async () => {
    await importBlocks(gateway, [300, 301]);
    const stream = await subscribe(gateway, BLOCKS, { after: 0 });
    await eventually(() => expect(stream.results.flatMap(slotsOf)).toContain(301));
    stream.results.length = 0;
    const other = await subscribe(gateway, BLOCKS);
    await other.next();
    await importBlocks(gateway, [300], { digit: 'b' });
    expect(slotsOf(await other.next())).toEqual([300]);
    await gateway.database.pool.query({
      text: `with u as (update blocks set total_gas_used = 1 where slot = 301) select raise_revision('blocks')`,
      values: [],
    });
    await importBlocks(gateway, [302]);
    expect(slotsOf(await other.next())).toEqual([302]);
  });

  it('reads nothing again for further streams of a change', async () => {
    const streams = await Promise.all(Array.from({ length: 15 }, () => subscribe(gateway, BLOCKS)));
    const others = await Promise.all(
      Array.from({ length: 4 }, () =>
        subscribe(gateway, 'subscription { blockAdded { blocks { id proposer { validatorIndex } } } }'),
      ),
    );
    for (const stream of [...streams, ...others]) await stream.next();
    gateway.statements.length = 0;
    await importBlocks(gateway, [400, 401]);
    for (const stream of streams) expect(slotsOf(await stream.next())).toEqual([400, 401]);
    for (const stream of others) expect((await stream.next()).data.blockAdded.blocks).toHaveLength(2);
    const reads = gateway.statements.filter((name) => !/readDatasets|oken|sage/i.test(name));
    expect(reads.toSorted()).toEqual(['addedRows', 'blocksBySlot', 'validatorsByIndex']);
  });
});

describe('after', () => {
  slow('continues after a revision: what was added since comes first, in events of at most 50', async () => {
    const own = await gatewayForTest({ template: 'empty' });
    await importBlocks(own, [1]);
    await importBlocks(own, [2]);
    await importBlocks(
      own,
      Array.from({ length: 120 }, (_, index) => 10 + index),
    );
    const stream = await subscribe(own, BLOCKS, { after: 1 });
    const events = [await stream.next(), await stream.next(), await stream.next()];
    expect(events.map((event) => [event.data.blockAdded.revision, slotsOf(event).length])).toEqual([
      [2, 50],
      [2, 50],
      [3, 21],
    ]);
    expect(events.flatMap(slotsOf)).toEqual([2, ...Array.from({ length: 120 }, (_, index) => 10 + index)]);
  });

  slow('takes the revision of a query: nothing falls between the query and the stream', async () => {
    const own = await gatewayForTest({ template: 'empty' });
    await importBlocks(own, [1]);
    await eventually(() => expect(own.revisions.current.get('blocks')?.revision).toBe(1));
    const { json } = await own.graphql('{ blocks { nodes { consensusSlot } } }');
    await importBlocks(own, [2]);
    const stream = await subscribe(own, BLOCKS, { after: json.extensions.revision.blocks });
    expect(slotsOf(await stream.next())).toEqual([2]);
  });

  slow('counts rows of a statement with more than 10,000, and sends the others', async () => {
    const own = await gatewayForTest({ template: 'empty' });
    await importBlocks(own, [1]);
    await importBlocks(
      own,
      Array.from({ length: 10_001 }, (_, index) => 100 + index),
    );
    await importBlocks(own, [2]);
    const stream = await subscribe(own, BLOCKS, { after: 0 });
    expect((await stream.next()).data.blockAdded).toEqual({
      revision: 3,
      omitted: 10_001,
      blocks: [{ consensusSlot: 1 }, { consensusSlot: 2 }],
    });
  });

  it('is refused below 0, beyond the present revision, and where it is no longer known', async () => {
    const own = await gatewayForTest({ template: 'empty' });
    await importBlocks(own, [1]);
    await own.database.pool.query({ text: 'update datasets set added_from = 1', values: [] });
    const cases: [after: number, message: RegExp][] = [
      [-1, /after is -1; an integer >= 0/],
      [2, /after is 2; the present revision is 1/],
      [0, /after is 0; .* known since revision 1\. Read the list again/],
    ];
    for (const [after, message] of cases) {
      const stream = await subscribe(own, BLOCKS, { after });
      await stream.ended;
      const [error] = stream.results[0].errors;
      expect([error.extensions.code, stream.completed()]).toEqual(['BAD_INPUT', true]);
      expect(error.message).toMatch(message);
    }
  });
});

describe('slashingAdded', () => {
  it('sends slashings as they are added, and continues after a revision', async () => {
    const query = `subscription ($network: Network, $after: Int) {
      slashingAdded(network: $network, after: $after) { revision omitted slashings { validatorIndex slashingPenalties } }
    }`;
    await importSlashings(gateway, [1]);
    const stream = await subscribe(gateway, query, { network: 'MAINNET', after: 0 });
    const first = (await stream.next()).data.slashingAdded;
    expect(first).toEqual({
      revision: 1,
      omitted: 0,
      slashings: [{ validatorIndex: 1, slashingPenalties: '1000000000' }],
    });
    await importSlashings(gateway, [3, 2]);
    const { revision, slashings } = (await stream.next()).data.slashingAdded;
    expect([revision, slashings.map((row: any) => row.validatorIndex)]).toEqual([2, [2, 3]]);
  });
});

describe('datasetChanged', () => {
  const query = `subscription ($names: [String!]) { datasetChanged(names: $names) { datasets { name revision } } }`;
  const namesOf = (result: any) => result.data.datasetChanged.datasets.map(({ name }: any) => name);

  slow('begins with every dataset asked for, and sends those that change', async () => {
    const own = await gatewayForTest();
    const all = await subscribe(own, query);
    const some = await subscribe(own, query, { names: ['slashings', 'blocks'] });
    const { data } = await own.graphql('{ datasets { name revision } }');
    expect((await all.next()).data.datasetChanged.datasets).toEqual(data.datasets);
    expect(namesOf(await some.next())).toEqual(['blocks', 'slashings']);
    await importSlashings(own, [400_001]);
    const [before] = data.datasets.filter(({ name }: any) => name === 'slashings');
    const changed = { datasets: [{ name: 'slashings', revision: before.revision + 1 }] };
    for (const stream of [all, some]) expect((await stream.next()).data.datasetChanged).toEqual(changed);
  });

  it('refuses names that no dataset has, and none', async () => {
    const stream = await subscribe(gateway, query, { names: ['blocks', 'block'] });
    await stream.ended;
    expect(stream.results[0].errors[0]).toMatchObject({
      message: expect.stringMatching(/^names\.1 is "block"; one of operators, slashings, /),
      extensions: { code: 'BAD_INPUT' },
    });
    const none = await subscribe(gateway, query, { names: [] });
    await none.ended;
    expect(none.results[0].errors[0].message).toBe('names is empty; leave it out for all.');
  });
});
