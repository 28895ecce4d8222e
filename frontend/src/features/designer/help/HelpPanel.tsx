import { PAGES } from "virtual:guide";
import { useEffect, useId, useRef, useState } from "react";
import { Panel } from "../../../components/Panel";
import type { GraphNode } from "../../../model/api";
import { useDesigner } from "../page/designer";
import "./help.css";

/** The page of the guide that says what the node means. */
function pageOf(node: GraphNode | undefined): string | null {
  if (node === undefined) return null;
  return node.kind === "window" ? `window_${node.window.kind}` : node.kind;
}

function Written({ html }: { html: string }) {
  const place = useRef<HTMLElement | null>(null);
  useEffect(() => {
    const written = new DOMParser().parseFromString(html, "text/html");
    for (const link of written.querySelectorAll("a")) {
      link.target = "_blank";
      link.rel = "noopener";
    }
    place.current?.replaceChildren(...written.body.childNodes);
  }, [html]);
  return <article className="guide-text help-text" ref={place} />;
}

/** The guide beside the query: the page of the node that is selected, or any other. */
export function HelpPanel() {
  const { graph, selected, wordPage } = useDesigner();
  const id = useId();
  const [open, setOpen] = useState(false);
  const [chosen, setChosen] = useState<string | null>(null);
  const node = pageOf(graph?.nodes.find((each) => each.id === selected.at(-1)));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the page of a node that is selected comes before the chosen one
  useEffect(() => setChosen(null), [node]);
  useEffect(() => {
    if (wordPage !== null) setChosen(wordPage);
  }, [wordPage]);
  const name = chosen ?? node ?? "advance_time";
  const page = PAGES.find((each) => each.name === name);
  return (
    <Panel
      title="Help"
      note="What the node that you select, or the word of SQL at the caret, means."
      actions={
        <button type="button" className="button" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? "Hide" : "Read"}
        </button>
      }
    >
      {open ? (
        <div className="stack">
          <div className="row">
            <label htmlFor={id}>Page of the guide</label>
            <select id={id} className="input" value={name} onChange={(event) => setChosen(event.target.value)}>
              {PAGES.filter((each) => each.name !== "").map((each) => (
                <option key={each.name} value={each.name}>
                  {each.title}
                </option>
              ))}
            </select>
            <a href={`/guide/${name}`} target="_blank" rel="noopener">
              In the guide
            </a>
          </div>
          {page === undefined ? <p>The guide has no such page.</p> : <Written html={page.html} />}
        </div>
      ) : null}
    </Panel>
  );
}
