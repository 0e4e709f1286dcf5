import { type RefObject, type ToggleEvent, useId, useState } from 'react';
import type { ShareMenu } from './share-menu.tsx';

type Menu = typeof ShareMenu;

const GAP = 4;

/** Below its button, with the same right edge. */
function place(menu: HTMLElement, button: HTMLElement) {
  const { bottom, right } = button.getBoundingClientRect();
  const top = Math.min(bottom + GAP, innerHeight - menu.offsetHeight - GAP);
  Object.assign(menu.style, { top: `${top}px`, right: `${document.documentElement.clientWidth - right}px` });
}

/** A button that opens what can be done with a card; that is loaded then. */
export function Share({
  of,
  title,
  hasPlot,
}: Omit<Parameters<Menu>[0], 'figure'> & { of: RefObject<HTMLElement | null> }) {
  const id = useId();
  const [Menu, setMenu] = useState<Menu>();
  const [isOpen, setOpen] = useState(false);
  const toggle = (event: ToggleEvent<HTMLElement>) => {
    setOpen(event.newState === 'open');
    const { currentTarget: menu } = event;
    const button = menu.previousElementSibling as HTMLElement;
    place(menu, button);
    void import('./share-menu.tsx').then(
      ({ ShareMenu }) => {
        setMenu(() => ShareMenu);
        requestAnimationFrame(() => place(menu, button));
      },
      () => undefined,
    );
  };
  return (
    <>
      <button type="button" popoverTarget={id} aria-label={`Share ${title}`}>
        Share
      </button>
      <div id={id} className="share-menu" popover="auto" onToggle={toggle}>
        {isOpen && Menu && of.current && <Menu figure={of.current} title={title} hasPlot={hasPlot} />}
      </div>
    </>
  );
}
