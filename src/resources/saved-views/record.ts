import { z } from 'zod';
import { jsonBody, needed } from '../../kernel/body.ts';
import * as Leaf from '../../kernel/leaves.ts';
import { chosenName } from '../private-sets/record.ts';

export { readSetId as readViewId } from '../private-sets/record.ts';

/** For each account. */
export const MAX_VIEWS = 100;
const MAX_PATH = 2_000;

export const SavedView = z.object({
  id: Leaf.text(36).describe('Identifier of the view, a UUID.'),
  name: Leaf.text(100).describe('Its name, which no other view of the account has.'),
  path: Leaf.text(MAX_PATH).describe(
    'Path and query of the page of the explorer, from the address of the gateway on, such as `/explore/operators?class=pool`.',
  ),
  createdBy: Leaf.text(256).describe('Name of the token that saved it.'),
  createdAt: Leaf.timestamp().describe('When it was saved.'),
  updatedAt: Leaf.timestamp().describe('When it was saved or last renamed.'),
});
export type SavedView = z.infer<typeof SavedView>;
export type SavedViewField = keyof SavedView;
export const savedViewFields = Object.keys(SavedView.shape) as SavedViewField[];

const PATH = `the path of a page of the explorer: / or below /explore, with its query, of at most ${MAX_PATH} characters without blanks`;
/** Never an address of another host, such as `//example.com`, since the explorer opens it. */
const path = () =>
  z
    .string({ error: needed(PATH) })
    .regex(/^\/(?=$|[?#]|explore(?:$|[/?#]))[!-[\]-~]*$/, `must be ${PATH}`)
    .max(MAX_PATH, `must be ${PATH}`);

export const NewView = jsonBody({ name: chosenName(), path: path() });
export const ViewName = jsonBody({ name: chosenName() });
