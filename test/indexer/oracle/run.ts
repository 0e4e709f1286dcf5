import { Days } from './calendar.ts';
import { known, type Recording, type State, type ValidatorRecord } from './recording.ts';
import { type EpochResult, replayOf } from './replay.ts';
import { isActive } from './terms.ts';
import { SLOTS } from './votes.ts';

/** Fields are named after the columns of the database, and hold what these do as text. */
export type Row = Record<string, unknown>;

/** The epochs that a run of the indexer publishes, with what the chain has about them. */
export class Run {
  readonly recording: Recording;
  readonly from: number;
  /** The last closed epoch: its votes' inclusions and rewards are final. */
  readonly to: number;
  readonly epochs: number[];
  readonly days: Days;
  /** What the registry says at the end of the run. */
  readonly registry: ValidatorRecord[];

  /** `to`: by default two epochs before the one that is finalized at the recording's end. */
  constructor(recording: Recording, { from, to }: { from: number; to?: number }) {
    this.recording = recording;
    this.from = from;
    const last = known([...recording.states.values()].at(-1), 'state');
    this.to = to ?? last.finalized - 2;
    this.epochs = Array.from({ length: this.to - from + 1 }, (_, place) => from + place);
    this.days = new Days(recording.genesisTime);
    this.registry = this.state(this.to + 2).validators;
  }

  /** The state at the first slot of an epoch, with the block of that slot. */
  state(epoch: number): State {
    return known(this.recording.states.get(epoch * SLOTS), `state of epoch ${epoch}`);
  }

  /** With all that the epoch after the last one adds: inclusions, and what it pays. */
  result(epoch: number): EpochResult {
    return known(
      replayOf(this.recording)
        .until(this.to + 1)
        .epochs.get(epoch),
      `epoch ${epoch}`,
    );
  }

  /** For the votes of an epoch; the end of the next one pays them. */
  reward(validator: number, epoch: number): bigint {
    return this.result(epoch + 1).end.rewards.get(validator) ?? 0n;
  }

  isActive(validator: number, epoch: number): boolean {
    return isActive(this.state(epoch).validators[validator], epoch);
  }

  hasSeat(validator: number, epoch: number): boolean {
    return known(this.recording.duties.get(epoch), `duties of ${epoch}`).sync.includes(validator);
  }
}
