import { graphql } from 'react-relay';
import type { validatorQuery } from '../__generated__/validatorQuery.graphql';
import {
  countColumn,
  dateColumn,
  gweiColumn,
  numberColumn,
  outcomeColumn,
  slotColumn,
  timeColumn,
  validatorColumn,
} from '../columns.tsx';
import { missing } from '../failure.ts';
import { Figure } from '../figure.tsx';
import { Filters, OperatorLink, validatorOf } from '../filters.tsx';
import { calendarDate, count, eth, percentage, shortEth } from '../format.ts';
import { paths } from '../links.ts';
import { type Place, page } from '../page.tsx';
import { Choice, Facts, Field, Heading, Neighbours, Pager, Tile, Tiles } from '../parts.tsx';
import {
  calendarNames,
  calendars,
  from,
  granularities,
  granularityNames,
  periodsOf,
  to,
} from '../periods.ts';
import type { Interval } from '../plots.ts';
import {
  attestations,
  effectiveness,
  faults,
  rewardColumns,
  rewardKinds,
  rewards,
} from '../record-figures.ts';
import type { Column } from '../table.tsx';
import { pageOf } from '../url-state.ts';
import { attestationColumns, effectivenessColumns, type ValidatorData } from '../validator-figures.ts';

const query = graphql`
  query validatorQuery(
    $network: Network!
    $by: ValidatorBy!
    $near: [Int!]
    $isByIndex: Boolean!
    $granularity: Granularity!
    $utc: Boolean!
    $fromDate: Date
    $toDate: Date
    $periods: Int!
    $blocksFirst: Int
    $blocksAfter: String
    $blocksLast: Int
    $blocksBefore: String
    $seatsFirst: Int
    $seatsAfter: String
    $seatsLast: Int
    $seatsBefore: String
    $movesFirst: Int
    $movesAfter: String
    $movesLast: Int
    $movesBefore: String
  ) {
    validator(network: $network, by: $by) {
      id
      validatorIndex
      validatorPubkey
      status
      slashed
      activationEpoch
      exitEpoch
      withdrawalAddress
      depositAddress
      nodeOperator
      pool
      operators {
        id
        idType
        operatorId
        displayName
      }
      slashing {
        id
        date
        slashingEpoch
        withdrawableEpoch
        slashingPenalties
        balanceBeforeSlashing
      }
      effectiveness(granularity: $granularity, utc: $utc, fromDate: $fromDate, toDate: $toDate, last: $periods) {
        nodes {
          ...recordFigures_effectiveness @relay(mask: false)
          avgAttesterEffectiveness
          avgProposerEffectiveness
        }
      }
      attestations(granularity: $granularity, utc: $utc, fromDate: $fromDate, toDate: $toDate, last: $periods) {
        nodes {
          ...recordFigures_attestations @relay(mask: false)
          sumLateTargetVotes
          sumLateSourceVotes
          sumSyncSignatureCount
          sumMissedSyncSignatures
        }
      }
      rewards(granularity: $granularity, utc: $utc, fromDate: $fromDate, toDate: $toDate, last: $periods) {
        nodes {
          ...recordFigures_rewards @relay(mask: false)
          sumEndEpochEffectiveBalance
        }
      }
      proposedBlocks(first: $blocksFirst, after: $blocksAfter, last: $blocksLast, before: $blocksBefore) {
        totalCount
        nodes {
          id
          consensusSlot
          blockTimestamp
          consensusOutcome
          consensusRewards
          executionRewards
          totalRewards
          totalRewardsMissed
        }
        pageInfo {
          hasNextPage
          hasPreviousPage
          startCursor
          endCursor
        }
      }
      syncCommitteeRewards(first: $seatsFirst, after: $seatsAfter, last: $seatsLast, before: $seatsBefore) {
        totalCount
        nodes {
          id
          consensusSlot
          blockTimestamp
          reward
        }
        pageInfo {
          hasNextPage
          hasPreviousPage
          startCursor
          endCursor
        }
      }
      consolidations(first: $movesFirst, after: $movesAfter, last: $movesLast, before: $movesBefore) {
        totalCount
        nodes {
          id
          epoch
          date
          sourceValidatorIndex
          targetValidatorIndex
          consolidatedBalance
        }
        pageInfo {
          hasNextPage
          hasPreviousPage
          startCursor
          endCursor
        }
      }
    }
    pendingConsolidations(network: $network, by: $by, first: 20) {
      nodes {
        id
        position
        expectedEpoch
        sourceValidatorIndex
        targetValidatorIndex
        amount
      }
    }
    near: validators(network: $network, indices: $near) @include(if: $isByIndex) {
      nodes {
        id
        validatorIndex
      }
    }
  }
`;

