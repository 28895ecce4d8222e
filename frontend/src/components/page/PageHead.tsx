import { type ReactNode, useEffect } from "react";
import { Link } from "react-router";

interface PageHeadProps {
  title: string;
  crumb?: { to: string; label: string };
  beside?: ReactNode;
  actions?: ReactNode;
}

/** The title of a page (also of the browser tab), the way back, and the page's actions. */
export function PageHead({ title, crumb, beside, actions }: PageHeadProps) {
  useEffect(() => {
    document.title = `${title} · Punctual`;
  }, [title]);
  return (
    <header className="page-head">
      <div>
        {crumb === undefined ? null : (
          <p className="crumb">
            <Link to={crumb.to}>{crumb.label}</Link> <span className="quiet">/</span>
          </p>
        )}
        <div className="row">
          <h1>{title}</h1>
          {beside}
        </div>
      </div>
      {actions === undefined ? null : <div className="row">{actions}</div>}
    </header>
  );
}
