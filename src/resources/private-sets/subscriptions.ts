import { Topic } from '../../graphql/live/topic.ts';
import { builder } from '../../graphql/schema/builder.ts';
import { badArgument, notFound, quoted } from '../../kernel/refusal.ts';
import { checkSetId, PrivateSetType } from './graphql.ts';
import { loadSet, type SetRow } from './loaders.ts';
import { setRevision } from './queries.ts';

type Changed = { revision: number; privateSet: SetRow | undefined };

const PrivateSetChangedPayload = builder.objectRef<Changed>('PrivateSetChangedPayload').implement({
  description: 'A private set that changed.',
  fields: (t) => ({
    revision: t.exposeInt('revision', {
      description:
        'Rises with each change of the name and the validators of the set, and with each change of the dataset `validator-days`, which its figures are computed from; >= 1.',
    }),
    privateSet: t.field({
      type: PrivateSetType,
      nullable: true,
      description: 'The set; null when it was deleted, which is the last event.',
      resolve: ({ privateSet }) => privateSet,
    }),
  }),
});

builder.subscriptionField('privateSetChanged', (t) =>
  t.field({
    type: PrivateSetChangedPayload,
    nullable: true,
    extensions: { operation: 'privateSetChanged' },
    description:
      'A private set of the account, at first and whenever its name, its validators or their days change. NOT_FOUND if the account has no such set.',
    args: { setId: t.arg.id({ required: true, description: 'Its `setId`, a UUID.' }) },
    subscribe: (_root, { setId: given }, ctx) => {
      const setId = checkSetId(given, badArgument);
      return new Topic<Changed>({
        operation: 'privateSetChanged',
        key: [ctx.caller.accountId, setId],
        datasets: ['validator-days'],
        setId,
        async read(of, position) {
          const counted = await setRevision(of.primary, setId);
          const privateSet = await loadSet(of, setId);
          if (privateSet && counted !== undefined) {
            const revision = counted + (of.data.get('validator-days')?.revision ?? 0);
            if (String(revision) === position) return { position, rows: 0 };
            return { position: String(revision), event: { revision, privateSet }, rows: 1 };
          }
          if (position === undefined) throw notFound(`Private set ${quoted(setId)}`);
          const revision = Number(position) + 1;
          return { position, event: { revision, privateSet: undefined }, rows: 0, last: true };
        },
      });
    },
    resolve: (event) => event,
  }),
);
