import { type ReactNode, useEffect } from "react";
import { Mark } from "../../components/Mark";

interface NarrowProps {
  title: string;
  children: ReactNode;
  /** Below the panel: where else one can go. */
  under?: ReactNode;
}

/** A page that is one panel in the middle: everything on the way in. */
export function Narrow({ title, children, under }: NarrowProps) {
  useEffect(() => {
    document.title = `${title} · Punctual`;
  }, [title]);
  return (
    <main className="way-in">
      <p className="brand">
        <Mark /> Punctual
      </p>
      <div className="panel stack">
        <h1>{title}</h1>
        {children}
      </div>
      {under === undefined ? null : <div className="under">{under}</div>}
    </main>
  );
}
