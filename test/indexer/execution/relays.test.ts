import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseRelays } from '../../../src/indexer/relays/names.ts';
import { rewritten } from '../../support/beacon-writing.ts';
import { hexOf, type MadeBlock, madeBlock, tipsIn, transfer } from '../../support/execution-chain.ts';
import {
  type ExecutionNode,
  type MadePayload,
  startExecutionNode,
  startRelay,
} from '../../support/execution-node.ts';
import { createDatabase, type TestDatabase } from '../../support/gateway.ts';
import type { Fault } from '../../support/source-server.ts';
import { CONSENSUS, filled, reasons, rowsOf, SLOT, storeBlocks, storedBlock } from './made.ts';

let database: TestDatabase;
let node: ExecutionNode;
type Relay = Awaited<ReturnType<typeof startRelay>>;
let relays: [Relay, Relay];
beforeEach(async () => {
  database = await createDatabase();
  node = await startExecutionNode({});
  relays = [await startRelay(), await startRelay()];
});
afterEach(async () => {
  await Promise.all([node, ...relays].map((server) => server.close()));
  await database.drop();
});

const BUILDER = hexOf('builder', 20);
const OWN = hexOf('own address', 20);
const KEY = hexOf('builder key', 48);
const VALUE = 10n ** 18n;
const block = madeBlock(SLOT, {
  feeRecipient: BUILDER,
  transactions: [transfer(), transfer({ from: BUILDER, to: OWN, value: VALUE, tip: 0n })],
});
const payloadOf = ({ slot, hash }: MadeBlock, change: Partial<MadePayload> = {}): MadePayload => ({
  ...{ slot, hash, builder: KEY, proposerFeeRecipient: OWN, value: VALUE },
  ...change,
});
const named = () => [`first=${relays[0].url}`, `second=${relays[1].url}`];
const fill = (more: object = {}) => filled(database, { relays: named(), ...more });
const withNode = () => ({ execution: node.url });

describe('with relays, a block has', () => {
  it('those that delivered it, in the order they were given, with the key of the builder at each', async () => {
    await storeBlocks(database, [block]);
    relays[0].payloads.push(payloadOf(block));
    relays[1].payloads.push(payloadOf(block));
    expect(await fill()).toEqual([]);
    expect(await storedBlock(database)).toMatchObject({
      relays: ['first', 'second'],
      block_builder_pubkeys: [KEY, KEY],
      execution_rewards: '1000000000',
      total_rewards: String(1_000_000_000 + CONSENSUS),
      missed_execution_rewards: '0',
      total_priority_fees: null,
      baseline_mev: null,
    });
  });

  it('none where no relay delivered it, and no execution rewards without an execution node', async () => {
    await storeBlocks(database, [block]);
    expect(await fill()).toEqual([]);
    expect(await storedBlock(database)).toMatchObject({
      relays: [],
      block_builder_pubkeys: [],
      execution_rewards: null,
    });
    const asked = relays[0].asked.length;
    await fill();
    expect(relays[0].asked.length).toBe(asked);
  });

  it('only those that delivered this very block', async () => {
    await storeBlocks(database, [block]);
    relays[0].payloads.push(payloadOf(block), payloadOf(block, { hash: hexOf('another block', 32) }));
    expect(await fill()).toEqual([]);
    expect(await storedBlock(database)).toMatchObject({ relays: ['first'] });
  });

  it('its MEV, with an execution node, as what the payment is beyond the priority fees', async () => {
    await storeBlocks(database, [block]);
    node.blocks = [block];
    relays[1].payloads.push(payloadOf(block));
    expect(await fill(withNode())).toEqual([]);
    const stored = await storedBlock(database);
    expect(stored).toMatchObject({ relays: ['second'], execution_rewards: '1000000000' });
    expect(Number(stored.total_priority_fees_validator) + Number(stored.baseline_mev)).toBe(1e9);
  });

  it('the value that a relay tells where the block has another kind of payment', async () => {
    const other = madeBlock(SLOT, { feeRecipient: BUILDER });
    await storeBlocks(database, [other]);
    node.blocks = [other];
    relays[0].payloads.push(payloadOf(other));
    await fill(withNode());
    const fees = Number(tipsIn(other)) / 1e9;
    expect(await storedBlock(database)).toMatchObject({
      total_priority_fees_validator: String(fees),
      baseline_mev: String(1e9 - fees),
    });
  });

  it('the payment of the block where the relay tells another value, which is reported', async () => {
    await storeBlocks(database, [block]);
    node.blocks = [block];
    relays[0].payloads.push(payloadOf(block, { value: VALUE * 2n }));
    const errors = await fill(withNode());
    expect(reasons(errors)).toEqual(['disagree']);
    expect(errors[0]?.message).toMatch(/first: slot 72000: tells a value of 2000000000000000000 wei/);
    expect(await storedBlock(database)).toMatchObject({ execution_rewards: '1000000000' });
  });
});

