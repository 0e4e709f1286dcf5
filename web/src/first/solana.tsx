import type { solanaQuery } from '../__generated__/solanaQuery.graphql';
import { tilesOf } from '../pages/solana/solana-tiles.tsx';
import { TileList } from '../parts/tiles.tsx';
import { drawing } from './parts/draw.tsx';

export const draw = drawing<solanaQuery['response']>(
  ({ solanaNetworkOverview: of }) => of && <TileList tiles={tilesOf(of, of.history?.nodes ?? [])} />,
);
