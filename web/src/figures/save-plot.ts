/** Saves a plot as a picture that stands alone: with its title, legend and source, in the colours of the theme. */
import { brand } from '../brand.tsx';
import { save } from './save.ts';

const SVG = 'http://www.w3.org/2000/svg';
const [EDGE, TITLE, LINE] = [16, 18, 22];
const FONT = 'system-ui, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';
/** Pictures are put into slides and printed. */
const PIXELS_A_POINT = 2;

function element(name: string, attributes: Record<string, string | number>, text?: string) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  if (text !== undefined) made.textContent = text;
  return made;
}

/** A copy whose colours do not depend on the style sheets of the page. */
function copyOf(svg: SVGSVGElement) {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const copies = [copy, ...copy.querySelectorAll('*')];
  for (const [index, shown] of [svg, ...svg.querySelectorAll('*')].entries()) {
    const style = getComputedStyle(shown);
    for (const name of ['fill', 'stroke'] as const)
      if (/var\(|currentColor/i.test(shown.getAttribute(name) ?? ''))
        copies[index]?.setAttribute(name, style[name]);
  }
  for (const style of copy.querySelectorAll('style')) style.remove();
  for (const name of ['class', 'style', 'role']) copy.removeAttribute(name);
  return copy;
}

/** The plot of a figure with its legend and text, as a picture. */
function pictureOf(figure: HTMLElement, title: string) {
  const svg = figure.querySelector<SVGSVGElement>('.plot svg');
  if (!svg) return undefined;
  const { color, backgroundColor } = getComputedStyle(figure);
  const { width, height } = svg.viewBox.baseVal;
  const legend = [...figure.querySelectorAll<HTMLElement>('.legend li')];
  const top = EDGE + TITLE + (legend.length > 0 ? LINE : 0) + 8;
  const whole = { width: width + 2 * EDGE, height: top + height + LINE + EDGE };
  const picture = element('svg', {
    xmlns: SVG,
    viewBox: `0 0 ${whole.width} ${whole.height}`,
    ...whole,
    fill: color,
    'font-family': FONT,
    'font-size': 12,
  });
  picture.append(
    element('rect', { ...whole, fill: backgroundColor }),
    element('text', { x: EDGE, y: EDGE + 14, 'font-size': 16, 'font-weight': 600 }, title),
  );
  let left = EDGE;
  for (const item of legend) {
    const { backgroundColor: fill } = getComputedStyle(item, '::before');
    const y = EDGE + TITLE + 6;
    picture.append(
      element('rect', { x: left, y, width: 12, height: 12, rx: 3, fill }),
      element('text', { x: left + 18, y: y + 10 }, item.textContent ?? ''),
    );
    left += item.getBoundingClientRect().width + 16;
  }
  const copy = copyOf(svg);
  for (const [name, value] of Object.entries({ x: EDGE, y: top, width, height, color, overflow: 'visible' }))
    copy.setAttribute(name, String(value));
  const asOf = document.querySelector('.as-of time')?.textContent;
  const source = asOf ? `${brand}, data as of ${asOf}` : brand;
  picture.append(copy, element('text', { x: EDGE, y: whole.height - EDGE, opacity: 0.7 }, source));
  return { text: new XMLSerializer().serializeToString(picture), ...whole };
}

async function pngOf({ text, width, height }: { text: string; width: number; height: number }) {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  await image.decode();
  const canvas = Object.assign(document.createElement('canvas'), {
    width: width * PIXELS_A_POINT,
    height: height * PIXELS_A_POINT,
  });
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise<Blob | null>((done) => canvas.toBlob(done, 'image/png'));
}

export async function savePlot(figure: HTMLElement, title: string, kind: 'png' | 'svg') {
  const picture = pictureOf(figure, title);
  if (!picture) return;
  const blob = kind === 'png' ? await pngOf(picture) : new Blob([picture.text], { type: 'image/svg+xml' });
  if (blob) save(title, kind, blob);
}
