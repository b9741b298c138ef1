import css from './webhooks.module.css';

/** Text as it was sent, such as a body. */
export function Text({ value }: { value: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard
    <pre tabIndex={0} className={css.pre}>
      {value}
    </pre>
  );
}