type Data = validatorQuery['response'];
type Validator = ValidatorData;
type Block = NonNullable<Validator['proposedBlocks']>['nodes'][number];
type Seat = NonNullable<Validator['syncCommitteeRewards']>['nodes'][number];
type Move = NonNullable<Validator['consolidations']>['nodes'][number];
type Pending = NonNullable<Data['pendingConsolidations']>['nodes'][number];

const statuses = {
  PENDING: ['Pending', 'not activated yet'],
  ACTIVE: ['Active', 'has duties'],
  EXITING: ['Exiting', 'has duties until its exit'],
  EXITED: ['Exited', 'no longer has duties'],
} as const;

const blockColumns: Column<Block>[] = [
  slotColumn(({ consensusSlot }) => consensusSlot),
  timeColumn(({ blockTimestamp }) => blockTimestamp),
  outcomeColumn(({ consensusOutcome }) => consensusOutcome),
  gweiColumn('Consensus', ({ consensusRewards }) => consensusRewards),
  gweiColumn('Execution', ({ executionRewards }) => executionRewards),
  gweiColumn('Rewards', ({ totalRewards }) => totalRewards),
  gweiColumn('Missed', ({ totalRewardsMissed }) => totalRewardsMissed),
];

const seatColumns: Column<Seat>[] = [
  slotColumn(({ consensusSlot }) => consensusSlot),
  timeColumn(({ blockTimestamp }) => blockTimestamp),
  { head: 'Signature', value: ({ reward }) => (reward.startsWith('-') ? 'missed' : 'included') },
  gweiColumn('Reward', ({ reward }) => reward),
];

const moveColumns: Column<Move>[] = [
  dateColumn(({ date }) => date),
  numberColumn('Epoch', ({ epoch }) => epoch),
  validatorColumn('From', ({ sourceValidatorIndex }) => sourceValidatorIndex),
  validatorColumn('To', ({ targetValidatorIndex }) => targetValidatorIndex),
  gweiColumn('Moved', ({ consolidatedBalance }) => consolidatedBalance),
];

const pendingColumns: Column<Pending>[] = [
  countColumn('Place in the queue', ({ position }) => position + 1),
  numberColumn('Expected in epoch', ({ expectedEpoch }) => expectedEpoch),
  validatorColumn('From', ({ sourceValidatorIndex }) => sourceValidatorIndex),
  validatorColumn('To', ({ targetValidatorIndex }) => targetValidatorIndex),
  gweiColumn('Would move', ({ amount }) => amount),
];

const sumOf = (amounts: readonly string[]) =>
  amounts.reduce((sum, amount) => sum + BigInt(amount), 0n).toString();

