import { type Calendar, calendars, split } from './calendar.ts';
import { type Duties, dutiesIn } from './duties.ts';
import { bidRow, isFull, isGloas } from './payloads.ts';
import type { Row, Run } from './run.ts';
import { SLOTS } from './votes.ts';

type Amounts = { proposed: number; missed: number; seats: bigint; blocks: bigint };

/** Blocks and seats of each validator in these epochs. */
function amountsIn(run: Run, epochs: readonly number[]): (validator: number) => Amounts {
  const all = new Map<number, Amounts>();
  const of = (validator: number) => {
    let amounts = all.get(validator);
    if (!amounts) all.set(validator, (amounts = { proposed: 0, missed: 0, seats: 0n, blocks: 0n }));
    return amounts;
  };
  for (const epoch of epochs) {
    for (const { proposer, block, rewards, seats } of run.result(epoch).blocks) {
      of(proposer)[block ? 'proposed' : 'missed'] += 1;
      of(proposer).blocks += rewards;
      for (const { validator, reward } of seats) of(validator).seats += reward;
    }
  }
  return of;
}

/** Penalties of a slashed validator for all closed epochs since its exit; they are in the row of its last duty. */
function penaltiesAfterExit(run: Run, validator: number, lastEpochOfRow: number): bigint {
  const record = run.registry[validator];
  if (!record?.slashed || record.exitEpoch - 1 !== lastEpochOfRow) return 0n;
  let sum = 0n;
  for (let epoch = record.exitEpoch; epoch <= run.to; epoch += 1) sum += run.reward(validator, epoch);
  return sum;
}

function attestationRewards(run: Run, validator: number, duties: Duties, epochs: readonly number[]): bigint {
  return epochs
    .filter((epoch) => run.isActive(validator, epoch))
    .reduce(
      (sum, epoch) => sum + run.reward(validator, epoch),
      penaltiesAfterExit(run, validator, duties.endEpoch),
    );
}

/** Known without an execution node where all blocks of a validator are without payload: what builders owe for them. */
function mevOf({ recording, ...run }: Run, validator: number, { startEpoch, endEpoch }: Duties): bigint {
  const slots = [...recording.blocks.values()]
    .filter(({ message }) => Number(message.proposer_index) === validator)
    .map(({ slot }) => slot)
    .filter(
      (slot) => startEpoch * SLOTS <= slot && slot < (endEpoch + 1) * SLOTS && slot >= run.from * SLOTS,
    );
  if (slots.some((slot) => isFull(recording, slot))) return 0n;
  const bids = slots.map((slot) => bidRow(recording, slot));
  return bids.reduce((sum, { payment, value }) => (payment === 'quorum' ? sum + value : sum), 0n);
}

/** Null before Gloas, or if no block shows it. */
function emptyPayloads(run: Run, validator: number, epochs: readonly number[]): number | null {
  const { recording } = run;
  const blocks = epochs
    .flatMap((epoch) => run.result(epoch).blocks)
    .filter(({ block, slot }) => block && isGloas(recording, slot));
  if (blocks.length === 0) return null;
  return blocks.filter(({ proposer, slot }) => proposer === validator && !isFull(recording, slot)).length;
}

/** The effective balance in the registry, on which the duty of the epoch is paid. */
const effectiveAfter = (run: Run, validator: number, epoch: number): bigint =>
  BigInt(run.state(epoch + 1).validators[validator]?.effectiveBalance ?? 0);

function daysOf(run: Run, calendar: Calendar): Row[] {
  const days = split(run.epochs, (epoch) => run.days.day(calendar, epoch));
  return [...days].flatMap(([day, epochs]) => {
    const amounts = amountsIn(run, epochs);
    return [...dutiesIn(run, epochs)].map(([validatorIndex, duties]) => {
      const { proposed, missed, seats, blocks } = amounts(validatorIndex);
      const end = run.state(duties.endEpoch + 1);
      return {
        ...{ network: 'hoodi', utc: calendar === 'utc', validatorIndex, day, date: run.days.date(day) },
        ...duties,
        proposedCount: proposed,
        missedProposalCount: missed,
        endEpochBalance: end.balances[validatorIndex],
        endEpochEffectiveBalance: end.validators[validatorIndex]?.effectiveBalance,
        sumAttestationRewards: attestationRewards(run, validatorIndex, duties, epochs),
        sumSyncCommitteeRewards: seats,
        sumProposerRewards: blocks,
        sumPriorityFees: 0,
        sumBaselineMev: mevOf(run, validatorIndex, duties),
        emptyPayloadCount: emptyPayloads(run, validatorIndex, epochs),
        effectiveBalanceEpochs: epochs
          .filter((epoch) => run.isActive(validatorIndex, epoch))
          .reduce((sum, epoch) => sum + effectiveAfter(run, validatorIndex, epoch), 0n),
      };
    });
  });
}

export const validatorDays = (run: Run): Row[] => calendars.flatMap((calendar) => daysOf(run, calendar));
