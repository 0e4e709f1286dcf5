import { graphql } from 'react-relay';
import type { validatorQuery } from '../__generated__/validatorQuery.graphql';
import { missing } from '../api/failure.ts';
import { granularities, granularityNames, periodRanges } from '../figures/periods.ts';
import { type Place, page } from '../page.tsx';
import { Choice } from '../parts/controls.tsx';
import { Heading } from '../parts/heading.tsx';
import { Neighbours } from '../parts/page-links.tsx';
import { RangeControl } from '../parts/range.tsx';
import { paths } from '../url/links.ts';
import { OverTime } from './validator/validator-figures.tsx';
import { Lists } from './validator/validator-lists.tsx';
import { Credentials, SlashingFacts } from './validator/validator-summary.tsx';
import { Sums } from './validator/validator-sums.tsx';
import { variables } from './validator/validator-variables.ts';

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
      effectiveness(
        granularity: $granularity
        utc: $utc
        fromDate: $fromDate
        toDate: $toDate
        orderBy: { field: PERIOD, direction: ASC }
        last: $periods
      ) {
        nodes {
          ...recordFigures_effectiveness @relay(mask: false)
          avgAttesterEffectiveness
          avgProposerEffectiveness
        }
      }
      attestations(
        granularity: $granularity
        utc: $utc
        fromDate: $fromDate
        toDate: $toDate
        orderBy: { field: PERIOD, direction: ASC }
        last: $periods
      ) {
        nodes {
          ...recordFigures_attestations @relay(mask: false)
          sumLateTargetVotes
          sumLateSourceVotes
          sumSyncSignatureCount
          sumMissedSyncSignatures
        }
      }
      rewards(
        granularity: $granularity
        utc: $utc
        fromDate: $fromDate
        toDate: $toDate
        orderBy: { field: PERIOD, direction: ASC }
        last: $periods
      ) {
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
          ...pager_pageInfo @relay(mask: false)
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
          ...pager_pageInfo @relay(mask: false)
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
          ...pager_pageInfo @relay(mask: false)
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
      <div className="filters">
        <RangeControl of={periodRanges} dates calendar lastDay={validator.rewards?.nodes.at(-1)?.date} />
        <Choice param={granularities} label="Length of a period" names={granularityNames} />
      </div>
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

export default page<validatorQuery>({ query, variables, View });
