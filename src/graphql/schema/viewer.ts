import { type Tier, tiers } from '../../accounts/tiers.ts';
import type { Context } from '../../context.ts';
import { builder } from './builder.ts';

const tierText: Record<Tier, string> = {
  free: 'Free, with an allowance for life.',
  starter: 'Starter.',
  build: 'Build.',
  growth: 'Growth.',
  enterprise: 'Enterprise: no limits except those set on the account.',
};
const TierEnum = builder.enumType('Tier', {
  description: 'A tier of accounts.',
  values: Object.fromEntries(
    tiers.map((value) => [value.toUpperCase(), { value, description: tierText[value] }]),
  ) as Record<string, { value: Tier; description: string }>,
});

const PeriodEnum = builder.enumType('UsagePeriod', {
  description: 'The period of an allowance.',
  values: {
    MONTH: { value: 'month', description: 'A calendar month, UTC.' },
    LIFE: { value: 'life', description: "The account's life." },
  } as const,
});

const digits = (value: number | null) => (value === null ? null : String(value));

const RateLimitType = builder.objectRef<{ limit: number; remaining: number }>('RateLimit').implement({
  description: 'Rate limit of an account.',
  fields: (t) => ({
    requestsPerSecond: t.int({ description: 'Requests per second, >= 1.', resolve: ({ limit }) => limit }),
    remaining: t.int({
      description: 'Requests left in this second after this one, >= 0.',
      resolve: ({ remaining }) => remaining,
    }),
  }),
});

const UsageType = builder.objectRef<ReturnType<Context['metering']['standing']>>('Usage').implement({
  description:
    'What an account used of its allowance, in compute units. Excludes this query and the last seconds of other replicas.',
  fields: (t) => ({
    period: t.expose('period', {
      type: PeriodEnum,
      description: 'Time of the allowance.',
    }),
    unitsUsed: t.field({
      type: 'BigInt',
      description:
        'Units used in the period, >= 0; may exceed unitsAllowed by the cost of the last responses.',
      resolve: (row) => String(row.unitsUsed),
    }),
    unitsAllowed: t.field({
      type: 'BigInt',
      nullable: true,
      description: 'Units of the period, >= 0; null without a limit.',
      resolve: (row) => digits(row.unitsAllowed),
    }),
    unitsRemaining: t.field({
      type: 'BigInt',
      nullable: true,
      description: 'Units left, >= 0; null without a limit.',
      resolve: (row) => digits(row.unitsRemaining),
    }),
    resetsAt: t.expose('resetsAt', {
      type: 'DateTime',
      nullable: true,
      description: "When the next period begins; null for an account's life.",
    }),
    requests: t.field({
      type: 'BigInt',
      description:
        'Requests answered in the period, >= 0; those refused with 401, 402 and 429 are not counted.',
      resolve: (row) => String(row.requests),
    }),
  }),
});

const Viewer = builder.objectRef<Context>('Viewer').implement({
  description: 'The account of the token.',
  fields: (t) => ({
    account: t.string({ description: 'Name of the account.', resolve: ({ caller }) => caller.account }),
    tier: t.field({ type: TierEnum, description: 'Its tier.', resolve: ({ caller }) => caller.tier }),
    rateLimit: t.field({
      type: RateLimitType,
      nullable: true,
      description: 'Its rate limit; null without one.',
      resolve: ({ caller: { rateLimit }, metering: { rateRemaining } }) =>
        rateLimit === undefined ? null : { limit: rateLimit, remaining: rateRemaining ?? rateLimit },
    }),
    usage: t.field({
      type: UsageType,
      description: 'What it used of its allowance.',
      resolve: ({ metering }) => metering.standing(),
    }),
  }),
});

builder.queryField('viewer', (t) =>
  t.field({
    type: Viewer,
    description:
      'The account of the token, with what is left of its rate limit and allowance. Costs no compute units.',
    extensions: { operation: 'viewer' },
    resolve: (_root, _args, ctx) => {
      ctx.trace.isPrivate = true;
      return ctx;
    },
  }),
);
