import { useText } from '../i18n/language.ts';
import { sentenceOf } from '../session/failure.ts';
import { endIfRefused, endOfSession } from '../session/session.ts';
import { toast } from './toast.tsx';

/** Shows a failed request as a toast: what failed, and what to do. A refused key ends the session, if that has not ended yet. */
export function useToastFailure(): (error: unknown) => void {
  const text = useText();
  const ended = endOfSession();
  return (error) => {
    if (endIfRefused(error, ended)) return;
    toast(sentenceOf(error, text));
  };
}
