import { type ReactNode, useId } from 'react';

/** Single facts of one object, a name and a value each. */
export function Facts({ title, facts }: { title: string; facts: readonly (readonly [string, ReactNode])[] }) {
  const id = useId();
  return (
    <section className="figure" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <dl className="facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value ?? '–'}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
