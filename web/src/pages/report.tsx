import { graphql } from 'react-relay';
import { Link } from 'react-router';
import type { reportQuery } from '../__generated__/reportQuery.graphql';
import { missing } from '../api/failure.ts';
import { countColumn, gweiColumn, percentColumn, ratioColumn } from '../figures/columns.tsx';
import { Figure } from '../figures/figure.tsx';
import { at, barsOver, colors, linesOver } from '../figures/plots.ts';
import { periodColumn } from '../figures/record-figures.ts';
import type { Column } from '../figures/table.tsx';
import { page } from '../page.tsx';
import { Choice } from '../parts/controls.tsx';
import {
  calendarDate,
  count,
  decimal,
  eth,
  momentUtc,
  percentage,
  plotted,
  ratio,
  shortEth,
} from '../parts/format.ts';
import { Heading } from '../parts/heading.tsx';
import { SetProgress } from '../parts/set-progress.tsx';
import { Tile, Tiles } from '../parts/tiles.tsx';
import { Empty } from '../states.tsx';
import { paths } from '../url/links.ts';
import { calendarNames, setCalendars } from '../url/range.ts';
import { month } from '../url/url-state.ts';
import { useHref } from '../url/use-network.ts';
import { useParam } from '../url/use-param.ts';

const query = graphql`
  query reportQuery($setId: ID!, $utc: Boolean!, $fromDate: Date!, $toDate: Date!) {
    privateSet(setId: $setId) {
      id
      setId
      name
      network
      progress {
        completeFrom
        share
      }
      month: rewards(granularity: MONTH, utc: $utc, fromDate: $fromDate, toDate: $toDate, first: 1) {
        nodes {
          id
          startDate
          endDate
          endEpoch
          endTimestamp
          validatorCount
          sumRewards
          sumConsensusRewards
          sumExecutionRewards
          sumAttestationRewards
          sumSyncCommitteeRewards
          sumProposerRewards
          sumPriorityFees
          sumBaselineMev
          sumEndEpochBalance
          sumEndEpochEffectiveBalance
        }
      }
      quality: effectiveness(granularity: MONTH, utc: $utc, fromDate: $fromDate, toDate: $toDate, first: 1) {
        nodes {
          id
          avgValidatorEffectiveness
          avgUptime
          avgCorrectness
          avgInclusionDelay
        }
      }
      duties: attestations(granularity: MONTH, utc: $utc, fromDate: $fromDate, toDate: $toDate, first: 1) {
        nodes {
          id
          totalUniqueAttestations
          sumMissedAttestations
          sumWrongHeadVotes
          sumWrongTargetVotes
          sumMissedSyncSignatures
        }
      }
      blocks: proposals(granularity: MONTH, utc: $utc, fromDate: $fromDate, toDate: $toDate, first: 1) {
        nodes {
          id
          proposerDutyCount
          proposedCount
          missedProposalCount
        }
      }
      rewards(
        utc: $utc
        fromDate: $fromDate
        toDate: $toDate
        orderBy: { field: PERIOD, direction: ASC }
        first: 31
      ) {
        nodes {
          id
          date
          validatorCount
          sumRewards
          sumConsensusRewards
          sumExecutionRewards
        }
      }
      newest: rewards(granularity: MONTH, utc: $utc, orderBy: { field: PERIOD, direction: DESC }, first: 1) {
        nodes {
          id
          startDate
        }
      }
      effectiveness(utc: $utc, fromDate: $fromDate, toDate: $toDate, first: 31) {
        nodes {
          id
          date
          avgValidatorEffectiveness
          avgUptime
        }
      }
    }
  }
`;

type Data = reportQuery['response'];
type PrivateSet = NonNullable<Data['privateSet']>;
type Rewards = NonNullable<PrivateSet['rewards']>['nodes'][number];

/** In print, which has no controls. */
const calendarText = { utc: 'UTC days', chain: 'chain days' };

const lastMonth = () => {
  const now = new Date();
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1)).toISOString().slice(0, 7);
};
const lastOf = (shown: string) => {
  const [year = 0, number = 1] = shown.split('-').map(Number);
  return new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10);
};
const shownMonth = month('month', lastMonth());
const monthName = new Intl.DateTimeFormat(navigator.languages as string[], {
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
});

const kinds = [
  { label: 'Consensus', color: colors[0], value: (row: Rewards) => plotted(row.sumConsensusRewards) },
  { label: 'Execution', color: colors[1], value: (row: Rewards) => plotted(row.sumExecutionRewards) },
];
const dateOf = ({ date }: { readonly date?: string | null | undefined }) => at(date ?? '');

