/** Facts that `retain` can drop, with the fewest days that must be kept, and why. */
const retainable = {
  'validator-days': { least: 90, needs: 'windows and APR are computed from 90 days' },
  'attestation-days': { least: 31, needs: 'networkOverview reads 30 days' },
  'attestation-hours': { least: 2, needs: 'the newest hours are still being written' },
  'operator-history': { least: 61, needs: 'changes within 30 days compare with days up to 60 days ago' },
  'stake-authority-history': {
    least: 61,
    needs: 'changes within 30 days compare with days up to 60 days ago',
  },
  'solana-stake-authority-epochs': { least: 31, needs: 'windows of 30 days are computed from them' },
  blocks: { least: 31, needs: 'windows of 30 days are computed from them' },
  'sync-committee-rewards': { least: 2, needs: 'the newest slots are still being written' },
  'network-rewards': { least: 2, needs: 'the newest days are still being written' },
} as const satisfies Record<string, { least: number; needs: string }>;

export type Retainable = keyof typeof retainable;
export const retainables = Object.keys(retainable) as Retainable[];
/** Days to keep. */
export type Ages = Partial<Record<Retainable, number>>;

const MOST = 36_500;

export function ageOf(dataset: Retainable, text: string): number | string {
  const { least, needs } = retainable[dataset];
  const given = /^(\d+)d$/.exec(text)?.[1];
  if (!given)
    return `${dataset} is ${JSON.stringify(text)}; it needs a number of days with a d, like 400d, and at least ${least}d`;
  const days = Number(given);
  if (days >= least && days <= MOST) return days;
  return `${dataset} needs a number of days from ${least}d to ${MOST}d, because ${needs}`;
}

/** Reads items like `validator-days=400d`. Returns a message if the text is refused. */
export function agesOf(items: readonly string[]): Ages | string {
  const ages: Ages = {};
  for (const item of items) {
    const [name, age = '', ...rest] = item.split('=');
    const dataset = retainables.find((one) => one === name);
    if (!dataset || rest.length > 0)
      return `comma-separated dataset=days is needed, like validator-days=400d; datasets: ${retainables.join(', ')}`;
    if (ages[dataset] !== undefined) return `${dataset} is given twice`;
    const days = ageOf(dataset, age);
    if (typeof days === 'string') return days;
    ages[dataset] = days;
  }
  return items.length > 0 ? ages : 'it names no dataset';
}
