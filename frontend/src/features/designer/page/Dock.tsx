import { type ReactNode, useEffect, useState } from "react";
import { Tab, TabList, TabPanel, Tabs } from "react-aria-components";
import { useDesigner } from "./designer";
import { type DockTab, firstDockTab, showDockTab, useDockTab } from "./dockTab";
import { Slots } from "./slots";

const WORDS: Record<DockTab, string> = {
  preview: "Results preview",
  simulator: "Simulator",
  problems: "Problems",
  scenarios: "Scenarios",
  versions: "Versions",
  explanation: "How it runs",
  help: "Help",
  details: "Details",
};
/** Panels that only stored queries have. */
const OF_STORED: readonly DockTab[] = ["scenarios", "versions", "details"];

function tabsOf(isStored: boolean): DockTab[] {
  return (Object.keys(WORDS) as DockTab[]).filter((tab) => isStored || !OF_STORED.includes(tab));
}

function Count({ tab }: { tab: DockTab }) {
  const { known } = useDesigner();
  if (tab !== "problems" || known.length === 0) return null;
  const isBad = known.some(({ severity }) => severity === "error");
  return (
    <span className="mark" data-tone={isBad ? "bad" : "unknown"}>
      {known.length}
    </span>
  );
}

interface DockProps {
  problems: ReactNode;
  details: ReactNode;
  isLarge: boolean;
  onLarge: (isLarge: boolean) => void;
}

/** The panels below the editors, one at a time. All of them stay mounted, so that nothing typed there is lost. */
export function Dock({ problems, details, isLarge, onLarge }: DockProps) {
  const { query } = useDesigner();
  const tab = useDockTab();
  const [tabs] = useState(() => tabsOf(query !== null));
  useEffect(() => showDockTab(firstDockTab()), []);
  return (
    <Tabs className="dock" selectedKey={tab} onSelectionChange={(key) => showDockTab(key as DockTab)}>
      <div className="dock-head">
        <TabList aria-label="Panels of the query" className="dock-tabs">
          {tabs.map((each) => (
            <Tab key={each} id={each} className="dock-tab">
              {WORDS[each]} <Count tab={each} />
            </Tab>
          ))}
        </TabList>
        <button type="button" className="button dock-large" aria-pressed={isLarge} onClick={() => onLarge(!isLarge)}>
          {isLarge ? "Show the editors" : "Enlarge"}
        </button>
      </div>
      {tabs.map((each) => (
        <TabPanel key={each} id={each} shouldForceMount className="dock-panel">
          <div className="stack start">
            {each === "problems" ? problems : null}
            <Slots tab={each} />
            {each === "details" ? details : null}
          </div>
        </TabPanel>
      ))}
    </Tabs>
  );
}
