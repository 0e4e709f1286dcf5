import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { makeAccount } from '../support/accounts.ts';
import { eventually } from '../support/eventually.ts';
import { createDatabase, type Gateway, startGateway, type TestDatabase } from '../support/gateway.ts';
import { BLOCKS, importBlocks, slotsOf } from '../support/live-rows.ts';
import { type Events, subscribe } from '../support/subscribe.ts';
import { runs, slow } from '../support/thorough.ts';

let database: TestDatabase;
let gateways: [Gateway, Gateway];
let token: string;
beforeAll(async () => {
  database = await createDatabase('empty');
  gateways = [await startGateway({ database }), await startGateway({ database })];
  token = gateways[0].token;
  await eventually(() => {
    if (!gateways[1].tokens.find(`Bearer ${token}`, new Date())) throw new Error('not known yet');
  });
});
afterAll(async () => {
  for (const gateway of gateways) await gateway.close();
  await database.drop();
});

describe('replicas on one database', () => {
  it('tell the same events of an import of another process', async () => {
    const streams = await Promise.all(gateways.map((gateway) => subscribe(gateway, BLOCKS, {}, { token })));
    for (const stream of streams) await stream.next();
    await importBlocks(gateways[0], [9_000_001, 9_000_002]);
    const events = await Promise.all(streams.map((stream) => stream.next()));
    expect(events.map(slotsOf)).toEqual([
      [9_000_001, 9_000_002],
      [9_000_001, 9_000_002],
    ]);
    expect(events[0].data).toEqual(events[1].data);
  });

  slow(
    'lose nothing for a client that is cut off at random and continues on either, whatever is imported when',
    async () => {
      let base = 0;
      const Step = fc.record({
        slots: fc.uniqueArray(fc.nat(400), { minLength: 1, maxLength: 80 }),
        cut: fc.boolean(),
        at: fc.nat(1),
        pause: fc.nat(15),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(Step, { minLength: 1, maxLength: 8 }), async (steps) => {
          base += 1_000;
          const imported = new Set<number>();
          const seen = new Set<number>();
          let after: number | undefined;
          let stream: Events | undefined;
          let taken = 0;
          const take = () => {
            for (const result of stream?.results.slice(taken) ?? []) {
              expect(result.errors).toBeUndefined();
              for (const slot of slotsOf(result)) seen.add(slot);
              after = result.data.blockAdded.revision;
            }
            taken = stream?.results.length ?? 0;
          };
          const open = async (at: number) => {
            take();
            stream?.close();
            stream = await subscribe(gateways[at as 0 | 1], BLOCKS, { after }, { token });
            taken = 0;
            if (after === undefined) await stream.next();
            take();
          };
          await open(0);
          for (const { slots, cut, at, pause } of steps) {
            const own = slots.map((slot) => base + slot).filter((slot) => !imported.has(slot));
            const importing = own.length > 0 ? importBlocks(gateways[at as 0 | 1], own) : undefined;
            if (cut) {
              await sleep(pause);
              await open(at);
            }
            await importing;
            for (const slot of own) imported.add(slot);
          }
          await eventually(() => {
            take();
            expect(seen.size).toBe(imported.size);
          }, 10_000);
          expect([...seen].toSorted()).toEqual([...imported].toSorted());
          stream?.close();
        }),
        { ...runs(40), endOnFailure: true },
      );
    },
  );

  let slot = 9_100_000;
  slow('tell 500 streams of an import; those of a killed one catch up', async () => {
    const own = await startGateway({ database, settings: { MAX_STREAMS: 500 } });
    const accounts = await Promise.all(Array.from({ length: 25 }, () => makeAccount(gateways[0])));
    const keys = accounts.map((account) => account.token);
    for (const gateway of [own, gateways[1]])
      await eventually(() => {
        for (const { authorization } of accounts)
          if (!gateway.tokens.find(authorization, new Date())) throw new Error('not known yet');
      });
    const ofBoth = Array.from({ length: 500 }, (_, index) => index);
    const streams = await Promise.all(
      ofBoth.map((index) =>
        subscribe(index % 2 ? own : gateways[1], BLOCKS, {}, { token: keys[index % 25] as string }),
      ),
    );
    for (const stream of streams) await stream.next();
    own.statements.length = 0;
    slot += 3; // a second try imports other blocks
    await importBlocks(gateways[0], [slot]);
    await Promise.all(streams.map(async (stream) => expect(slotsOf(await stream.next())).toEqual([slot])));
    expect(own.statements.filter((name) => /added|blocks/.test(name)).length).toBeLessThanOrEqual(3);

    const half = streams.filter((_, index) => index % 2);
    const after = half.map((stream) => stream.results.at(-1).data.blockAdded.revision as number);
    await own.close();
    await Promise.all(half.map((stream) => stream.ended));
    await importBlocks(gateways[0], [slot + 1, slot + 2]);
    const again = await Promise.all(
      half.map((_, index) =>
        subscribe(
          gateways[1],
          BLOCKS,
          { after: after[index] },
          { token: keys[(2 * index + 1) % 25] as string },
        ),
      ),
    );
    for (const stream of again) expect(slotsOf(await stream.next())).toEqual([slot + 1, slot + 2]);
    for (const stream of [...streams, ...again]) stream.close();
    onTestFinished(() => undefined);
  });
});
