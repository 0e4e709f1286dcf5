// Medians, ratios and slopes, and the tables that show them.

export function median(values) {
  const sorted = values.filter((value) => value !== null).sort((a, b) => a - b);
  if (sorted.length === 0) return null;
  const middle = sorted.length >> 1;
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** How cost grows with what it is measured against: 0 when it stays, 1 when it doubles with it (least squares of logs). */
export function slope(points) {
  const logs = points.map(([x, cost]) => [Math.log(x), Math.log(cost)]);
  const mean = (index) => logs.reduce((sum, point) => sum + point[index], 0) / logs.length;
  const [x, y] = [mean(0), mean(1)];
  const over = logs.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0);
  return over / logs.reduce((sum, point) => sum + (point[0] - x) ** 2, 0);
}

const round = (value, digits = 0) => (value === null ? null : Number(value.toFixed(digits)));

/** The medians of the rounds of one contender and case; `base` has the rounds of what it is compared with. */
export function summary(rounds, base) {
  const of = (name) => median(rounds.map((round) => round[name]));
  const perAnswer = (name) =>
    median(
      rounds.map((round) =>
        round[name] === null ? null : (round[name] * 1_000) / Math.max(1, round.answers),
      ),
    );
  return {
    'answers/s': round(of('rate')),
    // of the same round, so that what else the machine does meanwhile falls on both sides
    ratio: round(median(rounds.map((one, index) => base[index].rate / one.rate)), 2),
    'p50 ms': round(of('p50'), 2),
    'p99 ms': round(of('p99'), 2),
    'CPU µs': round(perAnswer('cpu')),
    'Postgres µs': round(perAnswer('databaseCpu')),
    failed: rounds.reduce((sum, one) => sum + Object.values(one.failures).reduce((a, b) => a + b, 0), 0),
  };
}

/** A Markdown table of rows with the same keys. */
export function markdown(rows) {
  if (rows.length === 0) return '';
  const names = Object.keys(rows[0]);
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [
    line(names),
    line(names.map((_, index) => (index ? '---:' : '---'))),
    ...rows.map((row) => line(names.map((name) => row[name] ?? ''))),
  ].join('\n');
}
