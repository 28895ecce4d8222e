import type { ReactNode } from "react";

interface ScrollProps {
  label: string;
  /** At most about twelve rows high. */
  tall?: boolean;
  panel?: boolean;
  children: ReactNode;
}

/** A wide or long table scrolls by itself, never the page; by keyboard too. */
export function Scroll({ label, tall = false, panel = false, children }: ScrollProps) {
  const classes = ["scroll", tall ? "tall" : "", panel ? "panel" : ""].filter(Boolean).join(" ");
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the parts of a form
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div className={classes} role="group" tabIndex={0} aria-label={label}>
      {children}
    </div>
  );
}
