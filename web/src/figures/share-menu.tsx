import { savePlot } from './save-plot.ts';

type Props = { figure: HTMLElement; title: string; hasPlot: boolean };

/** What can be done with a card, loaded when it is asked for. */
export function ShareMenu({ figure, title, hasPlot }: Props) {
  return (
    <ul>
      {hasPlot &&
        (['png', 'svg'] as const).map((kind) => (
          <li key={kind}>
            <button type="button" onClick={() => void savePlot(figure, title, kind)}>
              Save as {kind.toUpperCase()}
            </button>
          </li>
        ))}
    </ul>
  );
}
