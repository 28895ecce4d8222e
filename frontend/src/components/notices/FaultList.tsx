import { FAULT_TITLES, GUIDE_PAGES, inReadingOrder, messageOf, targetsOf } from "../../messages/definition/faults";
import type { Fault } from "../../model/api";
import { lineAndColumn, type Span } from "../../model/text/spans";
import { FixLinks } from "./FixLinks";

function place({ node, field }: Fault): string {
  if (node === null) return field ?? "";
  return field === null ? node : `${node} · ${field}`;
}

interface InTextProps {
  /** The SQL text that the errors refer to, and a function that moves to one of them. */
  text?: string;
  onShow?: (span: Span) => void;
}

function Where({ fault, text, onShow }: InTextProps & { fault: Fault }) {
  const { span } = fault;
  if (text === undefined || onShow === undefined || !span) return place(fault) ? <code>{place(fault)}</code> : null;
  const { line, column } = lineAndColumn(text, span.start);
  return (
    <button type="button" className="link" onClick={() => onShow(span)}>
      line {line}, column {column}
    </button>
  );
}

/** A link to the guide's page about the error. It opens in a new tab, so unsaved input stays. */
function Explained({ fault: { code } }: { fault: Fault }) {
  const page = GUIDE_PAGES[code];
  if (page === undefined) return null;
  return (
    <a href={`/guide/${page}`} target="_blank" rel="noopener">
      In the guide: {FAULT_TITLES[code]}
    </a>
  );
}

/** All errors, each with code, place, message and remedy. */
export function FaultList({ faults, ...inText }: InTextProps & { faults: readonly Fault[] }) {
  return (
    <ul className="faults">
      {inReadingOrder(faults).map((fault, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two errors may be equal in every field
        <li key={index} className="fault" data-severity={fault.severity}>
          <span className="head">
            <span className="severity">{fault.severity === "error" ? "✕ Error" : "! Warning"}</span>
            <span>{FAULT_TITLES[fault.code]}</span>
            <code>{fault.code}</code>
            <Where fault={fault} {...inText} />
          </span>
          <span>{messageOf(fault)}</span>
          <span className="quiet">{fault.remedy}</span>
          {targetsOf(fault).length > 0 ? <FixLinks targets={targetsOf(fault)} /> : null}
          <Explained fault={fault} />
        </li>
      ))}
    </ul>
  );
}
