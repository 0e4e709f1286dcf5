/** What the gateway calls its explorer: EXPLORER_TITLE, which it writes into the page. */
export const brand =
  document.querySelector<HTMLMetaElement>('meta[name="application-name"]')?.content || 'stakegraph';

/** In the title of a page. */
export const titled = (page: string) => `${page} · ${brand}`;

/** Stake that grows from block to block. */
export const Mark = () => (
  <svg className="mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
    <rect width="24" height="24" rx="6" fill="var(--accent)" />
    <path
      d="M5.5 16.5 10 12l3.5 2.5 5-6.5"
      fill="none"
      stroke="var(--on-accent)"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
    />
    <circle cx="18.5" cy="8" r="2.1" fill="var(--on-accent)" />
    <circle cx="5.5" cy="16.5" r="1.6" fill="var(--on-accent)" />
  </svg>
);
