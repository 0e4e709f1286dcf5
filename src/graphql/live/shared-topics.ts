import type { Context } from '../../context.ts';
import type { Revisions } from '../../db/changes/revisions.ts';
import { unavailable } from '../../kernel/refusal.ts';
import { shared } from '../../kernel/shared.ts';
import type { Change, Topic } from './topic.ts';

type AnyTopic = Topic<object>;
type AnyChange = Change<object>;
/** `text` is an event's JSON without the closing brace; `units` is the cost of its fields. */
export type EventText = { text: string; units: number };

export type SharedTopic = {
  /** Rises whenever a read may find a change. */
  version(): number;
  read(position: string | undefined, newContext: (line: string) => Context): Promise<AnyChange>;
  /** Subscriptions with the same `key` send the same text for each event. */
  textOf(event: object, key: string, make: () => Promise<EventText>): Promise<EventText>;
  leave(): void;
};

/** Events that several accounts await are read once for all, in a line that no single account can fill. */
const COMMON_LINE = 'streams';

type State = {
  topic: AnyTopic;
  version: number;
  reads: Map<string, Promise<AnyChange>>;
  /** How to resume each stream, and its account. */
  streams: Map<() => void, string>;
};

export function sharedTopics(revisions: Revisions) {
  const states = new Map<string, State>();
  const texts = new WeakMap<object, Map<string, Promise<EventText>>>();
  let before = revisions.current;

  function wake(concerns: (topic: AnyTopic['subject']) => boolean) {
    for (const state of states.values()) {
      if (!concerns(state.topic.subject)) continue;
      state.version += 1;
      state.reads.clear();
      for (const resume of state.streams.keys()) resume();
    }
  }
  revisions.onChange((now) => {
    const last = before;
    before = now;
    wake(({ datasets }) => datasets.some((name) => now.get(name)?.revision !== last.get(name)?.revision));
  });
  revisions.onSetChange((changed) =>
    wake(({ setId }) => setId !== undefined && (changed === undefined || changed === setId)),
  );

  return function join(topic: AnyTopic, account: string, resume: () => void): SharedTopic {
    let state = states.get(topic.key);
    if (!state) states.set(topic.key, (state = { topic, version: 0, reads: new Map(), streams: new Map() }));
    const own = state;
    own.streams.set(resume, account);
    return {
      version: () => own.version,
      read(position, newContext) {
        const read = async () => {
          const isCommon = new Set(own.streams.values()).size > 1;
          const ctx = newContext(isCommon ? COMMON_LINE : account);
          const change = await topic.subject.read(ctx, position);
          // Some statements of `read` may have reached another database, which lags behind.
          if (!revisions.isOfSource(ctx.data)) throw unavailable();
          return change;
        };
        return shared(own.reads, position ?? '', read);
      },
      textOf(event, key, make) {
        let ofEvent = texts.get(event);
        if (!ofEvent) texts.set(event, (ofEvent = new Map()));
        return shared(ofEvent, key, make);
      },
      leave() {
        own.streams.delete(resume);
        if (own.streams.size === 0 && states.get(topic.key) === own) states.delete(topic.key);
      },
    };
  };
}
