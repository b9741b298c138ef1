import { useText } from '../i18n/language.ts';
import { failureOf } from '../session/failure.ts';
import { toast } from './toast.tsx';

/** Shows a failed request as a toast: what failed, and what to do. */
export function useToastFailure(): (error: unknown) => void {
  const text = useText();
  return (error) => {
    const { what, advice } = failureOf(error, text);
    toast(`${what} ${advice}`);
  };
}
