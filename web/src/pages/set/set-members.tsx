import { useState } from 'react';
import { graphql } from 'react-relay';
import type { setMembersWholeQuery } from '../../__generated__/setMembersWholeQuery.graphql';
import type { setQuery } from '../../__generated__/setQuery.graphql';
import { PagedFigure } from '../../figures/paged-figure.tsx';
import type { Column } from '../../figures/table.tsx';
import { wholeOf } from '../../figures/whole-list.tsx';
import { useRefresh } from '../../page.tsx';
import { count, momentUtc } from '../../parts/format.ts';
import { PageLink } from '../../parts/page-links.tsx';
import { paths } from '../../url/links.ts';
import { type Send, told } from './batches.ts';
import { addValidators, removeValidators } from './private-sets.ts';
import { ValidatorsForm } from './validators-form.tsx';

const wholeQuery = graphql`
  query setMembersWholeQuery($setId: ID!, $first: Int!, $after: String) {
    privateSet(setId: $setId) {
      id
      validators(first: $first, after: $after) {
        pageInfo {
          hasNextPage
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

graphql`
  fragment setMembers_set on PrivateSet {
    validators(first: $first, after: $after, last: $last, before: $before) @include(if: $onValidators) {
      totalCount
      pageInfo {
        ...pager_pageInfo @relay(mask: false)
      }
      nodes {
        id
        validatorIndex
        validatorPubkey
        addedAt
      }
    }
  }
`;

type PrivateSet = NonNullable<setQuery['response']['privateSet']>;
type Member = NonNullable<PrivateSet['validators']>['nodes'][number];

/** The validators of a set, some of which can be removed. */
function Present({ set }: { set: PrivateSet }) {
  const { setId, network, validators } = set;
  const refresh = useRefresh();
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const [problem, setProblem] = useState<string>();
  const [said, setSaid] = useState('');
  const toggle = (index: number) => {
    const next = new Set(chosen);
    if (!next.delete(index)) next.add(index);
    setChosen(next);
  };
  async function removeChosen() {
    try {
      const refused = await removeValidators(
        setId,
        [...chosen].map((index) => ({ index })),
      );
      setProblem(refused.map(({ message }) => message).join(' '));
      setSaid(refused.length > 0 ? '' : `${count(chosen.size)} removed.`);
      setChosen(new Set());
    } catch (error) {
      setProblem((error as Error).message);
    }
    await refresh();
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
          <PageLink to={paths.validator(index)} network={network}>
            {index}
          </PageLink>
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
  const whole = wholeOf<setMembersWholeQuery, Member>(
    wholeQuery,
    { setId },
    (all) => all.privateSet?.validators,
  );
  return (
    <PagedFigure
      title="Validators"
      note="A validator that is removed stops counting today (UTC) and still counts on earlier days."
      columns={columns}
      of={validators}
      whole={whole}
      label="validators"
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
    </PagedFigure>
  );
}

/** Adds a list of validators to a set, or removes it. */
function Paste({ setId }: { setId: string }) {
  const refresh = useRefresh();
  const [mode, setMode] = useState<'add' | 'remove'>('add');
  const [said, setSaid] = useState('');
  const send: Send = (validators, waits) => {
    setSaid('');
    return (mode === 'add' ? addValidators : removeValidators)(setId, validators, waits);
  };
  const done = async (sent: number) => {
    setSaid(`${count(sent)} ${mode === 'add' ? 'are in the set.' : 'were removed.'}`);
    await refresh();
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
        tell={(counts) => told(counts, mode === 'add' ? 'added' : 'removed')}
        onDone={done}
      />
      <p role="status" className="hint">
        {said}
      </p>
    </section>
  );
}

/** The validators of a set. */
export const Members = ({ set }: { set: PrivateSet }) => (
  <div className="beside">
    <Present set={set} />
    <Paste setId={set.setId} />
  </div>
);
