import { useRef } from "react";

interface Fetched {
  isFetching: boolean;
}

/**
 * Return whether the data has been reloaded since the page was opened.
 * A form that is initialised from it must wait for this: a cached list without the newest object would stay its initial value.
 */
export function useFreshOnce({ isFetching }: Fetched): boolean {
  const fresh = useRef(false);
  if (!isFetching) fresh.current = true;
  return fresh.current;
}