const rewards = barsOver<Rewards>({
  date: dateOf,
  series: kinds,
  label: 'ETH a day',
  tip: (row) =>
    `${calendarDate(row.date)}\nConsensus ${eth(row.sumConsensusRewards)}\nExecution ${eth(row.sumExecutionRewards)}`,
});

type Day = Rewards & { effectiveness: number | undefined; uptime: number | undefined };
/** A day of the month; only its date if it has no figures. */
type Listed = Partial<Omit<Day, 'id'>> & { id: string };

const DAY_MS = 86_400_000;
const dateOfTime = (time: number) => new Date(time).toISOString().slice(0, 10);

/** The days of a month, in their order; of a month that is not over, those up to the last with figures. */
function listedOf(shown: string, days: readonly Day[]): Listed[] {
  const known = new Map(days.map((day) => [day.date as string, day]));
  const end = lastOf(shown);
  const until = end < dateOfTime(Date.now()) ? end : (days.at(-1)?.date ?? shown);
  const listed: Listed[] = [];
  for (let time = Date.parse(`${shown}-01`); dateOfTime(time) <= until; time += DAY_MS) {
    const date = dateOfTime(time);
    listed.push({ id: date, ...known.get(date), date });
  }
  return listed;
}

/** Days without figures, as single ones and from–to. */
function gapsOf(listed: readonly Listed[]): string[] {
  const gaps: [first: string, last: string][] = [];
  for (const [index, { date, sumRewards }] of listed.entries()) {
    if (sumRewards !== undefined) continue;
    const gap = gaps.at(-1);
    if (gap && index > 0 && gap[1] === listed[index - 1]?.date) gap[1] = date as string;
    else gaps.push([date as string, date as string]);
  }
  return gaps.map(([first, last]) =>
    first === last ? calendarDate(first) : `${calendarDate(first)} to ${calendarDate(last)}`,
  );
}

const effectiveness = linesOver<Day>({
  date: dateOf,
  series: [
    {
      label: 'Effectiveness',
      color: colors[2],
      value: (row) => row.effectiveness ?? null,
    },
  ],
  label: 'Effectiveness',
  format: percentage,
  tip: (row) => `${calendarDate(row.date)}\n${percentage(row.effectiveness)}`,
});

const columns: Column<Listed>[] = [
  periodColumn,
  countColumn('Validators', ({ validatorCount }) => validatorCount),
  gweiColumn('Rewards', ({ sumRewards }) => sumRewards),
  gweiColumn('Consensus', ({ sumConsensusRewards }) => sumConsensusRewards),
  gweiColumn('Execution', ({ sumExecutionRewards }) => sumExecutionRewards),
  percentColumn('Effectiveness', ({ effectiveness }) => effectiveness),
  ratioColumn('Uptime', ({ uptime }) => uptime),
];

