import { commitMutation } from 'react-relay';
import type { GraphQLTaggedNode, MutationParameters } from 'relay-runtime';
import { environment } from './environment.ts';
import { Failure } from './failure.ts';

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
      // The data of pages may have changed: they request it again when they are shown or revalidated.
      updater: (store) => store.invalidateStore(),
      onCompleted: (response) => resolve(response),
      onError: reject,
    });
  });

/** Runs a mutation. Waits while the token is over its rate, because nothing has been done then. */
export async function mutate<M extends MutationParameters>(
  mutation: GraphQLTaggedNode,
  variables: M['variables'],
): Promise<M['response']> {
  for (;;) {
    try {
      return await once<M>(mutation, variables);
    } catch (error) {
      if (!(error instanceof Failure && error.kind === 'rate')) throw error;
      await new Promise((done) => setTimeout(done, 1_000 * (error.retryAfter ?? 1)));
    }
  }
}
