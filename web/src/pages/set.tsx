import { type FormEvent, useRef, useState } from 'react';
import { graphql } from 'react-relay';
import { Link, useNavigate, useRevalidator } from 'react-router';
import type { setAddMutation } from '../__generated__/setAddMutation.graphql';
import type { setDeleteMutation } from '../__generated__/setDeleteMutation.graphql';
import type { setQuery } from '../__generated__/setQuery.graphql';
import type { setRemoveMutation } from '../__generated__/setRemoveMutation.graphql';
import type { setRenameMutation } from '../__generated__/setRenameMutation.graphql';
import { missing } from '../failure.ts';
import { Figure } from '../figure.tsx';
import { count, eth, momentUtc, percentage, plotted, ratio, shift, shortCount, shortEth } from '../format.ts';
import { paths } from '../links.ts';
import { mutate, type UserError } from '../mutate.ts';
import { useHref } from '../network.ts';
import { page } from '../page.tsx';
import { Choice, Field, Heading, PageLink, Pager, Tile, Tiles } from '../parts.tsx';
import {
  calendarNames,
  calendars,
  from,
  granularities,
  granularityNames,
  periodName,
  periodsOf,
  periodValue,
  startOf,
  to,
} from '../periods.ts';
import { barsOver, colors, type Draw, type Interval, linesOver } from '../plots.ts';
import type { Column } from '../table.tsx';
import { pageOf, useParam } from '../url-state.ts';
import type { ValidatorBy } from '../validator-lines.ts';
import { ValidatorsForm } from '../validators-form.tsx';

const query = graphql`
  query setQuery(
    $setId: ID!
    $granularity: Granularity!
    $utc: Boolean!
    $fromDate: Date
    $toDate: Date
    $periods: Int!
    $first: Int
    $after: String
    $last: Int
    $before: String
  ) {
    privateSet(setId: $setId) {
      id
      setId
      name
      network
      createdAt
      createdBy
      rewards(granularity: $granularity, utc: $utc, fromDate: $fromDate, toDate: $toDate, last: $periods) {
        nodes {
          id
          date
          startDate
          endDate
          endTimestamp
          endEpoch
          validatorCount
          sumRewards
          sumAttestationRewards
          sumSyncCommitteeRewards
          sumProposerRewards
          sumPriorityFees
          sumBaselineMev
          sumEndEpochBalance
        }
      }
      effectiveness(
        granularity: $granularity
        utc: $utc
        fromDate: $fromDate
        toDate: $toDate
        last: $periods
      ) {
        nodes {
          id
          date
          startDate
          endDate
          avgValidatorEffectiveness
          avgUptime
          avgCorrectness
          avgInclusionDelay
        }
      }
      attestations(granularity: $granularity, utc: $utc, fromDate: $fromDate, toDate: $toDate, last: $periods) {
        nodes {
          id
          date
          startDate
          endDate
          totalUniqueAttestations
          sumMissedAttestations
          sumWrongHeadVotes
          sumWrongTargetVotes
        }
      }
      proposals(granularity: $granularity, utc: $utc, fromDate: $fromDate, toDate: $toDate, last: $periods) {
        nodes {
          id
          date
          startDate
          endDate
          proposedCount
          missedProposalCount
        }
      }
      validators(first: $first, after: $after, last: $last, before: $before) {
        totalCount
        pageInfo {
          hasNextPage
          hasPreviousPage
          startCursor
          endCursor
        }
        nodes {
          id
          validatorIndex
          validatorPubkey
          addedAt
        }
      }
    }
  }
`;

const add = graphql`
  mutation setAddMutation($input: AddPrivateSetValidatorsInput!) {
    addPrivateSetValidators(input: $input) {
      userErrors {
        code
        field
        message
      }
    }
  }
`;

const remove = graphql`
  mutation setRemoveMutation($input: RemovePrivateSetValidatorsInput!) {
    removePrivateSetValidators(input: $input) {
      userErrors {
        code
        field
        message
      }
    }
  }
`;

const rename = graphql`
  mutation setRenameMutation($input: RenamePrivateSetInput!) {
    renamePrivateSet(input: $input) {
      privateSet {
        id
        name
      }
      userErrors {
        code
        field
        message
      }
    }
  }
`;

const destroy = graphql`
  mutation setDeleteMutation($input: DeletePrivateSetInput!) {
    deletePrivateSet(input: $input) {
      deletedId @deleteRecord
      userErrors {
        code
        field
        message
      }
    }
  }
`;

