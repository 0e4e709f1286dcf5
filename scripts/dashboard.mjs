// Prints what each query of deploy/grafana/stakegraph.json returns from a Prometheus:
//   node scripts/dashboard.mjs http://127.0.0.1:9090
import { readFileSync } from 'node:fs';

const [base] = process.argv.slice(2);
if (!base) {
  console.error('The address of a Prometheus is needed, like http://127.0.0.1:9090.');
  process.exit(2);
}
const dashboard = JSON.parse(readFileSync(new URL('../deploy/grafana/stakegraph.json', import.meta.url)));
for (const { title, targets = [] } of dashboard.panels) {
  for (const { expr, legendFormat } of targets) {
    const query = expr.replaceAll('$__rate_interval', '1m').replaceAll('$network', '.*');
    const response = await fetch(`${base}/api/v1/query?${new URLSearchParams({ query })}`);
    const { status, error, data } = await response.json();
    if (status !== 'success') {
      console.log(`${title}: ${query}\n  fault: ${error}`);
      process.exitCode = 1;
      continue;
    }
    console.log(`${title}: ${query}`);
    for (const { metric, value } of data.result) {
      const legend = legendFormat.replace(/\{\{(\w+)\}\}/g, (_, name) => metric[name] ?? '').trim();
      console.log(`  ${legend} = ${value[1]}`);
    }
    if (data.result.length === 0) console.log('  no series');
  }
}