function Statement({ set, of }: { set: PrivateSet; of: string }) {
  const [earned, quality, duties, blocks] = [
    set.month?.nodes[0],
    set.quality?.nodes[0],
    set.duties?.nodes[0],
    set.blocks?.nodes[0],
  ];
  if (!earned) return null;
  const lines = [
    ['Attestations', eth(earned.sumAttestationRewards)],
    ['Sync committees', eth(earned.sumSyncCommitteeRewards)],
    ['Proposals', eth(earned.sumProposerRewards)],
    ['Priority fees', eth(earned.sumPriorityFees)],
    ['MEV', eth(earned.sumBaselineMev)],
  ];
  return (
    <>
      <Tiles>
        <Tile label="Rewards" unit="ETH" exact={eth(earned.sumRewards)} note={`both layers, ${of}`}>
          {shortEth(earned.sumRewards)}
        </Tile>
        <Tile label="Validators" note={`on ${calendarDate(earned.endDate)}`}>
          {count(earned.validatorCount)}
        </Tile>
        <Tile label="Effectiveness" note={`uptime ${ratio(quality?.avgUptime)}`}>
          {percentage(quality?.avgValidatorEffectiveness)}
        </Tile>
        <Tile
          label="Blocks proposed"
          note={`of ${count(blocks?.proposerDutyCount)} due, ${count(blocks?.missedProposalCount)} missed`}
        >
          {count(blocks?.proposedCount)}
        </Tile>
      </Tiles>
      <div className="statement">
        <table>
          <caption>Rewards by kind</caption>
          <tbody>
            {lines.map(([name, figure]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td className="numeric">{figure}</td>
              </tr>
            ))}
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">All</th>
              <td className="numeric">{eth(earned.sumRewards)}</td>
            </tr>
          </tfoot>
        </table>
        <table>
          <caption>Duties and balances</caption>
          <tbody>
            {[
              ['Attestations included', count(duties?.totalUniqueAttestations)],
              ['Attestations missed', count(duties?.sumMissedAttestations)],
              ['Votes for a wrong head', count(duties?.sumWrongHeadVotes)],
              ['Votes for a wrong target', count(duties?.sumWrongTargetVotes)],
              ['Mean inclusion delay', `${decimal(quality?.avgInclusionDelay, 3)} slots`],
              ['Balance at the end', eth(earned.sumEndEpochBalance)],
            ].map(([name, figure]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td className="numeric">{figure}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function View({ data }: { data: Data }) {
  const { privateSet: set } = data;
  const href = useHref(set?.network);
  const [shown, setShown] = useParam(shownMonth);
  const [calendar] = useParam(setCalendars);
  const inCalendar: Record<string, string> = calendar === setCalendars.fallback ? {} : { calendar };
  if (!set) throw missing('Your account has no set with this id.');
  const [summary] = set.month?.nodes ?? [];
  const newest = set.newest?.nodes[0]?.startDate?.slice(0, 7);
  const quality = new Map(set.effectiveness?.nodes.map((row) => [row.date, row]));
  const parts = [set.rewards, set.effectiveness];
  const days: Day[] = (set.rewards?.nodes ?? []).map((row) => ({
    ...row,
    effectiveness: quality.get(row.date)?.avgValidatorEffectiveness,
    uptime: quality.get(row.date)?.avgUptime,
  }));
  const listed = listedOf(shown, days);
  const gaps = gapsOf(listed);
  const stored = `${count(days.length)} of ${count(listed.length)} days`;
  return (
    <article className="report">
      <Heading
        title={`${set.name}: ${monthName.format(at(`${shown}-01`))}`}
        about={
          <>
            Set of validators of {set.network.toLowerCase()}
            {summary && ` · ${calendarDate(summary.startDate)} to ${calendarDate(summary.endDate)}`}
            <span className="print-only">
              , {calendarText[calendar]} · printed {momentUtc(new Date().toISOString())}
            </span>
          </>
        }
        asOf={summary && { epoch: summary.endEpoch, time: summary.endTimestamp }}
        actions={
          <>
            <Link className="button" to={href(paths.set(set.setId), inCalendar)}>
              Back to the set
            </Link>
            <button type="button" onClick={() => print()}>
              Print
            </button>
          </>
        }
      >
        <label className="field">
          Month
          <input
            type="month"
            key={shown}
            defaultValue={shown}
            onChange={({ target }) => /^\d{4}-\d\d$/.test(target.value) && setShown(target.value)}
          />
        </label>
        <Choice param={setCalendars} label="Calendar" names={calendarNames} />
      </Heading>
      <SetProgress of={set.progress} />
      {summary ? (
        <>
          {gaps.length > 0 && (
            <p className="hint" role="note">
              {stored} have figures of these validators, and the sums are of these: {gaps.join(', ')}{' '}
              {gaps.length === 1 && !gaps[0]?.includes(' to ') ? 'has' : 'have'} none.
            </p>
          )}
          <Statement set={set} of={stored} />
          <div className="figures">
            <Figure
              title="Rewards by day"
              parts={parts}
              note="In ETH."
              columns={columns}
              rows={days}
              draw={rewards}
              series={kinds}
            />
            <Figure
              title="Effectiveness by day"
              parts={parts}
              note="Mean over the validators of the set, in percent."
              columns={columns}
              rows={days}
              draw={effectiveness}
            />
          </div>
          <Figure title="Days" parts={parts} columns={columns} rows={listed} />
        </>
      ) : (
        <Empty>
          No day of these validators is stored in this month.{' '}
          {newest ? (
            <>
              The newest month with days is{' '}
              <Link to={href(paths.report(set.setId), { month: newest, ...inCalendar })}>
                {monthName.format(at(`${newest}-01`))}
              </Link>
              .
            </>
          ) : (
            'Import its days.'
          )}
        </Empty>
      )}
    </article>
  );
}

export default page<reportQuery>({
  query,
  variables: ({ params, search }) => {
    const shown = shownMonth.read(search);
    const utc = setCalendars.read(search) === 'utc';
    return { setId: params.setId ?? '', utc, fromDate: `${shown}-01`, toDate: lastOf(shown) };
  },
  View,
});
