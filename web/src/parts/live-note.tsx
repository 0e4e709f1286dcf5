import type { Live } from '../api/live.ts';
import { changeToken } from '../api/token.ts';

/** Whether the rows of a figure are followed, and why they are followed no longer. */
export function LiveNote({ of: { isLive, ended, resume }, rows }: { of: Live; rows: string }) {
  if (ended)
    return (
      <span className="live ended" role="alert">
        No longer live: {ended.message}{' '}
        {ended.kind === 'token' ? (
          <button type="button" onClick={() => changeToken(null)}>
            Use another token
          </button>
        ) : (
          <button type="button" onClick={resume}>
            Follow again
          </button>
        )}
      </span>
    );
  return (
    <span className="live" data-live={isLive} role="status">
      {isLive ? `Live: ${rows} appear as they are stored.` : 'As of when the page was opened.'}
    </span>
  );
}
