import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { project } from '../support/process.ts';

export const rulesFile = join(project, 'deploy/prometheus/alerts.yml');
const dashboardFile = join(project, 'deploy/grafana/stakegraph.json');

type Rule = { alert: string; expr: string };
type Panel = { title: string; targets?: { expr: string }[] };

export const alerts = parse(readFileSync(rulesFile, 'utf8')).groups.flatMap(
  ({ rules }: { rules: Rule[] }) => rules,
) as Rule[];
const { panels } = JSON.parse(readFileSync(dashboardFile, 'utf8')) as { panels: Panel[] };

/** Each query of the rules and the dashboard, with the values that Grafana would set. */
export const expressions: [where: string, expr: string][] = [
  ...alerts.map(({ alert, expr }): [string, string] => [alert, expr]),
  ...panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }, at): [string, string] => [
      `panel ${title} ${at}`,
      expr.replaceAll('$__rate_interval', '1m').replaceAll('$network', '.*'),
    ]),
  ),
];

/** Metrics that an expression names, and for each the labels that it matches or groups by. */
export function namesIn(expr: string): { metrics: string[]; labels: string[] } {
  const labels: string[] = [];
  const take = (list: string) => void labels.push(...list.split(',').map((one) => one.trim()));
  const bare = expr
    .replace(/"[^"]*"/g, '""')
    .replace(/\[[^\]]*\]/g, ' ')
    .replace(/\{([^}]*)\}/g, (_, matchers: string) => {
      take(matchers.replace(/\s*(=~|!=|!~|=)\s*""/g, ''));
      return ' ';
    })
    .replace(/\b(?:by|on|without|ignoring)\s*\(([^)]*)\)/g, (_, list: string) => {
      take(list);
      return ' ';
    });
  const words = [...bare.matchAll(/[a-zA-Z_:][\w:]*(?!\w*\s*\()/g)].map(([word]) => word);
  const operators = new Set(['and', 'or', 'unless', 'by', 'on', 'without', 'bool', 'offset']);
  return {
    metrics: words.filter((word) => !operators.has(word)),
    labels: [...new Set(labels.filter(Boolean))],
  };
}
