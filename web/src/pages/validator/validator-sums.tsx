import { count, eth, percentage, shortEth } from '../../parts/format.ts';
import { Tile, Tiles } from '../../parts/tiles.tsx';
import type { ValidatorData as Validator } from './validator-figures.tsx';

const statuses = {
  PENDING: ['Pending', 'not activated yet'],
  ACTIVE: ['Active', 'has duties'],
  EXITING: ['Exiting', 'has duties until its exit'],
  EXITED: ['Exited', 'no longer has duties'],
} as const;

const sumOf = (amounts: readonly string[]) =>
  amounts.reduce((sum, amount) => sum + BigInt(amount), 0n).toString();

/** State of a validator, and what it did in the periods that are shown. */
export function Sums({ validator }: { validator: Validator }) {
  const [status, meaning] = statuses[validator.status];
  const earned = validator.rewards?.nodes ?? [];
  const votes = validator.attestations?.nodes ?? [];
  const newest = earned.at(-1);
  const effect = validator.effectiveness?.nodes.at(-1);
  const all = sumOf(earned.map(({ sumRewards }) => sumRewards));
  const missed = sumOf(votes.map(({ sumMissedAttestations }) => sumMissedAttestations));
  const seen = sumOf(votes.map(({ totalUniqueAttestations }) => totalUniqueAttestations));
  return (
    <Tiles>
      <Tile label="Status" note={meaning}>
        {status}
        {validator.slashed && <small className="bad"> slashed</small>}
      </Tile>
      {newest && (
        <Tile
          label="Balance"
          unit="ETH"
          exact={eth(newest.sumEndEpochBalance)}
          note={`${eth(newest.sumEndEpochEffectiveBalance)} effective`}
        >
          {shortEth(newest.sumEndEpochBalance)}
        </Tile>
      )}
      {earned.length > 0 && (
        <Tile label="Rewards" unit="ETH" exact={eth(all)} note="in the periods shown">
          {shortEth(all)}
        </Tile>
      )}
      {effect && (
        <Tile label="Effectiveness" note="in the newest period shown">
          {percentage(effect.avgValidatorEffectiveness)}
        </Tile>
      )}
      {votes.length > 0 && (
        <Tile label="Missed attestations" note={`${count(seen)} included, in the periods shown`}>
          {count(missed)}
        </Tile>
      )}
      {earned.length === 0 && (
        <Tile label="Proposals" note="slots in which it was assigned to propose">
          {count(validator.proposedBlocks?.totalCount)}
        </Tile>
      )}
    </Tiles>
  );
}
