import { type ReactNode, useEffect, useRef, useState } from "react";
import { Notice } from "../../../components/Notices";
import { counted, formatCount } from "../../../model/counts";
import { type LinkedState, LONGEST_LINK, linkOf, stateOfLink } from "../../../model/simulation/link";
import { itemsOf, type Sample, sampleOf } from "../../../model/simulation/sample";
import type { Designer } from "../page/designer";
import type { PositionStore } from "./position";
import { tryAll, useTried } from "./triedStore";
import { type Edits, type Selected, SIMULATOR_TABS, type SimulatorTab, type SimulatorView } from "./view";

interface Linkable {
  designer: Designer;
  sample: Sample;
  edits: Edits;
  positions: PositionStore;
  view: SimulatorView | null;
  select: (selected: Selected | null) => void;
  tab: SimulatorTab;
  showTab: (tab: SimulatorTab) => void;
}

function selectedOf(view: SimulatorView | null): LinkedState["selected"] {
  const selected = view?.selected ?? null;
  if (view === null || selected === null || selected.kind === "place") return null;
  if (selected.kind === "row") return { kind: "row", id: view.numbers.get(selected.key) ?? 0 };
  return { kind: selected.kind, id: selected.id };
}

function tabOf({ tab }: LinkedState): SimulatorTab {
  return SIMULATOR_TABS.find((each) => each === tab) ?? "timeline";
}

/** Opens what a link says, once: its query, its sample and what is tried, then where one looks at them. */
function useOpening({ designer, edits, positions, view, select, showTab }: Linkable): string {
  const [said, setSaid] = useState("");
  const waiting = useRef<LinkedState | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a link is opened once, when the page is
  useEffect(() => {
    const fragment = window.location.hash;
    stateOfLink(fragment).then((state) => {
      if (state === null) {
        if (fragment.startsWith("#simulation="))
          setSaid("The link is not whole. Ask for it again: something cut it on its way.");
        return;
      }
      waiting.current = state;
      if (designer.sql !== state.text) designer.replaceText(state.text);
      edits.edit(() => sampleOf(state.rows, "of the link", state.end));
      tryAll(state.tried);
      showTab(tabOf(state));
      setSaid("This is what the link shows. Your own draft comes back with Discard.");
      history.replaceState(null, "", window.location.pathname + window.location.search);
    });
  }, []);
  useEffect(() => {
    const state = waiting.current;
    const rows = state?.rows.filter((item) => item !== "batch").length;
    if (state === null || view === null || view.simulation.rows.length !== rows) return;
    waiting.current = null;
    if (state.scrub !== null) positions.set(state.scrub);
    const { selected } = state;
    if (selected === null) return;
    const { kind, id } = selected;
    select(kind === "row" ? { kind, key: view.keys[id - 1] ?? "" } : { kind, id });
  }, [view, positions, select]);
  return said;
}

function useCopying({ designer, sample, positions, view, tab }: Linkable) {
  const tried = useTried();
  const [copied, setCopied] = useState("");
  const copy = async () => {
    const position = positions.get();
    const link = await linkOf({
      text: designer.sql ?? "",
      rows: itemsOf(sample),
      end: sample.end,
      tried,
      tab,
      scrub: position >= positions.last() ? null : position,
      selected: selectedOf(view),
    });
    if (link.length > LONGEST_LINK) {
      const most = counted(LONGEST_LINK, "character");
      setCopied(
        `The sample is too long for a link: ${formatCount(link.length)}, where ${most} may be. Take fewer rows.`,
      );
      return;
    }
    const { origin, pathname, search } = window.location;
    try {
      await navigator.clipboard.writeText(`${origin}${pathname}${search}#${link}`);
      setCopied("The link is copied. Who belongs to this organisation and opens it sees what you see.");
    } catch {
      history.replaceState(null, "", `${pathname}${search}#${link}`);
      setCopied("The link stands in the address bar; this browser did not let it be copied.");
    }
  };
  return { copied, copy };
}

/** A link that reproduces what is seen: the button that copies it, and what was said of one. */
export function useLinkedState(linkable: Linkable): { button: ReactNode; said: ReactNode } {
  const opened = useOpening(linkable);
  const { copied, copy } = useCopying(linkable);
  const said = copied || opened;
  return {
    button: (
      <button type="button" className="button" onClick={() => void copy()}>
        Copy link
      </button>
    ),
    said:
      said === "" ? null : (
        <Notice tone="idle">
          <p>{said}</p>
        </Notice>
      ),
  };
}
