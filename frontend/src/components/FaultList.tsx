import type { Fault } from "../model/api";
import { FAULT_TITLES, GUIDE_PAGES, inReadingOrder, messageOf, targetsOf } from "../model/faults";
import { lineAndColumn, type Span } from "../model/spans";
import { MendLinks } from "./MendLinks";

function place({ node, field }: Fault): string {
  if (node === null) return field ?? "";
  return field === null ? node : `${node} · ${field}`;
}

interface InTextProps {
  /** The SQL text whose places the faults name, and what goes to one of them. */
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

/** The page of the guide about it, beside this one: what is typed here stays. */
function Explained({ fault: { code } }: { fault: Fault }) {
  const page = GUIDE_PAGES[code];
  if (page === undefined) return null;
  return (
    <a href={`/guide/${page}`} target="_blank" rel="noopener">
      In the guide: {FAULT_TITLES[code]}
    </a>
  );
}

/** Every fault with code, place, message and remedy. */
export function FaultList({ faults, ...inText }: InTextProps & { faults: readonly Fault[] }) {
  return (
    <ul className="faults">
      {inReadingOrder(faults).map((fault, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two faults may be equal in every field
        <li key={index} className="fault" data-severity={fault.severity}>
          <span className="head">
            <span className="severity">{fault.severity === "error" ? "✕ Error" : "! Warning"}</span>
            <span>{FAULT_TITLES[fault.code]}</span>
            <code>{fault.code}</code>
            <Where fault={fault} {...inText} />
          </span>
          <span>{messageOf(fault)}</span>
          <span className="quiet">{fault.remedy}</span>
          {targetsOf(fault).length > 0 ? <MendLinks targets={targetsOf(fault)} /> : null}
          <Explained fault={fault} />
        </li>
      ))}
    </ul>
  );
}
