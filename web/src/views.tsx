import { type ToggleEvent, useRef, useState } from 'react';
import { loadFiles } from './api/files.ts';
import { token } from './api/token.ts';
import type { ViewsMenu } from './views-menu.tsx';

/** A button of the head that opens the saved views of the account; their menu is loaded then. */
export function Views() {
  const [open, setOpen] = useState(false);
  const [Menu, setMenu] = useState<typeof ViewsMenu>();
  const card = useRef<HTMLDivElement>(null);
  const toggle = ({ newState }: ToggleEvent<HTMLElement>) => {
    setOpen(newState === 'open');
    if (token())
      void loadFiles(
        () => import('./views-menu.tsx'),
        () => location.href,
      ).then(
        (file) => setMenu(() => file.ViewsMenu),
        () => undefined, // the next toggle tries again
      );
  };
  return (
    <div className="views">
      <button type="button" className="quiet" popoverTarget="views" aria-label="Saved views">
        <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
          <path
            d="M4 2h8v12l-4-3-4 3z"
            fill="none"
            stroke="currentColor"
            strokeWidth="1.5"
            strokeLinejoin="round"
          />
        </svg>
      </button>
      <div id="views" className="card" popover="auto" ref={card} onToggle={toggle}>
        {!token() && (
          <p>
            Views are saved on the gateway, for the account of your token. Sign in to save the address of a
            page and to open those that you have saved.
          </p>
        )}
        {open && Menu && <Menu close={() => card.current?.hidePopover()} />}
      </div>
    </div>
  );
}
