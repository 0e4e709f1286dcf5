import { graphql } from 'react-relay';
import { Link } from 'react-router';
import type { viewsQuery } from '../__generated__/viewsQuery.graphql';
import { page, useRefresh } from '../page.tsx';
import { Ask, NameField } from '../parts/ask.tsx';
import { ago, moment } from '../parts/format.ts';
import { Heading } from '../parts/heading.tsx';
import { deleteView, renameView } from '../parts/saved-views.ts';
import { Empty } from '../states.tsx';

const query = graphql`
  query viewsQuery {
    savedViews {
      id
      viewId
      name
      path
      createdAt
      createdBy
    }
  }
`;

type Data = viewsQuery['response'];

function SavedView({ view }: { view: Data['savedViews'][number] }) {
  const { viewId, name, path, createdAt, createdBy } = view;
  const refresh = useRefresh();
  const refreshed = async (change: ReturnType<typeof deleteView>) => {
    const refused = await change;
    if (refused.length === 0) await refresh();
    return refused;
  };
  return (
    <li>
      <div>
        <Link to={path}>{name}</Link>
        <code title={path}>{path}</code>
        <p className="hint">
          Saved{' '}
          <time dateTime={createdAt} title={ago(createdAt)}>
            {moment(createdAt)}
          </time>{' '}
          UTC by the token {createdBy}
        </p>
      </div>
      <div className="actions">
        <Ask
          key={name}
          button="Rename"
          label={`Rename ${name}`}
          title={`Rename ${name}`}
          submit="Save the name"
          cancel="Cancel"
          run={(given) => refreshed(renameView(viewId, String(given.get('name'))))}
        >
          <NameField given={name} />
        </Ask>
        <Ask
          button="Delete"
          label={`Delete ${name}`}
          title={`Delete ${name}?`}
          submit="Delete the view"
          cancel="Keep it"
          danger
          run={() => refreshed(deleteView(viewId))}
        >
          <p>The name and the address are gone for good. The page stays as it is.</p>
        </Ask>
      </div>
    </li>
  );
}

const View = ({ data: { savedViews } }: { data: Data }) => (
  <>
    <Heading
      title="Saved views"
      about="Addresses of pages that your account has saved, on the gateway. Other accounts do not see them."
    />
    {savedViews.length === 0 ? (
      <Empty>Your account has saved no page yet. “Saved views” in the head of each page saves it.</Empty>
    ) : (
      <ul className="saved">
        {savedViews.map((view) => (
          <SavedView key={view.id} view={view} />
        ))}
      </ul>
    )}
  </>
);

export default page<viewsQuery>({ query, variables: () => ({}), View, fresh: true });
