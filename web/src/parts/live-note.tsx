import type { Live } from '../api/live.ts';
import { changeToken } from '../api/token.ts';
import { ago } from './format.ts';

/** An index stores blocks after their epoch is final, which takes a quarter of an hour. */
const OLD_MS = 30 * 60_000;

/**
 * Whether the rows of a figure are followed, and why they are followed no longer. `newest` is when the newest one was made,
 * where that tells how new the data can be.
 */
export function LiveNote(props: { of: Live; rows: string; newest?: string | undefined }) {
  const {
    of: { isLive, ended, resume },
    rows,
    newest,
  } = props;
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
  const isOld = newest !== undefined && Date.now() - Date.parse(newest) > OLD_MS;
  const age = newest === undefined ? undefined : isOld ? 'old' : 'new';
  return (
    <span className="live" data-live={isLive} data-age={age} role="status">
      {isLive ? `Live: ${rows} appear as they are stored` : 'As of when the page was opened'}
      {isOld && `; the newest is of ${ago(newest)}`}.
    </span>
  );
}