type Data = setQuery['response'];
type PrivateSet = NonNullable<Data['privateSet']>;
type Rewards = NonNullable<PrivateSet['rewards']>['nodes'][number];
type Effectiveness = NonNullable<PrivateSet['effectiveness']>['nodes'][number];
type Attestations = NonNullable<PrivateSet['attestations']>['nodes'][number];
type Proposals = NonNullable<PrivateSet['proposals']>['nodes'][number];
type Member = NonNullable<PrivateSet['validators']>['nodes'][number];

const PAGE_SIZE = 50;
/** One drawing for each length of a period, because drawings are constants. */
const byInterval = <Row,>(make: (interval: Interval) => Draw<Row>) =>
  Object.fromEntries(granularities.values.map((one) => [one, make(one)])) as Record<Interval, Draw<Row>>;

const inEth = (gwei: string) => shift(gwei, 9);
const period = { head: 'Period', value: periodValue, show: periodName };
const gwei = <Row,>(head: string, of: (row: Row) => string): Column<Row> => ({
  head: `${head} (ETH)`,
  value: (row) => inEth(of(row)),
  show: (row) => eth(of(row)),
  numeric: true,
});
const whole = <Row,>(head: string, of: (row: Row) => string | number): Column<Row> => ({
  head,
  value: of,
  show: (row) => count(of(row)),
  numeric: true,
});

const kinds = [
  { label: 'Attestations', color: colors[0], value: (row: Rewards) => plotted(row.sumAttestationRewards) },
  {
    label: 'Sync committees',
    color: colors[3],
    value: (row: Rewards) => plotted(row.sumSyncCommitteeRewards),
  },
  { label: 'Proposals', color: colors[2], value: (row: Rewards) => plotted(row.sumProposerRewards) },
  { label: 'Priority fees', color: colors[1], value: (row: Rewards) => plotted(row.sumPriorityFees) },
  { label: 'MEV', color: colors[4], value: (row: Rewards) => plotted(row.sumBaselineMev) },
];

const rewards = byInterval<Rewards>((interval) =>
  barsOver({
    date: startOf,
    series: kinds,
    label: 'ETH',
    interval,
    format: shortCount,
    tip: (row) =>
      [
        periodName(row),
        `All ${eth(row.sumRewards)}`,
        `Attestations ${eth(row.sumAttestationRewards)}`,
        `Sync committees ${eth(row.sumSyncCommitteeRewards)}`,
        `Proposals ${eth(row.sumProposerRewards)}`,
        `Priority fees ${eth(row.sumPriorityFees)}`,
        `MEV ${eth(row.sumBaselineMev)}`,
      ].join('\n'),
  }),
);

const rewardColumns: Column<Rewards>[] = [
  period,
  gwei('All', ({ sumRewards }) => sumRewards),
  gwei('Attestations', ({ sumAttestationRewards }) => sumAttestationRewards),
  gwei('Sync committees', ({ sumSyncCommitteeRewards }) => sumSyncCommitteeRewards),
  gwei('Proposals', ({ sumProposerRewards }) => sumProposerRewards),
  gwei('Priority fees', ({ sumPriorityFees }) => sumPriorityFees),
  gwei('MEV', ({ sumBaselineMev }) => sumBaselineMev),
  gwei('Balance at the end', ({ sumEndEpochBalance }) => sumEndEpochBalance),
  whole('Validators', ({ validatorCount }) => validatorCount),
];

const effectiveness = linesOver<Effectiveness>({
  date: startOf,
  series: [
    {
      label: 'Effectiveness',
      color: colors[0],
      value: ({ avgValidatorEffectiveness }) => avgValidatorEffectiveness,
    },
  ],
  label: 'Effectiveness',
  format: (value) => percentage(value, 1),
  tip: (row) => `${periodName(row)}\n${percentage(row.avgValidatorEffectiveness, 3)}`,
});

