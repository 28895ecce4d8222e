/** The parts of the designer's page that come from rooms of their own: one line each. */

import { type ComponentType, lazy, Suspense } from "react";
import { Waiting } from "../../../components/Notices";
import { useDesigner } from "./designer";

/** `first` stands above the editors, `wide` stands below the editors over the whole width; `main` and `side` are the columns below that. */
type Area = "first" | "wide" | "main" | "side";

interface PageSlot {
  name: string;
  area: Area;
  /** Only for queries that are stored. */
  stored?: true;
  Part: ComponentType;
}

/** A part that is loaded when it is first drawn; it takes what it needs from `useDesigner`. */
function part(load: () => Promise<ComponentType>): ComponentType {
  return lazy(async () => ({ default: await load() }));
}

/** In the order in which they stand in their area. */
const SLOTS: readonly PageSlot[] = [
  {
    name: "validation",
    area: "main",
    Part: part(async () => (await import("../validation/ValidationPanel")).ValidationPanel),
  },
  {
    name: "simulator",
    area: "wide",
    Part: part(async () => (await import("../simulator/SimulatorPanel")).SimulatorPanel),
  },
  { name: "help", area: "side", Part: part(async () => (await import("../help/HelpPanel")).HelpPanel) },
  {
    name: "templates",
    area: "first",
    Part: part(async () => (await import("../templates/TemplatesPanel")).TemplatesPanel),
  },
  { name: "explanation", area: "side", Part: part(async () => (await import("../Explanation")).Explanation) },
  {
    name: "scenarios",
    area: "main",
    stored: true,
    Part: part(async () => (await import("../scenarios/ScenariosPanel")).ScenariosPanel),
  },
  {
    name: "versions",
    area: "main",
    stored: true,
    Part: part(async () => (await import("../versions/VersionsPanel")).VersionsPanel),
  },
];

/** The parts of one area. */
export function Slots({ area }: { area: Area }) {
  const { query } = useDesigner();
  const shown = SLOTS.filter((slot) => slot.area === area && (slot.stored === undefined || query !== null));
  return shown.map(({ name, Part }) => (
    <Suspense key={name} fallback={<Waiting>Loading…</Waiting>}>
      <Part />
    </Suspense>
  ));
}
