/** Whether something that runs in the background, such as an import, has ended. */
export function isOver({ state }: { state: string }): boolean {
  return state !== 'queued' && state !== 'running';
}
