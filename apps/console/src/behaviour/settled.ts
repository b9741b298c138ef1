import { useEffect, useState } from 'react';

const SETTLED_MS = 300;

/** What a reader types, once the typing has paused. Values are compared by their text. */
export function useSettled<T>(value: T): { settled: T; isSettled: boolean } {
  const [settled, setSettled] = useState(value);
  const text = JSON.stringify(value);
  const isSettled = JSON.stringify(settled) === text;
  useEffect(() => {
    const timer = setTimeout(() => setSettled(JSON.parse(text)), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return { settled, isSettled };
}
