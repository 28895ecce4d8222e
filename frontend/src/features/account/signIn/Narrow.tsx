import { type ReactNode, useEffect } from "react";
import { Mark } from "../../../components/page/Mark";

interface NarrowProps {
  title: string;
  children: ReactNode;
  /** Below the panel: links to other pages. */
  under?: ReactNode;
}

/** A page with one centred panel, for sign-in and sign-up. */
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
