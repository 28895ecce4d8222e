import type { Fault } from "../model/api";
import { FAULT_TITLES, inReadingOrder, messageOf } from "../model/faults";

function place({ node, field }: Fault): string {
  if (node === null) return field ?? "";
  return field === null ? node : `${node} · ${field}`;
}

/** Every fault with code, place, message and remedy. */
export function FaultList({ faults }: { faults: readonly Fault[] }) {
  return (
    <ul className="faults">
      {inReadingOrder(faults).map((fault, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two faults may be equal in every field
        <li key={index} className="fault" data-severity={fault.severity}>
          <span className="head">
            <span className="severity">{fault.severity === "error" ? "✕ Error" : "! Warning"}</span>
            <span>{FAULT_TITLES[fault.code]}</span>
            <code>{fault.code}</code>
            {place(fault) ? <code>{place(fault)}</code> : null}
          </span>
          <span>{messageOf(fault)}</span>
          <span className="quiet">{fault.remedy}</span>
        </li>
      ))}
    </ul>
  );
}
