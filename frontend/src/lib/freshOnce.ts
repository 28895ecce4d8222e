import { useRef } from "react";

interface Fetched {
  isFetching: boolean;
}

/**
 * Whether what is shown has been looked at anew since the page was opened.
 * A form that begins with it must wait for this: a list from before, in which the newest thing is missing, would be its beginning for good.
 */
export function useFreshOnce({ isFetching }: Fetched): boolean {
  const fresh = useRef(false);
  if (!isFetching) fresh.current = true;
  return fresh.current;
}
