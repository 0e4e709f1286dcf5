import { commitMutation, graphql } from 'react-relay';
import type { GraphQLTaggedNode, MutationParameters } from 'relay-runtime';
import { environment } from './environment.ts';
import { patiently, type Waits } from './patience.ts';

graphql`
  fragment mutate_error on UserError {
    code
    field
    message
  }
`;

export type UserError = {
  readonly code: string;
  readonly field: readonly string[] | null | undefined;
  readonly message: string;
};

const once = <M extends MutationParameters>(mutation: GraphQLTaggedNode, variables: M['variables']) =>
  new Promise<M['response']>((resolve, reject) => {
    commitMutation<M>(environment, {
      mutation,
      variables,
      // The data of pages may have changed: they request it again when they are shown or refreshed.
      updater: (store) => store.invalidateStore(),
      onCompleted: (response) => resolve(response),
      onError: reject,
    });
  });

/** Runs a mutation. Waits while the token is over its rate, see `patiently`. */
export const mutate = <M extends MutationParameters>(
  mutation: GraphQLTaggedNode,
  variables: M['variables'],
  waits?: Waits,
) => patiently(() => once<M>(mutation, variables), waits);
