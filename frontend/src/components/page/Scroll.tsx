import type { ReactNode } from "react";

interface ScrollProps {
  label: string;
  /** Limit the height to about twelve rows. */
  tall?: boolean;
  panel?: boolean;
  children: ReactNode;
}

/** A container in which a wide or long table scrolls, also by keyboard, so that the page itself doesn't. */
export function Scroll({ label, tall = false, panel = false, children }: ScrollProps) {
  const classes = ["scroll", tall ? "tall" : "", panel ? "panel" : ""].filter(Boolean).join(" ");
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for parts of a form
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <div className={classes} role="group" tabIndex={0} aria-label={label}>
      {children}
    </div>
  );
}
