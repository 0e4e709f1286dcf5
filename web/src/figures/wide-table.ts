import { type RefObject, useEffect } from 'react';

/** The lowest point of the head of all pages, below which a table begins to be hidden. */
const hiddenAbove = () => {
  const head = document.querySelector('.top');
  return head && getComputedStyle(head).position === 'sticky' ? head.getBoundingClientRect().bottom : 0;
};

/**
 * Marks a table that fits into its frame, which then need not scroll, and else the sides to which it goes on. In a frame
 * that scrolls sideways, the heads of columns are moved into sight while the page is scrolled: for CSS, they stick to the
 * frame and not to the page.
 */
export function useWideTable(frame: RefObject<HTMLElement | null>) {
  useEffect(() => {
    const { current: element } = frame;
    const table = element?.querySelector('table');
    const heads = table?.tHead;
    if (!element || !table || !heads) return;
    const measure = () => {
      const hidden = table.offsetWidth - element.clientWidth;
      element.toggleAttribute('data-fits', hidden <= 1);
      element.toggleAttribute('data-before', hidden > 1 && element.scrollLeft > 1);
      element.toggleAttribute('data-after', hidden > 1 && element.scrollLeft < hidden - 1);
      moveHeads();
    };
    const moveHeads = () => {
      const { top, height } = element.getBoundingClientRect();
      const isBox = getComputedStyle(element).maxHeight !== 'none'; // the heads stick to it
      const most = height - 2 * heads.offsetHeight;
      const by =
        !isBox && !element.hasAttribute('data-fits') ? Math.max(0, Math.min(hiddenAbove() - top, most)) : 0;
      heads.style.transform = by > 0 ? `translateY(${by}px)` : '';
    };
    const watch = new ResizeObserver(measure);
    watch.observe(element);
    watch.observe(table);
    element.addEventListener('scroll', measure, { passive: true });
    addEventListener('scroll', moveHeads, { passive: true });
    return () => {
      watch.disconnect();
      element.removeEventListener('scroll', measure);
      removeEventListener('scroll', moveHeads);
    };
  });
}