describe('relays', () => {
  it('are asked page by page, whatever the length of their pages', async () => {
    const blocks = Array.from({ length: 40 }, (_, n) => madeBlock(SLOT + n));
    await storeBlocks(database, blocks);
    relays[0].payloads = blocks.filter(({ slot }) => slot % 3 > 0).map((one) => payloadOf(one));
    relays[0].limit = 7;
    expect(await fill()).toEqual([]);
    const rows = await rowsOf(database, 'select slot, relays from blocks order by slot');
    expect(rows).toEqual(blocks.map(({ slot }) => ({ slot, relays: slot % 3 > 0 ? ['first'] : [] })));
    expect(relays[1].asked.length).toBeLessThan(10);
  });

  it('are not asked for all that they delivered between blocks that are far apart', async () => {
    const starts = [SLOT, SLOT + 300, SLOT + 20_000];
    const blocks = starts.flatMap((start, k) =>
      Array.from({ length: k === 1 ? 2 : 9 }, (_, n) => madeBlock(start + 20 * n)),
    );
    await storeBlocks(database, blocks);
    const others = Array.from({ length: 20_000 }, (_, n) => SLOT + n).filter((slot) => slot % 7 === 0);
    relays[0].payloads = others.map((slot) => payloadOf(block, { slot, hash: hexOf(`other ${slot}`, 32) }));
    relays[0].payloads.push(...blocks.map((one) => payloadOf(one)));
    expect(await fill()).toEqual([]);
    const rows = await rowsOf(database, 'select slot, relays from blocks order by slot');
    expect(rows).toEqual(blocks.map(({ slot }) => ({ slot, relays: ['first'] })));
    expect(relays[0].asked.length).toBeLessThan(8);
  });

  it('are not asked about the newest slots, of which they may not tell yet', async () => {
    const now = Math.floor((Date.now() / 1000 - Date.UTC(2025, 2, 17, 12, 10) / 1000) / 12);
    await storeBlocks(database, [madeBlock(now - 10), madeBlock(now - 100)]);
    await fill();
    expect(await rowsOf(database, 'select slot, relays from blocks order by slot')).toEqual([
      { slot: now - 100, relays: [] },
      { slot: now - 10, relays: null },
    ]);
  });

  it('of another network fill in nothing', async () => {
    await storeBlocks(database, [block]);
    relays[0].payloads.push(payloadOf(block, { hash: hexOf('of another chain', 32) }));
    const errors = await fill();
    expect(reasons(errors)).toEqual(['mismatch']);
    expect(errors[0]?.message).toMatch(/is it a relay of this network\?/);
    expect(await storedBlock(database)).toMatchObject({ relays: null });
  });

  const faults: [string, Fault, string][] = [
    ['closes the connection', 'destroyed', 'unreachable'],
    ['cuts off its response', 'cut', 'cut'],
    ['responds with HTML', 'html', 'nonsense'],
    ['responds with 429', 429, 'busy'],
    ['responds with 400', 400, 'refused'],
    ['responds with something else', () => ({ hello: 1 }), 'nonsense'],
    [
      'tells a value that is no number',
      (all) => all.map((one: object) => ({ ...one, value: '0x1' })),
      'nonsense',
    ],
  ];
  it.each(faults)(
    'of which one %s for a while: relays are filled in once all have told',
    async (_, how, reason) => {
      await storeBlocks(database, [block]);
      for (const relay of relays) relay.payloads.push(payloadOf(block));
      relays[1].break(/./, how, 2);
      expect(reasons(await fill())).toEqual([reason]);
      expect(await storedBlock(database)).toMatchObject({ relays: ['first', 'second'] });
    },
  );

  it('that write safe integers as numbers tell the same', async () => {
    await storeBlocks(database, [block]);
    for (const relay of relays) relay.payloads.push(payloadOf(block, { value: 10n ** 15n }));
    for (const relay of relays) relay.break(/./, (all) => rewritten(all));
    expect(await fill()).toEqual([]);
    expect(await storedBlock(database)).toMatchObject({
      relays: ['first', 'second'],
      execution_rewards: '1000000',
    });
  });

  it('that fail hold up no fees, and what they tell later is filled in with the figures that follow', async () => {
    const other = madeBlock(SLOT, { feeRecipient: BUILDER });
    await storeBlocks(database, [other]);
    node.blocks = [other];
    relays[0].payloads.push(payloadOf(other));
    relays[0].break(/./, 503);
    await fill(withNode());
    const fees = String(Number(tipsIn(other)) / 1e9);
    expect(await storedBlock(database)).toMatchObject({
      relays: null,
      execution_rewards: fees,
      baseline_mev: '0',
    });
    relays[0].mend();
    expect(await fill(withNode())).toEqual([]);
    expect(await storedBlock(database)).toMatchObject({ relays: ['first'], execution_rewards: '1000000000' });
  });

  it('tell what they know while the execution node fails, whose fees come later', async () => {
    await storeBlocks(database, [block]);
    node.blocks = [block];
    node.break(/./, 'destroyed');
    relays[0].payloads.push(payloadOf(block));
    await fill(withNode());
    expect(await storedBlock(database)).toMatchObject({ relays: ['first'], total_priority_fees: null });
    node.mend();
    expect(await fill(withNode())).toEqual([]);
    expect(await storedBlock(database)).toMatchObject({ relays: ['first'], execution_rewards: '1000000000' });
  });
});

describe('names of relays', () => {
  const names = (...given: string[]) => parseRelays(given).map(({ name, url }) => `${name} ${url.href}`);

  it('are the usual ones of known hosts, else the host, unless one is given', () => {
    expect(
      names(
        'https://boost-relay.flashbots.net',
        'https://0xac6e77@bloxroute.max-profit.blxrbdn.com/',
        'https://relay.example:8080',
        'titan=https://titanrelay.example',
      ),
    ).toEqual([
      'flashbots https://boost-relay.flashbots.net/',
      'bloxroute_maxprofit https://bloxroute.max-profit.blxrbdn.com/',
      'relay.example:8080 https://relay.example:8080/',
      'titan https://titanrelay.example/',
    ]);
  });

  it('must differ, and belong to URLs', () => {
    expect(() => names('https://a.example', 'https://a.example/')).toThrow('a.example twice');
    for (const wrong of ['', 'flashbots', 'ftp://a.example', 'a b=https://a.example', 'name=https://'])
      expect(() => names(wrong)).toThrow('write https://host or name=https://host');
    expect(() => names('ftp://user:secret@a.example')).not.toThrow('secret');
  });
});
