export type Box<T> = { item: T; x1: number; y1: number; x2: number; y2: number };

/** The longest side of the boxes of a row to its shortest, at worst. */
function worst(areas: readonly number[], side: number): number {
  const sum = areas.reduce((total, area) => total + area, 0);
  const thickness = sum / side;
  return Math.max(...areas.map((area) => Math.max(area / thickness ** 2, thickness ** 2 / area)));
}

/** Boxes as near to squares as they get, largest first (Bruls, Huizing, van Wijk: Squarified Treemaps). */
export function squarify<T>(
  items: readonly { item: T; value: number }[],
  width: number,
  height: number,
): Box<T>[] {
  const total = items.reduce((sum, { value }) => sum + value, 0);
  const rest = items
    .filter(({ value }) => value > 0)
    .map(({ item, value }) => ({ item, area: (value / total) * width * height }));
  const boxes: Box<T>[] = [];
  let [x, y, wide, high] = [0, 0, width, height];
  while (rest.length > 0) {
    const side = Math.min(wide, high);
    let length = 1;
    const areas = (of: number) => rest.slice(0, of).map(({ area }) => area);
    while (length < rest.length && worst(areas(length + 1), side) <= worst(areas(length), side)) length++;
    const row = rest.splice(0, length);
    const thickness = row.reduce((sum, { area }) => sum + area, 0) / side;
    let along = 0;
    for (const { item, area } of row) {
      const extent = area / thickness;
      boxes.push(
        wide >= high
          ? { item, x1: x, x2: x + thickness, y1: y + along, y2: y + along + extent }
          : { item, x1: x + along, x2: x + along + extent, y1: y, y2: y + thickness },
      );
      along += extent;
    }
    if (wide >= high) [x, wide] = [x + thickness, wide - thickness];
    else [y, high] = [y + thickness, high - thickness];
  }
  return boxes;
}
