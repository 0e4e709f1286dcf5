/** The files of the explorer are there on the gateway; the sources that Vite serves are not. */
const OWN_PATH = /^(.*)\/assets\/explorer\/[^/]+$/;
const application = document.querySelector<HTMLScriptElement>('script[src]')?.src ?? location.href;
const filesAt = OWN_PATH.exec(new URL(application).pathname)?.[1] ?? '';

/**
 * The path below which the gateway is served, such as `/stake`, or nothing. Taken from where the application is. A page
 * that was opened beside that path, as by an address within the machine, is at the root.
 */
export const base = `${location.pathname}/`.startsWith(`${filesAt}/`) ? filesAt : '';

/** The address of a path of the gateway, for whatever is not a link of the router. */
export const at = (path: string) => base + path;
