import { cosmosChain } from './cosmos.ts';

export const babylon = cosmosChain({
  title: 'Babylon',
  prefix: 'bbn',
  token: 'BABY',
  exampleId: 'bbnvaloper154xu5xp9xza36mgn9n0dvgmm9mv3u0mjafh6gh',
});
