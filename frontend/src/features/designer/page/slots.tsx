/** The parts of the designer's page that have their own folders, one line each. */

import { type ComponentType, lazy, Suspense } from "react";
import { Waiting } from "../../../components/notices/Notices";
import type { DockTab } from "./dockTab";

interface PageSlot {
  name: string;
  place: DockTab;
  Part: ComponentType;
}

/** A part that loads when it is first rendered; it gets its data from `useDesigner`. */
function part(load: () => Promise<ComponentType>): ComponentType {
  return lazy(async () => ({ default: await load() }));
}

/** In the order of their place. */
const SLOTS: readonly PageSlot[] = [
  {
    name: "validation",
    place: "problems",
    Part: part(async () => (await import("../validation/ValidationPanel")).ValidationPanel),
  },
  {
    name: "preview",
    place: "preview",
    Part: part(async () => (await import("../preview/PreviewPanel")).PreviewPanel),
  },
  {
    name: "simulator",
    place: "simulator",
    Part: part(async () => (await import("../simulator/SimulatorPanel")).SimulatorPanel),
  },
  { name: "help", place: "help", Part: part(async () => (await import("../help/HelpPanel")).HelpPanel) },
  { name: "explanation", place: "explanation", Part: part(async () => (await import("../Explanation")).Explanation) },
  {
    name: "scenarios",
    place: "scenarios",
    Part: part(async () => (await import("../scenarios/ScenariosPanel")).ScenariosPanel),
  },
  {
    name: "versions",
    place: "versions",
    Part: part(async () => (await import("../versions/VersionsPanel")).VersionsPanel),
  },
];

/** The parts of one panel. */
export function Slots({ tab }: { tab: DockTab }) {
  return SLOTS.filter(({ place }) => place === tab).map(({ name, Part }) => (
    <Suspense key={name} fallback={<Waiting>Loading…</Waiting>}>
      <Part />
    </Suspense>
  ));
}
