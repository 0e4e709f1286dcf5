import { Command, InvalidArgumentError } from 'commander';
import { type AuditEntry, auditEntries, deleteAuditBefore } from '../db/audit.ts';
import { transaction } from '../db/pool.ts';
import { parseDate, parseDateTime } from '../kernel/time.ts';
import { output } from './output.ts';
import { withDatabase } from './with-database.ts';

const PAGE = 1_000;
const KEPT_DAYS = 90;
const DAY_MS = 86_400_000;

function moment(text: string): Date {
  const [, days] = /^(\d{1,5})d$/.exec(text) ?? [];
  if (days) return new Date(Date.now() - Number(days) * DAY_MS);
  const seconds = parseDateTime(text) ?? parseDate(text);
  if (seconds !== undefined) return new Date(seconds * 1000);
  throw new InvalidArgumentError('A date, date-time or number of days is needed, like 2026-11-23 or 30d.');
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
    .option(
      '--since <time>',
      'a date, date-time or number of days ago, like 2026-11-23 or 7d (default: 30d)',
      moment,
    )
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