const effectivenessColumns: Column<Effectiveness>[] = [
  period,
  {
    head: 'Effectiveness (%)',
    value: (row) => row.avgValidatorEffectiveness,
    show: (row) => percentage(row.avgValidatorEffectiveness, 3),
    numeric: true,
  },
  {
    head: 'Uptime (0–1)',
    value: ({ avgUptime }) => avgUptime,
    show: ({ avgUptime }) => ratio(avgUptime, 3),
    numeric: true,
  },
  {
    head: 'Correctness (0–1)',
    value: ({ avgCorrectness }) => avgCorrectness,
    show: ({ avgCorrectness }) => ratio(avgCorrectness, 3),
    numeric: true,
  },
  { head: 'Inclusion delay (slots)', value: ({ avgInclusionDelay }) => avgInclusionDelay, numeric: true },
];

const faults = [
  { label: 'Missed', color: colors[4], value: (row: Attestations) => Number(row.sumMissedAttestations) },
  { label: 'Wrong head', color: colors[1], value: (row: Attestations) => Number(row.sumWrongHeadVotes) },
  { label: 'Wrong target', color: colors[3], value: (row: Attestations) => Number(row.sumWrongTargetVotes) },
];

const attestations = byInterval<Attestations>((interval) =>
  barsOver({
    date: startOf,
    series: faults,
    label: 'Attestations',
    interval,
    format: shortCount,
    tip: (row) =>
      [
        periodName(row),
        `Missed ${count(row.sumMissedAttestations)}`,
        `Wrong head ${count(row.sumWrongHeadVotes)}`,
        `Wrong target ${count(row.sumWrongTargetVotes)}`,
      ].join('\n'),
  }),
);

const attestationColumns: Column<Attestations>[] = [
  period,
  whole('Missed', ({ sumMissedAttestations }) => sumMissedAttestations),
  whole('Wrong head', ({ sumWrongHeadVotes }) => sumWrongHeadVotes),
  whole('Wrong target', ({ sumWrongTargetVotes }) => sumWrongTargetVotes),
  whole('Included', ({ totalUniqueAttestations }) => totalUniqueAttestations),
];

const outcomes = [
  { label: 'Proposed', color: colors[2], value: (row: Proposals) => Number(row.proposedCount) },
  { label: 'Missed', color: colors[4], value: (row: Proposals) => Number(row.missedProposalCount) },
];

const proposals = byInterval<Proposals>((interval) =>
  barsOver({
    date: startOf,
    series: outcomes,
    label: 'Blocks',
    interval,
    format: shortCount,
    tip: (row) =>
      `${periodName(row)}\n${count(row.proposedCount)} proposed\n${count(row.missedProposalCount)} missed`,
  }),
);

const proposalColumns: Column<Proposals>[] = [
  period,
  whole('Proposed', ({ proposedCount }) => proposedCount),
  whole('Missed', ({ missedProposalCount }) => missedProposalCount),
];

const total = <Row,>(rows: readonly Row[], of: (row: Row) => string) =>
  String(rows.reduce((sum, row) => sum + BigInt(of(row)), 0n));

function Figures({ set }: { set: PrivateSet }) {
  const [granularity] = useParam(granularities);
  const [earned, duties, blocks] = [set.rewards, set.attestations, set.proposals].map(
    (list) => list?.nodes ?? [],
  ) as [readonly Rewards[], readonly Attestations[], readonly Proposals[]];
  const effective = set.effectiveness?.nodes ?? [];
  const last = effective.at(-1);
  const sum = total(earned, ({ sumRewards }) => sumRewards);
  const missed = total(duties, ({ sumMissedAttestations }) => sumMissedAttestations);
  const proposed = total(blocks, ({ proposedCount }) => proposedCount);
  const [first] = earned;
  const shown = first && earned.at(-1);
  const range = shown ? `${periodName(first)} to ${periodName(shown)}` : 'no day of it is stored';
  return (
    <>
      <Tiles>
        <Tile label="Validators" note="in the set now">
          {count(set.validators?.totalCount)}
        </Tile>
        <Tile label="Rewards" unit="ETH" exact={eth(sum)} note={range}>
          {shortEth(sum)}
        </Tile>
        <Tile label="Effectiveness" note={last ? periodName(last) : range}>
          {percentage(last?.avgValidatorEffectiveness)}
        </Tile>
        <Tile label="Missed attestations" note={range}>
          {count(missed)}
        </Tile>
        <Tile
          label="Blocks proposed"
          note={`${count(total(blocks, ({ missedProposalCount }) => missedProposalCount))} missed`}
        >
          {count(proposed)}
        </Tile>
      </Tiles>
      <div className="figures">
        <Figure
          title="Rewards"
          note="What the validators of the set earned on both layers, in ETH."
          columns={rewardColumns}
          rows={earned}
          draw={rewards[granularity]}
          series={kinds}
          empty="No day of these validators is stored in this range."
        />
        <Figure
          title="Effectiveness"
          note="Mean over the validators of the set, in percent."
          columns={effectivenessColumns}
          rows={effective}
          draw={effectiveness}
          empty="No day of these validators is stored in this range."
        />
        <Figure
          title="Missed and wrong votes"
          note="Attestations that were missed, or voted for a wrong head or target."
          columns={attestationColumns}
          rows={duties}
          draw={attestations[granularity]}
          series={faults}
          empty="No day of these validators is stored in this range."
        />
        <Figure
          title="Blocks"
          note="Blocks that the validators were to propose."
          columns={proposalColumns}
          rows={blocks}
          draw={proposals[granularity]}
          series={outcomes}
          empty="No day of these validators is stored in this range."
        />
      </div>
    </>
  );
}

