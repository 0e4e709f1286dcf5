import { Command, InvalidArgumentError } from 'commander';
import { type AuditEntry, auditEntries, deleteAuditBefore } from '../db/audit.ts';
import { transaction } from '../db/pool.ts';
import { DAY_MS, parseDate, parseDateTime } from '../kernel/time.ts';
import { output } from './output.ts';
import { withDatabase } from './with-database.ts';

const PAGE = 1_000;
const KEPT_DAYS = 90;
const unitMs = { m: 60_000, h: 3_600_000, d: DAY_MS };

function moment(text: string): Date {
  const [, count, unit] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  if (unit) return new Date(Date.now() - Number(count) * unitMs[unit as keyof typeof unitMs]);
  const seconds = parseDateTime(text) ?? parseDate(text);
  if (seconds !== undefined) return new Date(seconds * 1000);
  throw new InvalidArgumentError(
    'A date, a date-time with its zone, or an age is needed, like 2026-11-23, 2026-11-23T10:00:00Z, 12h or 30d.',
  );
}

function old(text: string): Date {
  const before = moment(text);
  if (before.getTime() <= Date.now() - KEPT_DAYS * DAY_MS) return before;
  throw new InvalidArgumentError(`Entries of the last ${KEPT_DAYS} days cannot be removed.`);
}

const lineOf = ({ at, actorType, actor, action, subject, details }: AuditEntry) =>
  `${at}  ${actorType} ${actor}  ${action}  ${subject}  ${JSON.stringify(details)}\n`;

export const auditCommand = (): Command =>
  new Command('audit')
    .description('show who changed accounts, tokens, private sets, data and the schema, oldest first')
    .option('--since <time>', 'a date, date-time or age, like 2026-11-23, 12h or 7d (default: 30d)', moment)
    .option('--delete-before <time>', `instead, remove entries older than this, at least ${KEPT_DAYS}d`, old)
    .option('--json', 'each entry as a line of JSON')
    .action((flags: { since?: Date; deleteBefore?: Date; json?: boolean }) =>
      withDatabase(async ({ write }) => {
        const { deleteBefore, json } = flags;
        if (deleteBefore) {
          const removed = await transaction(write, (client) => deleteAuditBefore(client, deleteBefore));
          process.stdout.write(json ? `${JSON.stringify({ removed })}\n` : `${removed} entries removed\n`);
          return;
        }
        const since = flags.since ?? moment('30d');
        for (let after = 0, full = true; full && !output.closed; ) {
          const entries = await auditEntries(write, since, after, PAGE);
          for (const entry of entries)
            process.stdout.write(json ? `${JSON.stringify(entry)}\n` : lineOf(entry));
          after = entries.at(-1)?.id ?? after;
          full = entries.length === PAGE;
        }
      }),
    );
