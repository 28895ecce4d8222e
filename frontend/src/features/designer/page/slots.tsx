/** The parts of the designer's page that have their own folders, one line each. */

import { type ComponentType, lazy, Suspense } from "react";
import { Waiting } from "../../../components/notices/Notices";
import { useDesigner } from "./designer";

/** `first` is above the editors, `wide` below them at full width; `main` and `side` are the columns below that. */
type Area = "first" | "wide" | "main" | "side";

interface PageSlot {
  name: string;
  area: Area;
  /** True for parts that only stored queries have. */
  stored?: true;
  Part: ComponentType;
}

/** A part that loads when it is first rendered; it gets its data from `useDesigner`. */
function part(load: () => Promise<ComponentType>): ComponentType {
  return lazy(async () => ({ default: await load() }));
}

/** In the order of their area. */
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