function Members({ set }: { set: PrivateSet }) {
  const { setId, validators } = set;
  const { revalidate } = useRevalidator();
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const [problem, setProblem] = useState<string>();
  const [said, setSaid] = useState('');
  const toggle = (index: number) => {
    const next = new Set(chosen);
    if (!next.delete(index)) next.add(index);
    setChosen(next);
  };
  async function removeChosen() {
    const input = { setId, validators: [...chosen].map((index) => ({ index })) };
    try {
      const { removePrivateSetValidators: answer } = await mutate<setRemoveMutation>(remove, { input });
      setProblem(answer?.userErrors.map(({ message }) => message).join(' '));
      setSaid(answer?.userErrors.length ? '' : `${count(chosen.size)} removed.`);
      setChosen(new Set());
    } catch (error) {
      setProblem((error as Error).message);
    }
    await revalidate();
  }
  const columns: Column<Member>[] = [
    {
      head: 'Validator',
      value: ({ validatorIndex }) => validatorIndex,
      show: ({ validatorIndex: index }) => (
        <span className="chosen">
          <input
            type="checkbox"
            aria-label={`Choose validator ${index}`}
            checked={chosen.has(index)}
            onChange={() => toggle(index)}
          />
          <PageLink to={paths.validator(index)}>{index}</PageLink>
        </span>
      ),
    },
    {
      head: 'Public key',
      value: ({ validatorPubkey }) => validatorPubkey,
      show: ({ validatorPubkey: key }) => <code title={key}>{`${key.slice(0, 12)}…${key.slice(-8)}`}</code>,
    },
    {
      head: 'Added (UTC)',
      value: ({ addedAt }) => addedAt,
      show: ({ addedAt }) => <time dateTime={addedAt}>{momentUtc(addedAt)}</time>,
    },
  ];
  return (
    <Figure
      title="Validators"
      note="A validator that is removed stops counting today (UTC) and still counts on earlier days."
      columns={columns}
      rows={validators?.nodes ?? []}
      empty="The set has no validators yet."
      controls={
        chosen.size > 0 && (
          <button type="button" onClick={() => void removeChosen()}>
            Remove {count(chosen.size)}
          </button>
        )
      }
    >
      {problem && (
        <p className="problem" role="alert">
          {problem}
        </p>
      )}
      <p role="status" className="hint">
        {said}
      </p>
      {validators && <Pager info={validators.pageInfo} total={validators.totalCount} label="validators" />}
    </Figure>
  );
}

function Paste({ setId }: { setId: string }) {
  const { revalidate } = useRevalidator();
  const [mode, setMode] = useState<'add' | 'remove'>('add');
  const [said, setSaid] = useState('');
  async function send(validators: ValidatorBy[]): Promise<readonly UserError[]> {
    setSaid('');
    const input = { setId, validators };
    if (mode === 'remove') {
      const answer = await mutate<setRemoveMutation>(remove, { input });
      return answer.removePrivateSetValidators?.userErrors ?? [];
    }
    const answer = await mutate<setAddMutation>(add, { input });
    return answer.addPrivateSetValidators?.userErrors ?? [];
  }
  const done = (sent: number) => {
    setSaid(`${count(sent)} ${mode === 'add' ? 'are in the set.' : 'were removed.'}`);
    return revalidate();
  };
  const verb = mode === 'add' ? 'Add' : 'Remove';
  return (
    <section className="figure" aria-labelledby="paste">
      <h2 id="paste">Change the validators</h2>
      <fieldset className="choice">
        <legend className="visually-hidden">What to do with the list</legend>
        {(['add', 'remove'] as const).map((one) => (
          <label key={one}>
            <input type="radio" name="mode" checked={one === mode} onChange={() => setMode(one)} />
            <span>{one === 'add' ? 'Add' : 'Remove'}</span>
          </label>
        ))}
      </fieldset>
      <ValidatorsForm
        key={mode}
        label="Validators"
        action={(validators) => `${verb} ${validators ?? 'validators'}`}
        send={send}
        onDone={done}
      />
      <p role="status" className="hint">
        {said}
      </p>
    </section>
  );
}

