import type { ReactNode } from 'react';
import type { Place } from '../../page.tsx';
import { nodesOf } from './dom.ts';

export type Draw = (data: object, place: Place) => void;

/** Shows what a page begins with until the application is there; nothing if the page begins otherwise. */
export const drawing =
  <Data extends object>(show: (data: Data, place: Place) => ReactNode): Draw =>
  (data, place) => {
    const nodes = nodesOf(show(data as Data, place) as never);
    const element = document.querySelector('#first');
    if (nodes.length === 0 || !element) return;
    element.replaceChildren(...nodes);
    element.setAttribute('data-drawn', '');
  };