function Sums({ validator }: { validator: Validator }) {
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

function Credentials({ validator }: { validator: Validator }) {
  const operatorOf = (idType: string, otherwise: string) => {
    const found = validator.operators.find((operator) => operator.idType === idType);
    return found ? <OperatorLink key={idType} operator={found} /> : otherwise;
  };
  return (
    <Facts
      title="Credentials and operators"
      facts={[
        ['Index', validator.validatorIndex],
        ['Public key', validator.validatorPubkey],
        ['Activation epoch', validator.activationEpoch ?? 'not known yet'],
        ['Exit epoch', validator.exitEpoch ?? 'not known'],
        [
          'Withdrawal address',
          operatorOf('WITHDRAWAL_ADDRESS', validator.withdrawalAddress ?? 'none is set'),
        ],
        ['Deposit address', operatorOf('DEPOSIT_ADDRESS', validator.depositAddress ?? 'not known')],
        ['Node operator', operatorOf('NODE_OPERATOR', validator.nodeOperator ?? 'not known')],
        ['Pool', operatorOf('POOL', validator.pool ?? 'none')],
      ]}
    />
  );
}

type Slashing = NonNullable<Validator['slashing']>;

const SlashingFacts = ({ slashing }: { slashing: Slashing }) => (
  <Facts
    title="Slashing"
    facts={[
      ['Slashed in epoch', slashing.slashingEpoch],
      ['Date (UTC)', calendarDate(slashing.date)],
      ['Penalties so far', eth(slashing.slashingPenalties)],
      ['Balance before', eth(slashing.balanceBeforeSlashing)],
      ['Withdrawable from epoch', slashing.withdrawableEpoch],
    ]}
  />
);

/** Its figures over time; most validators have no stored days. */
function OverTime({ validator, interval }: { validator: Validator; interval: Interval }) {
  const { effectiveness: effects, rewards: earned, attestations: votes } = validator;
  if (!effects?.nodes.length && !earned?.nodes.length && !votes?.nodes.length)
    return (
      <Figure
        title="Figures over time"
        columns={effectivenessColumns}
        rows={[]}
        empty="No day of this validator is stored in this range."
      />
    );
  return (
    <>
      <Figure
        title="Effectiveness"
        note="How well it did its duties, in percent of the best possible."
        columns={effectivenessColumns}
        rows={effects?.nodes ?? []}
        draw={effectiveness}
      />
      <Figure
        title="Rewards"
        note="What it earned in each period, in ETH; penalties are negative."
        columns={rewardColumns}
        rows={earned?.nodes ?? []}
        draw={rewards[interval]}
        series={rewardKinds}
      />
      <Figure
        title="Missed and wrong votes"
        note="Attestations that were missed, or included with a wrong vote."
        columns={attestationColumns}
        rows={votes?.nodes ?? []}
        draw={attestations[interval]}
        series={faults}
      />
    </>
  );
}

function Lists({ validator, pending }: { validator: Validator; pending: readonly Pending[] }) {
  const { proposedBlocks, syncCommitteeRewards: seats, consolidations: moves } = validator;
  return (
    <>
      <Figure
        title="Blocks"
        note="Slots in which it was assigned to propose, newest first; rewards in ETH."
        columns={blockColumns}
        rows={proposedBlocks?.nodes ?? []}
        empty="It was not assigned to propose in a stored slot."
      >
        {proposedBlocks && proposedBlocks.totalCount > 0 && (
          <Pager
            info={proposedBlocks.pageInfo}
            total={proposedBlocks.totalCount}
            label="blocks"
            list="blocks"
          />
        )}
      </Figure>
      <Figure
        title="Sync committee rewards"
        note="By slot, newest first, in ETH; negative for a missed signature."
        columns={seatColumns}
        rows={seats?.nodes ?? []}
        empty="It had no seat in a stored sync committee."
      >
        {seats && seats.totalCount > 0 && (
          <Pager info={seats.pageInfo} total={seats.totalCount} label="sync committee rewards" list="seats" />
        )}
      </Figure>
      <Figure
        title="Consolidations"
        note="Balance that moved from or to it, oldest first, in ETH."
        columns={moveColumns}
        rows={moves?.nodes ?? []}
        empty="None was processed."
      >
        {moves && moves.totalCount > 0 && (
          <Pager info={moves.pageInfo} total={moves.totalCount} label="consolidations" list="moves" />
        )}
      </Figure>
      <Figure
        title="Pending consolidations"
        note="Its places in the queue of the newest indexed state."
        columns={pendingColumns}
        rows={pending}
        empty="None is in the queue."
      />
    </>
  );
}

function View({ data, place }: { data: Data; place: Place }) {
  const { validator, near, pendingConsolidations } = data;
  const { network, search } = place;
  if (!validator) throw missing(`${place.params.validator} is no validator of ${network.toLowerCase()}.`);
  const own = validator.validatorIndex;
  const known = new Set(near?.nodes.map(({ validatorIndex }) => validatorIndex));
  const nextTo = (index: number) =>
    known.has(index) ? { to: paths.validator(index), name: `Validator ${index}` } : undefined;
  return (
    <>
      <Heading title={`Validator ${own}`} about={validator.validatorPubkey}>
        <Neighbours previous={nextTo(own - 1)} next={nextTo(own + 1)} />
      </Heading>
      <Filters names={['granularity', 'calendar', 'from', 'to']}>
        <Choice param={granularities} label="Length of a period" names={granularityNames} />
        <Choice param={calendars} label="Calendar" names={calendarNames} />
        <Field param={from} label="From" type="date" />
        <Field param={to} label="To" type="date" />
      </Filters>
      <Sums validator={validator} />
      <div className="figures">
        <Credentials validator={validator} />
        {validator.slashing && <SlashingFacts slashing={validator.slashing} />}
        <OverTime validator={validator} interval={granularities.read(search)} />
        <Lists validator={validator} pending={pendingConsolidations?.nodes ?? []} />
      </div>
    </>
  );
}

const ROWS = 20;

function variablesOf({ params, network, search }: Place): validatorQuery['variables'] {
  const given = params.validator ?? '';
  const by = validatorOf(given);
  const [blocks, seats, moves] = ['blocks', 'seats', 'moves'].map((list) => pageOf(search, ROWS, list));
  const { last: periods, ...range } = periodsOf(search);
  return {
    network,
    by,
    isByIndex: by.index !== undefined,
    near: by.index === undefined ? null : [by.index - 1, by.index + 1].filter((index) => index >= 0),
    ...range,
    periods,
    blocksFirst: blocks?.first,
    blocksAfter: blocks?.after,
    blocksLast: blocks?.last,
    blocksBefore: blocks?.before,
    seatsFirst: seats?.first,
    seatsAfter: seats?.after,
    seatsLast: seats?.last,
    seatsBefore: seats?.before,
    movesFirst: moves?.first,
    movesAfter: moves?.after,
    movesLast: moves?.last,
    movesBefore: moves?.before,
  };
}

export default page<validatorQuery>({ query, variables: variablesOf, View });