function Rename({ set }: { set: PrivateSet }) {
  const [problem, setProblem] = useState<string>();
  const details = useRef<HTMLDetailsElement>(null);
  async function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget).get('name'));
    try {
      const input = { setId: set.setId, name };
      const { renamePrivateSet: answer } = await mutate<setRenameMutation>(rename, { input });
      setProblem(answer?.userErrors.map(({ message }) => message).join(' '));
      if (answer?.privateSet) details.current?.removeAttribute('open');
    } catch (error) {
      setProblem((error as Error).message);
    }
  }
  return (
    <details className="menu" ref={details}>
      <summary>Rename</summary>
      <form onSubmit={(event) => void submit(event)}>
        <label>
          Name <input name="name" required maxLength={100} defaultValue={set.name} autoComplete="off" />
        </label>
        <button type="submit">Rename</button>
        {problem && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
      </form>
    </details>
  );
}

function Delete({ set }: { set: PrivateSet }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const navigate = useNavigate();
  const href = useHref();
  const [problem, setProblem] = useState<string>();
  async function confirm() {
    try {
      const input = { setId: set.setId };
      const { deletePrivateSet: answer } = await mutate<setDeleteMutation>(destroy, { input });
      if (answer?.userErrors.length)
        return setProblem(answer.userErrors.map(({ message }) => message).join(' '));
      await navigate(href('/explore/sets'));
    } catch (error) {
      setProblem((error as Error).message);
    }
  }
  return (
    <>
      <button type="button" onClick={() => dialog.current?.showModal()}>
        Delete
      </button>
      <dialog ref={dialog} aria-labelledby="delete-set">
        <h2 id="delete-set">Delete {set.name}?</h2>
        <p>The set and its figures are gone for good. The validators stay as they are.</p>
        {problem && (
          <p className="problem" role="alert">
            {problem}
          </p>
        )}
        <p className="actions">
          <button type="button" className="danger" onClick={() => void confirm()}>
            Delete the set
          </button>
          <button type="button" onClick={() => dialog.current?.close()}>
            Keep it
          </button>
        </p>
      </dialog>
    </>
  );
}

const reportParams = (time: string | undefined): Record<string, string> =>
  time ? { month: time.slice(0, 7) } : {};

function View({ data }: { data: Data }) {
  const href = useHref();
  const { privateSet: set } = data;
  if (!set) throw missing('Your account has no set with this id.');
  const lastRow = set.rewards?.nodes.at(-1);
  const asOf = lastRow && { epoch: lastRow.endEpoch, time: lastRow.endTimestamp };
  return (
    <>
      <Heading
        title={set.name}
        about={
          <>
            <Link to={href('/explore/sets')}>My sets</Link> · {set.network.toLowerCase()} · made{' '}
            {momentUtc(set.createdAt)} by the token {set.createdBy}
          </>
        }
        asOf={asOf}
      >
        <Choice param={granularities} label="Length of a period" names={granularityNames} />
        <Choice param={calendars} label="Calendar" names={calendarNames} />
        <Field param={from} label="From" type="date" />
        <Field param={to} label="To" type="date" />
        <Link className="button" to={href(paths.report(set.setId), reportParams(lastRow?.endTimestamp))}>
          A month's report
        </Link>
        <Rename key={set.name} set={set} />
        <Delete set={set} />
      </Heading>
      <Figures set={set} />
      <div className="beside">
        <Members set={set} />
        <Paste setId={set.setId} />
      </div>
    </>
  );
}

export default page<setQuery>({
  query,
  variables: ({ params, search }) => {
    const { last, ...periods } = periodsOf(search);
    return { setId: params.setId ?? '', periods: last, ...periods, ...pageOf(search, PAGE_SIZE) };
  },
  View,
});
