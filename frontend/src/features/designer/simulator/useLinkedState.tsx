import { type ReactNode, useEffect, useRef, useState } from "react";
import { Notice } from "../../../components/notices/Notices";
import { type LinkedState, LONGEST_LINK, linkOf, stateOfLink } from "../../../model/simulation/sample/link";
import { itemsOf, type Sample, sampleOf } from "../../../model/simulation/sample/sample";
import { counted, formatCount } from "../../../model/text/counts";
import type { Designer } from "../page/designer";
import type { PositionStore } from "./position";
import { tryAll, useTrialSettings } from "./settings/trialStore";
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

/** Open the content of a link, once: its query, sample and settings on trial, then its view. */
function useOpening({ designer, edits, positions, view, select, showTab }: Linkable): string {
  const [message, setMessage] = useState("");
  const waiting = useRef<LinkedState | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a link is opened once, when the page opens
  useEffect(() => {
    const fragment = window.location.hash;
    stateOfLink(fragment).then((state) => {
      if (state === null) {
        if (fragment.startsWith("#simulation=")) setMessage("The link is incomplete. Ask for it to be sent again.");
        return;
      }
      waiting.current = state;
      if (designer.sql !== state.text) designer.replaceText(state.text);
      edits.edit(() => sampleOf(state.rows, "from the link", state.end));
      tryAll(state.tried);
      showTab(tabOf(state));
      setMessage("Opened from a link. To return to your own draft, discard the changes.");
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
  return message;
}

function useCopying({ designer, sample, positions, view, tab }: Linkable) {
  const tried = useTrialSettings();
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
      setCopied(`The sample is too long for a link (${formatCount(link.length)} of at most ${most}). Use fewer rows.`);
      return;
    }
    const { origin, pathname, search } = window.location;
    try {
      await navigator.clipboard.writeText(`${origin}${pathname}${search}#${link}`);
      setCopied("Link copied. Members of this organisation who open it see what you see.");
    } catch {
      history.replaceState(null, "", `${pathname}${search}#${link}`);
      setCopied("This browser did not allow copying. Copy the link from the address bar.");
    }
  };
  return { copied, copy };
}

/** Return the button that copies a link to the current view, and a message about it. */
export function useLinkedState(linkable: Linkable): { button: ReactNode; message: ReactNode } {
  const opened = useOpening(linkable);
  const { copied, copy } = useCopying(linkable);
  const message = copied || opened;
  return {
    button: (
      <button type="button" className="button" onClick={() => void copy()}>
        Copy link
      </button>
    ),
    message:
      message === "" ? null : (
        <Notice tone="idle">
          <p>{message}</p>
        </Notice>
      ),
  };
}
