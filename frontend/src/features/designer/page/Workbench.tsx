import { type ReactNode, useState } from "react";
import { Split } from "../../../components/page/Split";
import { Dock } from "./Dock";
import { useDesigner } from "./designer";
import { showDockTab } from "./dockTab";
import "./workbench.css";

interface StatusLineProps {
  status: string;
}

/** The state of the check, and the first problem, which opens the others. */
function StatusLine({ status }: StatusLineProps) {
  const { known } = useDesigner();
  const first = known.find(({ severity }) => severity === "error") ?? known[0];
  return (
    <footer className="status-line">
      <span role="status">{status}</span>
      {first === undefined ? null : (
        <button type="button" className="link" onClick={() => showDockTab("problems")}>
          {first.message}
        </button>
      )}
    </footer>
  );
}

interface WorkbenchProps extends StatusLineProps {
  editors: ReactNode;
  problems: ReactNode;
  details: ReactNode;
}

/** Editors above, panels below, and a status line: on wide screens all of it fits the window. */
export function Workbench({ editors, problems, details, status }: WorkbenchProps) {
  const [isLarge, setLarge] = useState(false);
  const dock = <Dock problems={problems} details={details} isLarge={isLarge} onLarge={setLarge} />;
  return (
    <div className="workbench" data-large={isLarge}>
      <Split
        direction="down"
        name="workbench"
        label="Height of the editors above the panels"
        start={50}
        first={editors}
        second={dock}
      />
      <StatusLine status={status} />
    </div>
  );
}
