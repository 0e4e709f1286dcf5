/**
 * What the files of this folder have in place of React and its router (vite.config.ts): the components that they draw make
 * elements at once, and are never drawn again. Of hooks, it has what those components call.
 */
type Child = Node | string | number | boolean | null | undefined | readonly Child[];
type Props = { children?: Child } & Record<string, unknown>;

const SVG = 'http://www.w3.org/2000/svg';
const ofSvg = ['svg', 'polygon', 'polyline'];
const names: Record<string, string> = { className: 'class', vectorEffect: 'vector-effect' };

export const nodesOf = (child: Child): (Node | string)[] => {
  if (Array.isArray(child)) return child.flatMap(nodesOf);
  if (child === null || child === undefined || typeof child === 'boolean') return [];
  return [child instanceof Node ? child : String(child)];
};

export const Fragment = ({ children }: Props): Child => children;

export function jsx(type: string | ((props: Props) => Child), props: Props): Child {
  if (typeof type === 'function') return type(props);
  const { children, style, ...attributes } = props;
  const made = ofSvg.includes(type) ? document.createElementNS(SVG, type) : document.createElement(type);
  for (const [name, value] of Object.entries(attributes))
    if (
      value !== null &&
      value !== undefined &&
      value !== false &&
      typeof value !== 'function' &&
      name !== 'ref'
    )
      made.setAttribute(names[name] ?? name, String(value));
  for (const [name, value] of Object.entries(style ?? {})) made.style.setProperty(name, String(value)); // names as in CSS: those of one word, and custom ones
  made.append(...nodesOf(children));
  return made;
}
export const jsxs = (type: Parameters<typeof jsx>[0], props: Props): Child => jsx(type, props);

// From React
export const Children = { toArray: nodesOf };
export const useMemo = <T>(make: () => T): T => make();
export const useCallback = <T>(given: T): T => given;
export const useRef = (current: unknown) => ({ current });
export const useEffect = () => undefined;

// From React Router. Links would load a whole page before the application is there: they are text until then.
export const Link = ({ children, className, title }: Props): Child =>
  jsx('span', { className, title, children });
export const useLocation = () => location;
export const useSearchParams = () => [new URLSearchParams(location.search)];
export const useNavigate = () => undefined;
export const matchPath = () => null;
