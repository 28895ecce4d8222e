import { type ReactNode, useId } from "react";

interface PanelProps {
  title: string;
  /** One line under the title: the content and its unit. */
  note?: ReactNode;
  actions?: ReactNode;
  /** Without padding, for tables and graphs. */
  flush?: boolean;
  children: ReactNode;
}

export function Panel({ title, note, actions, flush = false, children }: PanelProps) {
  const id = useId();
  return (
    <section className="panel" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {actions === undefined ? null : <div className="row">{actions}</div>}
      </header>
      {note === undefined ? null : <p className="note">{note}</p>}
      <div className={flush ? "body flush" : "body"}>{children}</div>
    </section>
  );
}
