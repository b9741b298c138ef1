import { all, one } from './dom.ts';

/** Puts a button on each code block, which copies what it shows; none on a page over plain http, which browsers let copy nothing. */
export function addCopyButtons(): void {
  if (!window.isSecureContext) return;
  const { copy = '', copied = '', notCopied = '' } = one<HTMLElement>('article').dataset;
  for (const block of all<HTMLElement>('.code')) {
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = copy;
    button.addEventListener('click', async () => {
      const text = block.querySelector('code')?.textContent ?? '';
      // A browser, or the frame of an editor, may forbid it.
      button.textContent = await navigator.clipboard.writeText(text).then(
        () => copied,
        () => notCopied,
      );
    });
    button.addEventListener('blur', () => {
      button.textContent = copy;
    });
    block.append(button);
  }
}
