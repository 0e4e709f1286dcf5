import { z } from 'zod';

/** The backgrounds in `web/src/styles.css` on which text of this colour is hardest to read, in the light and dark theme. */
const backgrounds = ['#eeeff5', '#1c222e'] as const;
/** Of WCAG 2.2, level AA. */
const LEAST_CONTRAST = 4.5;

const isColor = (text: string) => /^#[\da-f]{6}$/i.test(text);

function luminanceOf(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((start) => Number.parseInt(color.slice(start, start + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrastOf(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

/** Two colours, of links and buttons in the light and in the dark theme. */
export const themeColors = z.string().transform((text, context) => {
  const fault = (message: string) => {
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  };
  const colors = text.split(',').map((color) => color.trim().toLowerCase());
  const [light, dark, ...others] = colors;
  if (!light || !dark || others.length > 0 || !colors.every(isColor))
    return fault('two colours like #3d4ed8,#9aa8ff are needed, for the light and the dark theme');
  for (const [index, color] of [light, dark].entries()) {
    const background = backgrounds[index] as string;
    const contrast = contrastOf(color, background);
    if (contrast < LEAST_CONTRAST)
      return fault(
        `${color} has a contrast of ${contrast.toFixed(1)} on the ${index === 0 ? 'light' : 'dark'} background ${background}, but ${LEAST_CONTRAST} is needed to be read`,
      );
  }
  return { light, dark };
});
