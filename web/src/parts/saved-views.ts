import { graphql } from 'react-relay';
import type { savedViewsCreateMutation } from '../__generated__/savedViewsCreateMutation.graphql';
import type { savedViewsDeleteMutation } from '../__generated__/savedViewsDeleteMutation.graphql';
import type { savedViewsRenameMutation } from '../__generated__/savedViewsRenameMutation.graphql';
import { mutate, type UserError } from '../api/mutate.ts';

const create = graphql`
  mutation savedViewsCreateMutation($input: CreateSavedViewInput!) {
    createSavedView(input: $input) {
      userErrors {
        ...mutate_error @relay(mask: false)
      }
    }
  }
`;

const rename = graphql`
  mutation savedViewsRenameMutation($input: RenameSavedViewInput!) {
    renameSavedView(input: $input) {
      userErrors {
        ...mutate_error @relay(mask: false)
      }
    }
  }
`;

const destroy = graphql`
  mutation savedViewsDeleteMutation($input: DeleteSavedViewInput!) {
    deleteSavedView(input: $input) {
      userErrors {
        ...mutate_error @relay(mask: false)
      }
    }
  }
`;

/** Reasons why a change was refused. Nothing has been changed then. */
type Refused = Promise<readonly UserError[]>;

/** Saves an address of the explorer, from that of the gateway on. */
export const saveView = async (name: string, path: string): Refused =>
  (await mutate<savedViewsCreateMutation>(create, { input: { name, path } })).createSavedView?.userErrors ??
  [];

export const renameView = async (viewId: string, name: string): Refused =>
  (await mutate<savedViewsRenameMutation>(rename, { input: { viewId, name } })).renameSavedView?.userErrors ??
  [];

export const deleteView = async (viewId: string): Refused =>
  (await mutate<savedViewsDeleteMutation>(destroy, { input: { viewId } })).deleteSavedView?.userErrors ?? [];
