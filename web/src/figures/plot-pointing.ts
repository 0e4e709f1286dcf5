/**
 * What the pointer does in plots over time, loaded when it first comes to one: all plots of a page point at the same time,
 * and the part that is dragged over becomes the range of the page.
 */
import { type PlotOverTime, plotsOverTime } from './plots.ts';

const LEAST_PIXELS = 8;
const DAY_MS = 86_400_000;
const beginOf = ({ time }: PlotOverTime, row: unknown) => time.date(row).getTime();
const svgOf = ({ drawn }: PlotOverTime) => drawn as unknown as SVGSVGElement;
const scaleOf = ({ drawn }: PlotOverTime) => drawn.scale('x');
/** Pixels from the left edge of the plot to the period that begins at `begin`. */
const pixelOf = (plot: PlotOverTime, begin: number) =>
  Number(scaleOf(plot)?.apply(new Date(begin + plot.time.offset)));

let isPassedOn = false;

/** Observable Plot follows events of the pointer, so the other plots of the page get some as well. */
function passOn(from: PlotOverTime) {
  if (isPassedOn) return;
  const { value } = from.drawn as { value?: unknown };
  isPassedOn = true;
  for (const other of plotsOverTime.values()) {
    if (other === from) continue;
    const svg = svgOf(other);
    const { left, top, height } = svg.getBoundingClientRect();
    const pixel = from.rows.includes(value) ? pixelOf(other, beginOf(from, value)) : -1;
    const [first = 0, last = 0] = (scaleOf(other)?.range ?? []) as number[];
    svg.dispatchEvent(
      new PointerEvent(pixel >= first && pixel <= last ? 'pointermove' : 'pointerleave', {
        pointerType: 'mouse',
        clientX: left + pixel,
        clientY: top + height / 2,
      }),
    );
  }
  isPassedOn = false;
}

const isoDate = (time: number) => new Date(time).toISOString().slice(0, 10);

/** The first and the last date of the periods whose points are between two pixels. */
function datesBetween(plot: PlotOverTime, left: number, right: number) {
  const begins = [...new Set(plot.rows.map((row) => beginOf(plot, row)))].sort((one, other) => one - other);
  const chosen = begins.filter((begin) => pixelOf(plot, begin) >= left && pixelOf(plot, begin) <= right);
  const [first, last] = [chosen[0], chosen.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const index = begins.indexOf(last);
  const next = begins[index + 1] ?? last + (last - (begins[index - 1] ?? last - DAY_MS));
  return { from: isoDate(first), to: isoDate(Math.max(last, next - DAY_MS)) };
}

/** Whether the range of the page can be two dates, which dragging in a plot needs. */
const hasDates = () => document.querySelector('main .dates') !== null;

type Zoom = (from: string, to: string) => unknown;

function letDrag(frame: HTMLElement, zoom: Zoom) {
  let start: PointerEvent | undefined;
  let band: HTMLElement | undefined;
  const edges = (event: PointerEvent) => {
    const { left } = frame.getBoundingClientRect();
    const ends = [(start?.clientX ?? 0) - left, event.clientX - left].sort((one, other) => one - other);
    return ends as [number, number];
  };
  const end = () => {
    band?.remove();
    [start, band] = [undefined, undefined];
  };
  frame.addEventListener(
    'pointerdown',
    (event) => {
      const isOther = !event.isTrusted || event.pointerType === 'touch' || event.button !== 0;
      if (isOther || !hasDates() || (event.target as Element).closest('a')) return;
      start = event;
      event.stopPropagation(); // until it is known to be a click, which lets the plot stay as it is
    },
    { capture: true },
  );
  frame.addEventListener('pointermove', (event) => {
    if (!start || (!band && Math.abs(event.clientX - start.clientX) < LEAST_PIXELS)) return;
    if (!band) {
      band = document.createElement('div');
      band.className = 'band';
      frame.append(band);
      frame.setPointerCapture(event.pointerId);
    }
    const [left, right] = edges(event);
    Object.assign(band.style, { left: `${left}px`, width: `${right - left}px` });
  });
  frame.addEventListener('pointerup', (event) => {
    const plot = plotsOverTime.get(frame);
    const isClick = start && !band;
    const dates = plot && band && datesBetween(plot, ...edges(event));
    const { clientX, clientY } = event;
    end();
    if (plot && isClick)
      svgOf(plot).dispatchEvent(
        new PointerEvent('pointerdown', { pointerType: 'mouse', clientX, clientY, bubbles: true }),
      );
    if (dates) zoom(dates.from, dates.to);
  });
  frame.addEventListener('pointercancel', end);
  document.addEventListener('keydown', ({ key }) => key === 'Escape' && end());
}

const known = new WeakSet<HTMLElement>();

/** Lets the pointer do this in a plot; once. */
export function pointing(frame: HTMLElement, zoom: Zoom) {
  if (known.has(frame)) return;
  known.add(frame);
  const share = () => {
    const plot = plotsOverTime.get(frame);
    if (plot) passOn(plot);
  };
  frame.addEventListener('input', share);
  letDrag(frame, zoom);
  share(); // the pointer is at a period already
}
