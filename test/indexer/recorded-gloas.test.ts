import { describe, expect, it } from 'vitest';
import { slow } from '../support/thorough.ts';
import { checkAnswers, checkRows, type Lie, type Span } from './oracle/check.ts';
import { recordingPath } from './oracle/recording.ts';

/** Changes every so many answers. */
function lies(path: RegExp, every: number, part: RegExp, as: (found: string) => string): Lie {
  let asked = 0;
  return { path, told: (body) => (++asked % every === 0 ? body.replace(part, as) : body) };
}
const oneMore = (found: string) => found.replace(/\d+/, (amount) => String(BigInt(amount) + 1n));
const liar = {
  lies: [
    lies(/validator_balances/, 3, /"balance":"\d+"/, oneMore),
    lies(/execution_payload_envelopes/, 50, /"amount":"\d+"/, oneMore),
    lies(
      /v2\/beacon\/blocks/,
      70,
      /"parent_block_hash":"0x\w+"/,
      () => `"parent_block_hash":"0x${'77'.repeat(32)}"`,
    ),
  ],
};

describe.skipIf(!recordingPath('chain-gloas'))('an index of a recorded chain', () => {
  it('from before the fork to after it (chain-gloas)', async () => {
    const counts = await checkAnswers('chain-gloas', { from: 2516, to: 2524, pauses: [2517, 2519] });
    expect(counts).toMatchObject({ validator_days: 634, blocks: 288, builders: 3 });
  });

  slow.each([
    ['from its first epoch on', { from: 2470 }],
    ['from the middle of Fulu on', { from: 2500, pauses: [2516, 2517, 2518, 2519, 2520] }],
    ['from the fork on', { from: 2519 }],
    ['from the epoch after the fork on', { from: 2520 }],
    ['from the middle of Gloas on', { from: 2545, pauses: [2570] }],
    ['with payloads that come late', { from: 2519, late: 150 }],
    ['in spite of 5 % faults', { from: 2470, node: { faults: 0.05 } }],
    [
      'in spite of a node that is asked first and lies about balances, withdrawals and payloads',
      { from: 2470, liar },
    ],
  ] as [string, Span][])('%s (chain-gloas)', async (_, span) => {
    const { counts } = await checkRows('chain-gloas', span);
    expect(counts.builders).toBe(5);
  });
});
