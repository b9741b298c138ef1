const SHOWN = 20;

/** A long id, cut in the middle; its tooltip, its selection and screen readers have all of it. */
export function Cut({ value }: { value: string }) {
  if (value.length <= SHOWN) return <code>{value}</code>;
  return (
    <code title={value}>
      <span aria-hidden="true">
        {value.slice(0, 10)}…{value.slice(-8)}
      </span>
      <span className="unseen">{value}</span>
    </code>
  );
}
