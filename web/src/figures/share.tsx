import { type RefObject, type ToggleEvent, useEffect, useId, useState } from 'react';
import type { ShareMenu } from './share-menu.tsx';

type Menu = typeof ShareMenu;

const GAP = 4;

/** Below its button, with the same right edge. */
function place(menu: HTMLElement) {
  const { bottom, right } = (menu.previousElementSibling as HTMLElement).getBoundingClientRect();
  const top = Math.min(bottom + GAP, innerHeight - menu.offsetHeight - GAP);
  Object.assign(menu.style, { top: `${top}px`, right: `${document.documentElement.clientWidth - right}px` });
}

/** A button that opens what can be done with a card; that is loaded then. */
export function Share({
  of,
  ...card
}: Omit<Parameters<Menu>[0], 'figure'> & { of: RefObject<HTMLElement | null> }) {
  const id = useId();
  const [Menu, setMenu] = useState<Menu>();
  const [open, setOpen] = useState<HTMLElement>();
  const toggle = ({ newState, currentTarget }: ToggleEvent<HTMLElement>) => {
    setOpen(newState === 'open' ? currentTarget : undefined);
    void import('./share-menu.tsx').then(
      ({ ShareMenu }) => setMenu(() => ShareMenu),
      () => undefined,
    );
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: its height is known once it has its menu
  useEffect(() => open && place(open), [open, Menu]);
  return (
    <>
      <button type="button" popoverTarget={id} aria-label={`Share ${card.title}`}>
        Share
      </button>
      <div id={id} className="share-menu" popover="auto" onToggle={toggle}>
        {open && Menu && of.current && <Menu figure={of.current} {...card} />}
      </div>
    </>
  );
}

/** How long the plots above a card may take, which move it. */
const MOVES_MS = 3_000;

/** Scrolls to the card that a link names when it is there, and until the reader does something. */
export function useLinked(of: RefObject<HTMLElement | null>, anchor: string) {
  useEffect(() => {
    const { current: card } = of;
    const main = card?.closest('main');
    if (!card || !main || decodeURIComponent(location.hash.slice(1)) !== anchor) return;
    card.dataset.linked = '';
    const watch = new ResizeObserver(() => card.scrollIntoView());
    watch.observe(main);
    const stop = () => watch.disconnect();
    for (const name of ['wheel', 'pointerdown', 'keydown']) addEventListener(name, stop, { once: true });
    setTimeout(stop, MOVES_MS);
    return stop;
  }, [of, anchor]);
}
