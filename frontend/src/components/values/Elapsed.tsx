import { useState } from "react";
import { useNow } from "../../lib/now";

/** The seconds since the first render; screen readers announce the wait once. */
export function Elapsed() {
  const now = useNow(1_000);
  const [first] = useState(now);
  const seconds = Math.round((now - first) / 1_000_000);
  return <span aria-hidden="true">{seconds > 0 ? `${seconds} s` : ""}</span>;
}
