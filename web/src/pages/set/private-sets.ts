import { graphql } from 'react-relay';
import type { privateSetsAddMutation } from '../../__generated__/privateSetsAddMutation.graphql';
import type { privateSetsCreateMutation } from '../../__generated__/privateSetsCreateMutation.graphql';
import type { privateSetsDeleteMutation } from '../../__generated__/privateSetsDeleteMutation.graphql';
import type { privateSetsRemoveMutation } from '../../__generated__/privateSetsRemoveMutation.graphql';
import type { privateSetsRenameMutation } from '../../__generated__/privateSetsRenameMutation.graphql';
import { mutate, type UserError } from '../../api/mutate.ts';
import type { Waits } from '../../api/patience.ts';
import type { Network } from '../../url/network.ts';
import type { ValidatorBy } from './validator-lines.ts';

const create = graphql`
  mutation privateSetsCreateMutation($input: CreatePrivateSetInput!) {
    createPrivateSet(input: $input) {
      privateSet {
        id
        setId
      }
      userErrors {
        ...mutate_error @relay(mask: false)
      }
    }
  }
`;

const add = graphql`
  mutation privateSetsAddMutation($input: AddPrivateSetValidatorsInput!) {
    addPrivateSetValidators(input: $input) {
      userErrors {
        ...mutate_error @relay(mask: false)
      }
    }
  }
`;

const remove = graphql`
  mutation privateSetsRemoveMutation($input: RemovePrivateSetValidatorsInput!) {
    removePrivateSetValidators(input: $input) {
      userErrors {
        ...mutate_error @relay(mask: false)
      }
    }
  }
`;

const rename = graphql`
  mutation privateSetsRenameMutation($input: RenamePrivateSetInput!) {
    renamePrivateSet(input: $input) {
      privateSet {
        id
        name
      }
      userErrors {
        ...mutate_error @relay(mask: false)
      }
    }
  }
`;

const destroy = graphql`
  mutation privateSetsDeleteMutation($input: DeletePrivateSetInput!) {
    deletePrivateSet(input: $input) {
      deletedId @deleteRecord
      userErrors {
        ...mutate_error @relay(mask: false)
      }
    }
  }
`;

/** Reasons why a change was refused. Nothing has been changed then. */
type Refused = readonly UserError[];
const refusedBy = (payload: { readonly userErrors: Refused } | null | undefined) => payload?.userErrors ?? [];

type NewSet = { name: string; network: Network; validators: ValidatorBy[] };
export async function createSet(input: NewSet, waits?: Waits) {
  const { createPrivateSet: made } = await mutate<privateSetsCreateMutation>(create, { input }, waits);
  return { setId: made?.privateSet?.setId, refused: refusedBy(made) };
}

export async function addValidators(
  setId: string,
  validators: ValidatorBy[],
  waits?: Waits,
): Promise<Refused> {
  const input = { setId, validators };
  const answer = await mutate<privateSetsAddMutation>(add, { input }, waits);
  return refusedBy(answer.addPrivateSetValidators);
}

export async function removeValidators(
  setId: string,
  validators: ValidatorBy[],
  waits?: Waits,
): Promise<Refused> {
  const input = { setId, validators };
  const answer = await mutate<privateSetsRemoveMutation>(remove, { input }, waits);
  return refusedBy(answer.removePrivateSetValidators);
}

export async function renameSet(setId: string, name: string): Promise<Refused> {
  const answer = await mutate<privateSetsRenameMutation>(rename, { input: { setId, name } });
  return refusedBy(answer.renamePrivateSet);
}

export async function deleteSet(setId: string): Promise<Refused> {
  const answer = await mutate<privateSetsDeleteMutation>(destroy, { input: { setId } });
  return refusedBy(answer.deletePrivateSet);
}
