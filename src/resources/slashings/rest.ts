import { z } from 'zod';
import { dayOfEpoch } from '../../chain/calendar.ts';
import { param } from '../../chain/params.ts';
import type { Context } from '../../context.ts';
import { envelopeV0 } from '../../kernel/envelopes.ts';
import { badInput } from '../../kernel/refusal.ts';
import { relativeUrl, route } from '../../kernel/route.ts';
import { parseDate, parseDateTime } from '../../kernel/time.ts';
import { Slashing } from './record.ts';
import {
  epochFrom,
  LAST_START_DAY,
  SLASHINGS_SIZES,
  slashingCursors,
  slashings,
  slashingsFrom,
  totalSlashings,
} from './resolve.ts';

type Start = { text: string; day: number } | { text: string; seconds: number };

function readStart(text: string): Start | undefined {
  if (/^\d+$/.test(text)) return Number(text) <= LAST_START_DAY ? { text, day: Number(text) } : undefined;
  const seconds = parseDateTime(text) ?? parseDate(text);
  return seconds === undefined ? undefined : { text, seconds };
}

const list = route({
  path: '/v0/eth/slashings',
  operationId: 'listSlashings',
  tag: 'Slashings',
  summary: 'Slashed validators and their penalties',
  description:
    'All slashed validators, ascending by slashing epoch and validator index. `page.from` and `page.to` are chain days. Balances are in Gwei; those of a validator that is not yet withdrawable change with every refresh.',
  example: '/v0/eth/slashings?size=10',
  query: z.object({
    from: param.form<Start, { form: string; description: string; nullable: true; examples: unknown[] }>(
      {
        description:
          'First chain day, or first date-time (RFC 3339; a bare date means midnight UTC), inclusive.',
        form: `a chain day from 0 to ${LAST_START_DAY} or a date-time like 2024-03-31T00:00:00Z`,
        nullable: true,
        examples: [1216, '2024-03-31T00:00:00Z'],
      },
      { type: ['string', 'integer'] },
      readStart,
    ),
    size: param.size(SLASHINGS_SIZES),
    cursor: param.text({ description: 'Opaque position, from `next`.', nullable: true, max: 1024 }),
  }),
  reply: envelopeV0(Slashing),
  async handle(ctx: Context, { query }, call) {
    const start: Start = query.from ?? { text: '0', day: 0 };
    const list = slashingsFrom(ctx.network, epochFrom(ctx.network, start));
    const cursors = slashingCursors(list);
    const after = query.cursor === null ? undefined : cursors.read(query.cursor);
    if (query.cursor !== null && !after) {
      const msg =
        'cursor is not a cursor of this list; take it from the `next` of a response with the same `from`.';
      throw badInput([{ loc: ['query', 'cursor'], msg, type: 'cursor' }]);
    }
    const [page, total] = await Promise.all([
      slashings(ctx, list, { ...(after ? { after } : {}), limit: query.size }),
      totalSlashings(ctx, list),
    ]);
    const first = after ? (page.rows[0]?.slashingEpoch ?? Number(after.at)) : list.epochs.first;
    const dayOf = (epoch: number) => dayOfEpoch(ctx.network, 'chain', epoch);
    const from = dayOf(first);
    const last = page.rows.at(-1);
    const cursor = last && page.hasNext ? cursors.of(last) : null;
    return {
      body: {
        page: { from, to: last ? dayOf(last.slashingEpoch) : from, size: query.size },
        total,
        data: page.rows,
        next: cursor && relativeUrl(call.path, { from: start.text, size: query.size, cursor }),
      },
    };
  },
});

export const slashingRoutes = [list];
