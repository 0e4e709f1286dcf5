import type { blocksQuery } from '../__generated__/blocksQuery.graphql';
import { columns } from '../pages/blocks/blocks-columns.tsx';
import { drawing } from './parts/draw.tsx';
import { list } from './parts/list.tsx';

export const draw = drawing<blocksQuery['response']>(({ blocks }) =>
  list('Slots', columns, blocks?.nodes ?? []),
);
