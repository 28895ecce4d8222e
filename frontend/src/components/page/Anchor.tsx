import { type ReactNode, useCallback } from "react";
import { useLocation } from "react-router";

/** A part of a page that an address names after `#`; it is scrolled to when it appears, because pages load late. */
export function Anchor({ id, children }: { id: string; children: ReactNode }) {
  const { hash } = useLocation();
  const scroll = useCallback(
    (part: HTMLDivElement | null) => {
      if (hash === `#${id}`) part?.scrollIntoView();
    },
    [hash, id],
  );
  return (
    <div id={id} ref={scroll}>
      {children}
    </div>
  );
}
